"""How far a run has come: a bar on a terminal, else a line every few seconds."""

import sys
import threading
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

from pipeline import storage
from schemas.record import Record
from transforms import counters

_BAR_INTERVAL_S = 0.2
_LINE_INTERVAL_S = 5.0


class _Reading(Record, frozen=True, kw_only=True):
    """The counters of this process at a moment."""

    time_s: float
    bytes_read: int
    messages: int
    done: int


class Progress:
    """Shows the counters of this process while a `with` block lasts.

    Args:
      paths: the archives' files, whose bytes are the measure of the whole.
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._total_bytes = sum(storage.size(path) for path in paths)
        self._start = _now()
        self._over = threading.Event()
        self._console = Console(stderr=True)
        show = self._show_bar if self._console.is_terminal else self._write_lines
        self._thread = threading.Thread(target=show, name="progress", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        exception_type: type[BaseException] | None,
        exception: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _show_bar(self) -> None:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        with rich.progress.Progress(*columns, console=self._console, transient=True) as bar:
            task = bar.add_task("starting", total=self._total_bytes)
            while not self._over.wait(_BAR_INTERVAL_S):
                now = _now()
                done = self._share_done(now) * self._total_bytes
                bar.update(task, completed=done, description=self._described(now))

    def _write_lines(self) -> None:
        while not self._over.wait(_LINE_INTERVAL_S):
            now = _now()
            sys.stderr.write(f"groundwatch: {self._share_done(now):4.0%}, {self._described(now)}\n")

    def _share_done(self, now: _Reading) -> float:
        """By bytes, since nobody has counted the lines, of what was read and came to its end."""
        messages = now.messages - self._start.messages
        read_share = (now.bytes_read - self._start.bytes_read) / (self._total_bytes or 1)
        return read_share * (now.done - self._start.done) / (messages or 1)

    def _described(self, now: _Reading) -> str:
        done = now.done - self._start.done
        per_s = done / (now.time_s - self._start.time_s)
        return f"{done:,} of {now.messages - self._start.messages:,} read, {per_s:,.0f} a second"


def _now() -> _Reading:
    ends = (
        *counters.VERDICTS.values(),
        counters.ARCHIVES_DAMAGED,
        counters.PARSE_FAILED,
        counters.DUPLICATES_SEEN,
        counters.SAMPLED_OUT,
        counters.CHECKS_FAILED,
    )
    return _Reading(
        time_s=time.monotonic(),
        bytes_read=counters.ARCHIVE_BYTES_READ.value,
        messages=counters.MESSAGES_READ.value,
        done=sum(counter.value for counter in ends),
    )
