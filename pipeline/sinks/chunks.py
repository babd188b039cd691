"""Encode rows as chunks, which wait in a database until a final file is made of them."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from pipeline.sinks.row_formats import RowFormat
from schemas import Record
from schemas.quantities import MEGABYTE

_CHUNK_BYTES = 8 * MEGABYTE
_ROWS_BETWEEN_CHECKS = 64


class Chunk(Record, frozen=True, kw_only=True):
    """Encoded rows of one kind for one folder of the output, without a file's header.

    `policy` says how much text they hold: see `RowFormat.policy`.
    """

    kind: str
    folder: str
    policy: str
    rows: int
    content: bytes
    first_event_us: int | None
    last_event_us: int | None


class ChunkWriter:
    """Encode rows of one kind, by folder."""

    def __init__(self, row_format: RowFormat) -> None:
        self._format = row_format
        self._open: dict[str, _OpenChunk] = {}

    def write(self, row: Any) -> Iterator[Chunk]:
        """Add a row; yield a chunk that is full."""
        folder = self._format.folder(row)
        chunk = self._open.get(folder)
        if chunk is None:
            chunk = self._open[folder] = _OpenChunk(folder, self._format)
        chunk.write(row)
        if chunk.is_full():
            yield self._open.pop(folder).close()

    def close(self) -> Iterator[Chunk]:
        """Finish the chunks that are open."""
        for chunk in self._open.values():
            yield chunk.close()
        self._open.clear()


def encode_chunks(row_format: RowFormat, rows: Iterable[Any]) -> Iterator[Chunk]:
    """Encode rows of one kind."""
    writer = ChunkWriter(row_format)
    for row in rows:
        yield from writer.write(row)
    yield from writer.close()


class _OpenChunk:
    def __init__(self, folder: str, row_format: RowFormat) -> None:
        self._folder = folder
        self._format = row_format
        self._stream = BytesIO()
        self._writer = row_format.open_rows(self._stream)
        self._rows = 0
        self._range_us: tuple[int, int] | None = None

    def write(self, row: Any) -> None:
        self._writer.write(self._format.encode(row))
        self._rows += 1
        self._range_us = widened(self._range_us, self._format.event_time_us(row))

    def is_full(self) -> bool:
        is_due = self._rows % _ROWS_BETWEEN_CHECKS == 0
        return is_due and self._stream.tell() > _CHUNK_BYTES

    def close(self) -> Chunk:
        self._writer.flush()
        first_us, last_us = self._range_us or (None, None)
        return Chunk(
            kind=self._format.kind,
            folder=self._folder,
            policy=self._format.policy,
            rows=self._rows,
            content=self._stream.getvalue(),
            first_event_us=first_us,
            last_event_us=last_us,
        )


def widened(range_us: tuple[int, int] | None, time_us: int | None) -> tuple[int, int] | None:
    """Widen a range of event times to include another; None is no time."""
    if time_us is None:
        return range_us
    first_us, last_us = range_us or (time_us, time_us)
    return min(time_us, first_us), max(time_us, last_us)
