"""The signals that ask a process to end, and how the processes that it began ignore them."""

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker

STOP_SIGNALS = (
    *(signal.SIGTERM, signal.SIGINT, signal.SIGHUP),
    *(signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2),
)


@contextmanager
def signals_blocked(numbers: Iterable[signal.Signals]) -> Iterator[None]:
    """Block signals for processes that this thread spawns while a `with` block lasts."""
    # It begins with the first process, and unblocks signals.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
