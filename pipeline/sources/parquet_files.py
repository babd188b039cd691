"""Read Parquet files, some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from io import BufferedReader, RawIOBase
from typing import TYPE_CHECKING, Any

from pipeline import storage
from pipeline.sources.compression import DamagedArchive
from pipeline.sources.table_rows import row_message
from schemas.message import Message

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

PARQUET_MAGIC = b"PAR1"
_BATCH_ROWS = 256
_BUFFER_BYTES = 256 * 1024
# What Arrow raises for a file that it cannot read.
_FAULTS = (KeyError, MemoryError, NotImplementedError, OSError, TypeError, ValueError)


def read_parquet(stream: BufferedReader[RawIOBase], path: str, first: int = 0) -> Iterator[Message]:
    """Read the rows of a Parquet file behind its `first` ones, until DamagedArchive.

    A row counts once it is decoded. Row groups before the first row are not read.
    """
    number = 0
    try:
        file = _open(stream, path)
        schema = _in_microseconds(file.schema_arrow)
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if number + rows <= first:
                number += rows
                continue
            for row in _rows(file, group, schema):
                number += 1
                if number > first:
                    yield row_message(row, f"{path}#{number}")
        _require_rows(number, file.metadata.num_rows)
    except _FAULTS as error:
        # Arrow's own errors have no number; those of a disk or bucket do.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = f"it is no whole Parquet file, or damaged behind row {number}"
        raise DamagedArchive(f"{reason}: {type(error).__name__}", number) from None


def _require_rows(read: int, claimed: int) -> None:
    """Raise ValueError if row groups are lost, or have other rows than the file claims."""
    if read != claimed:
        raise ValueError(f"{read} of {claimed} rows")


def _open(stream: BufferedReader[RawIOBase], path: str) -> ParquetFile:
    # Arrow takes a fifth of a second to import.
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    # On disk the columns are read piece by piece; a bucket would send each piece's surroundings.
    buffer_bytes = _BUFFER_BYTES if storage.is_local(path) else 0
    return ParquetFile(
        stream, buffer_size=buffer_bytes, pre_buffer=False, page_checksum_verification=True
    )


def _rows(file: ParquetFile, group: int, schema: Any) -> Iterator[dict[str, Any]]:
    # A batch of several row groups would take whole ones along with a damaged one.
    for batch in file.iter_batches(_BATCH_ROWS, row_groups=[group], use_threads=False):
        same = batch if batch.schema.equals(schema) else batch.cast(schema, safe=False)
        yield from same.to_pylist(maps_as_pydicts="strict")


def _in_microseconds(schema: Any) -> Any:
    """Return a schema without nanoseconds, which Python's times cannot hold."""
    import pyarrow as pa  # noqa: PLC0415

    for place, field in enumerate(schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            schema = schema.set(place, field.with_type(pa.timestamp("us", field.type.tz)))
    return schema
