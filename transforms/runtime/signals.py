"""The signals that ask a process to end, and how the processes that it began ignore them."""

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
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


@contextmanager
def written_beside(write: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Yield what a handler calls, once, to write on another thread; the block's end waits for it.

    A handler itself must not write: where it interrupts a write to the same stream, that raises.
    """
    thread = threading.Thread(target=write, daemon=True)
    try:
        yield thread.start
    finally:
        if thread.ident is not None:
            thread.join()
