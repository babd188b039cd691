"""A signal comes during a write to standard error: both lines are there, and nothing raises."""

import io
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from groundwatch.launch.backfill.run_backfill import _interruptible
from groundwatch.launch.cli.json_log import JsonLogHandler
from groundwatch.launch.watch.run_worker import _signals


class Interrupted(io.RawIOBase):
    """A file whose first write is interrupted by SIGINT."""

    def __init__(self) -> None:
        self.written = b""

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        is_first = not self.written
        self.written += data
        if is_first:
            os.kill(os.getpid(), signal.SIGINT)
        return len(data)


@pytest.fixture
def file() -> Iterator[Interrupted]:
    with Interrupted() as file:
        yield file


@pytest.fixture
def stream(file: Interrupted) -> io.TextIOWrapper:
    """A stream over the file, buffered as standard error is."""
    return io.TextIOWrapper(io.BufferedWriter(file), line_buffering=True)


@contextmanager
def logging_to(stream: io.TextIOWrapper) -> Iterator[logging.Logger]:
    handler, logger = JsonLogHandler(stream), logging.getLogger("groundwatch")
    logger.addHandler(handler)
    try:
        yield logger
    finally:
        logger.removeHandler(handler)


def test_a_worker_says_that_it_drains(file: Interrupted, stream: io.TextIOWrapper) -> None:
    stop = threading.Event()
    with logging_to(stream) as logger, _signals(60.0, stop):
        logger.warning("an alert")
    assert stop.is_set()
    lines = file.written.decode().splitlines()
    assert "an alert" in lines[0]
    assert "draining" in lines[1]


def test_a_backfill_says_how_it_ends(
    file: Interrupted, stream: io.TextIOWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    stop = threading.Event()
    with _interruptible(stop) as is_interrupted:
        sys.stderr.write("30 % are done\n")
    assert stop.is_set()
    assert is_interrupted()
    lines = file.written.decode().splitlines()
    assert lines[0] == "30 % are done"
    assert "interrupt again to end now" in lines[1]
