"""Say what this process waits for, if that takes long."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

AFTER_S = 5.0
"""A shorter wait needs no words."""

_log = logging.getLogger(__name__)


@contextmanager
def waiting_for(what: str) -> Iterator[None]:
    """Log once what a `with` block waits for, when that has taken five seconds; on any thread."""
    timer = Timer(AFTER_S, _log.warning, ("waiting for %s", what))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
