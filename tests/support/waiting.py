"""Waiting for what other threads do: for a condition, with a deadline, never for a while."""

import os
import signal
import threading
import time
from collections.abc import Callable

_LOOK_AGAIN_S = 0.005


def signal_when(holds: Callable[[], object], number: signal.Signals = signal.SIGTERM) -> None:
    """Send a signal to this process when a condition holds, from another thread."""

    def send() -> None:
        wait_until(holds)
        os.kill(os.getpid(), number)

    threading.Thread(target=send, daemon=True).start()


def wait_until(holds: Callable[[], object], within_s: float = 60.0) -> None:
    """Wait until a condition holds; fails the test when it does not in time."""
    deadline_s = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline_s, f"still not so after {within_s} s"
        time.sleep(_LOOK_AGAIN_S)
