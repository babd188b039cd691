"""Write rows of one kind, each folder's to a stream of its own."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import IO, Any, Generic, TypeVar

from groundwatch.pipeline import storage
from groundwatch.pipeline.sinks.row_formats import RowFormat
from groundwatch.schemas import Record

_ROWS_BETWEEN_CHECKS = 64
# More than the dates of a year; twice as many are fewer than a process may open by default.
_MOST_OPEN = 400


class WrittenRows(Record, frozen=True, kw_only=True):
    """Rows of one kind for one folder, relative to the output's root."""

    kind: str
    folder: str
    rows: int
    first_event_us: int | None
    last_event_us: int | None


Finished = TypeVar("Finished", bound=WrittenRows)


class OpenRows:
    """Rows of a folder that are being written; OSError, which names the place, if that fails."""

    def __init__(self, stream: IO[bytes], place: str, folder: str, row_format: RowFormat) -> None:
        self.stream = stream
        self.place = place
        self._folder = folder
        self._format = row_format
        self._writer = row_format.open_rows(stream)
        self._rows = 0
        self._first_us: int | None = None
        self._last_us: int | None = None

    def write(self, row: Any) -> None:
        """Add a row."""
        try:
            self._writer.write(self._format.encode(row))
        except OSError:
            # Not around the writing of each row, which it would slow down.
            with storage.describing_errors(f"cannot write {self.place}"):
                raise
        self._rows += 1
        time_us = self._format.event_time_us(row)
        if time_us is not None:
            self._first_us = time_us if self._first_us is None else min(time_us, self._first_us)
            self._last_us = time_us if self._last_us is None else max(time_us, self._last_us)

    def exceeds(self, most_bytes: int) -> bool:
        """Return whether the stream is longer than a size; the answer may lag by some rows."""
        # A system call for every row would be too slow.
        is_due = self._rows % _ROWS_BETWEEN_CHECKS == 0
        return is_due and self.stream.tell() > most_bytes

    def finish(self) -> dict[str, Any]:
        """Write the last rows to the stream; return the fields of `WrittenRows`."""
        self._writer.flush()
        return {
            "kind": self._format.kind,
            "folder": self._folder,
            "rows": self._rows,
            "first_event_us": self._first_us,
            "last_event_us": self._last_us,
        }


class FolderWriter(ABC, Generic[Finished]):
    """Write rows to one stream at a time for each folder, up to a size.

    Of too many open streams the one that was unused for longest is finished.
    """

    def __init__(self, row_format: RowFormat, most_bytes: int) -> None:
        self._format = row_format
        self._most_bytes = most_bytes
        self._open: dict[str, OpenRows] = {}

    @abstractmethod
    def open_rows(self, folder: str) -> OpenRows:
        """Open a stream for the rows of a folder."""

    @abstractmethod
    def finish_rows(self, rows: OpenRows) -> Finished:
        """Finish a stream."""

    def write(self, row: Any) -> Iterator[Finished]:
        """Add a row; yield what is finished by it."""
        folder = self._format.folder(row)
        opened = self._open.pop(folder, None)
        rows = self._open[folder] = opened or self.open_rows(folder)
        rows.write(row)
        if rows.exceeds(self._most_bytes):
            yield self.finish_rows(self._open.pop(folder))
        elif len(self._open) > _MOST_OPEN:
            yield self.finish_rows(self._open.pop(next(iter(self._open))))

    def close(self) -> Iterator[Finished]:
        yield from map(self.finish_rows, self._open.values())
        self._open.clear()
