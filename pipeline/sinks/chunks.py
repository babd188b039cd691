"""Encode rows as chunks, which wait in a database until a final file is made of them."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

from groundwatch.pipeline.sinks.folder_writer import FolderWriter, OpenRows, WrittenRows
from groundwatch.pipeline.sinks.row_formats import RowFormat
from groundwatch.schemas.quantities import MEGABYTE

_CHUNK_BYTES = 8 * MEGABYTE


class Chunk(WrittenRows, frozen=True, kw_only=True):
    """Encoded rows, without a file's header; `policy` says how much text they hold."""

    policy: str
    content: bytes


class ChunkWriter(FolderWriter[Chunk]):
    """Encode rows in memory."""

    def __init__(self, row_format: RowFormat) -> None:
        super().__init__(row_format, _CHUNK_BYTES)

    def open_rows(self, folder: str) -> OpenRows:
        return OpenRows(BytesIO(), "memory", folder, self._format)

    def finish_rows(self, rows: OpenRows) -> Chunk:
        fields = rows.finish()
        rows.stream.seek(0)
        return Chunk(policy=self._format.policy, content=rows.stream.read(), **fields)


def encode_chunks(row_format: RowFormat, rows: Iterable[Any]) -> Iterator[Chunk]:
    """Encode rows of one kind."""
    writer = ChunkWriter(row_format)
    for row in rows:
        yield from writer.write(row)
    yield from writer.close()
