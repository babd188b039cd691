"""Read and write the rows of Avro again, as a change of them or another schema requires."""

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, TypeAlias

import fastavro
from fastavro.write import Writer

Schema: TypeAlias = Any  # as fastavro parses it
Row: TypeAlias = dict[str, Any]

_MARKER_BYTES = 16


def open_writer(stream: BytesIO, schema: Schema, sync_marker: bytes) -> Writer:
    """Write the header of a file whose rows are dictionaries; return what writes them."""
    writer = Writer(stream, schema, codec="deflate", sync_marker=sync_marker)
    writer.flush()
    return writer


def rewrite_blocks(
    content: bytes, before: Schema, after: Schema, change: Callable[[Row], Row] = lambda row: row
) -> bytes:
    """Write the rows of a file's blocks again, changed and in another schema.

    The blocks are those of a file without its header; each ends with the file's sync marker.
    """
    written = BytesIO()
    writer = open_writer(written, after, content[-_MARKER_BYTES:])
    header_bytes = written.tell()
    for row in rows_of_blocks(content, before, after):
        writer.write(change(row))
    writer.flush()
    return written.getvalue()[header_bytes:]


def rows_of_blocks(content: bytes, before: Schema, after: Schema) -> Iterator[Row]:
    """Read the rows of a file's blocks, without its header, as another schema has them."""
    file = BytesIO()
    open_writer(file, before, content[-_MARKER_BYTES:])
    file.write(content)
    file.seek(0)
    rows: Any = fastavro.reader(file, after)
    yield from rows


def rewrite_row(
    data: bytes, before: Schema, after: Schema, change: Callable[[Row], Row] = lambda row: row
) -> bytes:
    """Write a row that stands alone again, as `rewrite_blocks` does."""
    row: Any = fastavro.schemaless_reader(BytesIO(data), before, after)
    written = BytesIO()
    fastavro.schemaless_writer(written, after, change(row))
    return written.getvalue()
