"""Write part files, which a runner publishes later."""

import uuid
from collections.abc import Iterator
from typing import Any

from pipeline import storage
from pipeline.sinks.chunks import widened
from pipeline.sinks.row_formats import RowFormat
from schemas import Record

_ROWS_BETWEEN_CHECKS = 64
# More than the dates of a year; twice as many are fewer than a process may open by default.
_MOST_OPEN = 400


class Part(Record, frozen=True, kw_only=True, rename={"size_bytes": "bytes"}):
    """A finished file of one kind of rows that is not published yet.

    Its `folder` is relative to the output's root.
    """

    path: str
    kind: str
    folder: str
    rows: int
    size_bytes: int
    first_event_us: int | None
    last_event_us: int | None


class OpenPart:
    """Write rows to a temporary file; all methods raise OSError if it cannot be written."""

    def __init__(self, path: str, folder: str, row_format: RowFormat) -> None:
        self._path = path
        self._format = row_format
        self._folder = folder
        self._problem = f"cannot write {path}"
        with storage.describing_errors(self._problem):
            self._stream = storage.create(path)
            self._stream.write(row_format.header)
            self._writer = row_format.open_rows(self._stream)
        self._rows = 0
        self._range_us: tuple[int, int] | None = None

    def exceeds(self, most_bytes: int) -> bool:
        """Return whether the file is longer than a size; the answer may lag by some rows."""
        # A system call for every row would be too slow.
        is_due = self._rows % _ROWS_BETWEEN_CHECKS == 0
        return is_due and self._stream.tell() > most_bytes

    def write(self, row: Any) -> None:
        """Add a row."""
        try:
            self._writer.write(self._format.encode(row))
        except OSError:
            # Not around the writing of each row, which it would slow down.
            with storage.describing_errors(self._problem):
                raise
        self._rows += 1
        self._range_us = widened(self._range_us, self._format.event_time_us(row))

    def close(self) -> Part:
        """Finish the file."""
        with storage.describing_errors(self._problem):
            self._writer.flush()
            size = self._stream.tell()
            self._stream.close()
        first_us, last_us = self._range_us or (None, None)
        return Part(
            path=self._path,
            kind=self._format.kind,
            folder=self._folder,
            rows=self._rows,
            size_bytes=size,
            first_event_us=first_us,
            last_event_us=last_us,
        )


class PartWriter:
    """Write rows to uniquely named files, one at a time for each folder.

    Of too many open files the one that was unused for longest is closed.
    """

    def __init__(self, temporary_folder: str, row_format: RowFormat, file_bytes: int) -> None:
        self._temporary_folder = temporary_folder
        self._format = row_format
        self._file_bytes = file_bytes
        self._open: dict[str, OpenPart] = {}

    def write(self, row: Any) -> Iterator[Part]:
        """Add a row; yield a file that is finished by it."""
        folder = self._format.folder(row)
        part = self._open.pop(folder, None)
        if part is None:
            name = f"{self._format.kind}-{uuid.uuid4().hex}.{self._format.extension}"
            path = storage.join(self._temporary_folder, name)
            part = OpenPart(path, folder, self._format)
        self._open[folder] = part
        part.write(row)
        if part.exceeds(self._file_bytes):
            yield self._open.pop(folder).close()
        elif len(self._open) > _MOST_OPEN:
            yield self._open.pop(next(iter(self._open))).close()

    def close(self) -> Iterator[Part]:
        """Finish the files that are open."""
        for part in self._open.values():
            yield part.close()
