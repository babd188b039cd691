"""Say what this process waits for, if that takes long."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AFTER_S = 5.0
"""A shorter wait needs no words."""

_POLL_S = 0.5
_log = logging.getLogger(__name__)
_lock = threading.Lock()
_waits: dict[object, tuple[float, str]] = {}
_watchers: list[threading.Thread] = []


@contextmanager
def waiting_for(what: str) -> Iterator[None]:
    """Log once what a `with` block waits for, when that has taken five seconds; on any thread."""
    wait = object()
    with _lock:
        _waits[wait] = time.monotonic(), what
        # A thread does not survive a fork.
        if not any(each.is_alive() for each in _watchers):
            _watchers[:] = [threading.Thread(target=_watch, name="waiting", daemon=True)]
            _watchers[0].start()
    try:
        yield
    finally:
        with _lock:
            _waits.pop(wait, None)


def _watch() -> None:
    """Log waits, each once, until there are none."""
    while True:
        time.sleep(_POLL_S)
        with _lock:
            late = [
                wait for wait, (at_s, _) in _waits.items() if time.monotonic() - at_s >= AFTER_S
            ]
            texts = [_waits.pop(wait)[1] for wait in late]
            if is_over := not _waits:
                _watchers.clear()
        for text in texts:
            _log.warning("waiting for %s", text)
        if is_over:
            return
