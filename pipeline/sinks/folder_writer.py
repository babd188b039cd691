"""Write rows of one kind, each folder's to a stream of its own: a part file, or one in memory."""

import uuid
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import IO, Any, Generic, TypeVar

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Destination
from groundwatch.schemas import Record
from groundwatch.schemas.quantities import MEGABYTE
from .row_formats import RowFormat

_CHUNK_BYTES = 8 * MEGABYTE
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


class Chunk(WrittenRows, frozen=True, kw_only=True):
    """Encoded rows, without a file's header; `policy` says how much text they hold."""

    policy: str
    content: bytes


class Part(WrittenRows, frozen=True, kw_only=True):
    """A finished file that is not published yet."""

    path: str
    size_bytes: int


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


class FolderWriter(Generic[Finished]):
    """Write rows to one stream at a time for each folder, up to a size.

    Of too many open streams the one that was unused for longest is finished.

    Args:
      row_format: encodes the rows.
      most_bytes: a stream that is longer is finished.
      open_rows: opens a stream for the rows of a folder.
      finish_rows: finishes a stream, and describes what it holds.
    """

    def __init__(
        self,
        row_format: RowFormat,
        most_bytes: int,
        open_rows: Callable[[str], OpenRows],
        finish_rows: Callable[[OpenRows], Finished],
    ) -> None:
        self._format, self._most_bytes = row_format, most_bytes
        self._open_rows, self._finish_rows = open_rows, finish_rows
        self._open: dict[str, OpenRows] = {}

    def write(self, row: Any) -> Iterator[Finished]:
        """Add a row; yield what is finished by it."""
        folder = self._format.folder(row)
        opened = self._open.pop(folder, None)
        rows = self._open[folder] = opened or self._open_rows(folder)
        rows.write(row)
        if rows.exceeds(self._most_bytes):
            yield self._finish_rows(self._open.pop(folder))
        elif len(self._open) > _MOST_OPEN:
            yield self._finish_rows(self._open.pop(next(iter(self._open))))

    def close(self) -> Iterator[Finished]:
        yield from map(self._finish_rows, self._open.values())
        self._open.clear()


def chunk_writer(row_format: RowFormat) -> FolderWriter[Chunk]:
    """Return a writer of chunks, which wait in a database until a final file is made of them."""

    def open_rows(folder: str) -> OpenRows:
        return OpenRows(BytesIO(), "memory", folder, row_format)

    def finish_rows(rows: OpenRows) -> Chunk:
        fields = rows.finish()
        rows.stream.seek(0)
        return Chunk(policy=row_format.policy, content=rows.stream.read(), **fields)

    return FolderWriter(row_format, _CHUNK_BYTES, open_rows, finish_rows)


def encode_chunks(row_format: RowFormat, rows: Iterable[Any]) -> Iterator[Chunk]:
    """Encode rows of one kind."""
    writer = chunk_writer(row_format)
    for row in rows:
        yield from writer.write(row)
    yield from writer.close()


def part_writer(destination: Destination, row_format: RowFormat) -> FolderWriter[Part]:
    """Return a writer of uniquely named files, which a runner publishes later.

    Its methods raise OSError if that fails.
    """

    def open_rows(folder: str) -> OpenRows:
        name = f"{row_format.kind}-{uuid.uuid4().hex}.{row_format.extension}"
        path = destination.temporary_path(name)
        with storage.describing_errors(f"cannot write {path}"):
            stream = storage.create(path)
            stream.write(row_format.header)
        return OpenRows(stream, path, folder, row_format)

    def finish_rows(rows: OpenRows) -> Part:
        with storage.describing_errors(f"cannot write {rows.place}"):
            fields = rows.finish()
            size = rows.stream.tell()
            rows.stream.close()
        return Part(path=rows.place, size_bytes=size, **fields)

    return FolderWriter(row_format, destination.file_bytes, open_rows, finish_rows)
