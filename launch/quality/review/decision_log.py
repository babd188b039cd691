"""Append decisions to a file of labels, and read those that other processes append to it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, Literal

import msgspec

from groundwatch.launch.quality.evaluate.labels import (
    ReviewDecision,
    UnreadableLabels,
    read_label_lines,
)
from groundwatch.pipeline import storage
from groundwatch.pipeline.storage.local_files import open_locked

_LOCK_WAIT_S = 10.0
_MODE = 0o640
_NOTHING_READ = (0, 0)


class DecisionLog:
    """A file of decisions, local or gs://; a local one may grow, and need not exist.

    Raises:
      UnreadableLabels: a line is not a decision.
      OSError: the file cannot be read or written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._start_byte = self._lines = 0  # of what is not read yet
        self._identity = _NOTHING_READ

    def append(self, decision: ReviewDecision) -> None:
        """Append a decision; it is on disk when this returns, and no part of it if this raises."""
        content = msgspec.json.encode(decision) + b"\n"
        with storage.describing_errors(f"cannot write {self.path}"), _locked(self.path) as stream:
            size_bytes = stream.seek(0, os.SEEK_END)
            if size_bytes and not _has_line_end(stream):
                # A torn line must not swallow this one.
                content = b"\n" + content
            try:
                _write(stream.fileno(), content)
            except OSError:
                os.ftruncate(stream.fileno(), size_bytes)
                raise

    def is_replaced(self) -> bool:
        """Return whether the file is another one than the one that was read, or was cut."""
        if self._identity == _NOTHING_READ:
            return False
        status = self._status()
        return status is None or status[0] != self._identity or status[1] < self._start_byte

    def read_new(self) -> list[ReviewDecision]:
        """Read the decisions that were appended since the last call; all in the first."""
        if not storage.is_local(self.path):
            # An object cannot grow.
            content = b"" if self._start_byte else storage.read_whole(self.path)
            return self._decisions(content)
        status = self._status()
        if status is None or status[1] == self._start_byte:
            return []
        with _locked(self.path, "rb") as stream:
            stream.seek(self._start_byte)
            decisions = self._decisions(stream.read())
        self._identity = status[0]
        return decisions

    def _decisions(self, content: bytes) -> list[ReviewDecision]:
        decisions = []
        for place, line in read_label_lines(content.split(b"\n"), self.path, self._lines + 1):
            try:
                decisions.append(msgspec.json.decode(line, type=ReviewDecision))
            except msgspec.MsgspecError:
                problem = "is no label that `groundwatch review` writes"
                raise UnreadableLabels(f"{place}: {problem}") from None
        self._start_byte += len(content)
        self._lines += content.count(b"\n")
        return decisions

    def _status(self) -> tuple[tuple[int, int], int] | None:
        """Look up what identifies the file, and its size in bytes; None if it does not exist."""
        with suppress(FileNotFoundError):
            found = Path(self.path).stat()
            return (found.st_dev, found.st_ino), found.st_size
        return None


@contextmanager
def _locked(path: str, mode: Literal["rb", "a+b"] = "a+b") -> Iterator[IO[bytes]]:
    """Open a file that no other process appends to while a `with` block lasts."""
    flags = os.O_RDONLY if mode == "rb" else os.O_RDWR | os.O_APPEND | os.O_CREAT
    descriptor = open_locked(partial(os.open, path, flags, _MODE), path, _LOCK_WAIT_S)
    if descriptor is None:
        raise OSError(f"another process holds {path}: end it, or try again later")
    with os.fdopen(descriptor, mode) as stream:
        yield stream


def _has_line_end(stream: IO[bytes]) -> bool:
    stream.seek(-1, os.SEEK_END)
    return stream.read(1) == b"\n"


def _write(descriptor: int, content: bytes) -> None:
    """Write past the stream, which would write the rest later; a full disk may take a part."""
    while content:
        content = content[os.write(descriptor, content) :]
    os.fsync(descriptor)
