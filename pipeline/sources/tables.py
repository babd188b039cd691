"""Read tables, CSV and Parquet, and make messages of rows: each is a JSON object of its columns."""

import base64
import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from io import BufferedReader, RawIOBase
from itertools import chain
from typing import Any

import msgspec

from pipeline import storage
from pipeline.sources.compression import DamagedArchive, FileChunk
from schemas.message import Message
from schemas.wire.json_input import MAX_PAYLOAD_BYTES

PARQUET_MAGIC = b"PAR1"
_BATCH_ROWS = 256
_BUFFER_BYTES = 256 * 1024
# What Arrow raises for a file that it cannot read.
_FAULTS = (KeyError, MemoryError, NotImplementedError, OSError, TypeError, ValueError)
_NAMES = (".csv", ".tsv")
_SEPARATORS = ",\t;"
_BYTE_ORDER_MARK = "\ufeff"


def row_message(row: Mapping[str, object], place: str) -> Message:
    """Write a row as JSON; times are RFC 3339, and bytes that are not UTF-8 are base64."""
    fields = _plain(row)
    try:
        payload = msgspec.json.encode(fields, enc_hook=str)
    except UnicodeEncodeError:
        # A byte that is not UTF-8 stays, so that the message fails with it.
        text = json.dumps(fields, ensure_ascii=False, default=str)
        payload = text.encode(errors="surrogateescape")
    return Message(payload=payload, place=place)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(field) for name, field in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return _text(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


def is_csv_name(path: str) -> bool:
    """Return whether a file is such a table, by its name; it may be compressed."""
    name = path.lower()
    return name.removesuffix(".gz").removesuffix(".zst").endswith(_NAMES)


def read_csv(chunks: Iterable[FileChunk], path: str, max_line_bytes: int) -> Iterator[Message]:
    """Read the rows of a table, until DamagedArchive.

    All cells are texts, and an empty one is absent. A row of another length than the first becomes
    a list, which no format reads, so that nothing is lost.
    """
    # The limit is one of the process, and no row of a message is larger.
    csv.field_size_limit(MAX_PAYLOAD_BYTES)
    lines = _Lines(chunks, max_line_bytes)
    try:
        header = next(iter(lines), "").removeprefix(_BYTE_ORDER_MARK)
        # Between the names of the columns, the separator is the most frequent one.
        separator = max(_SEPARATORS, key=header.count)
        rows = csv.reader(chain((header,), lines), delimiter=separator, strict=True)
        names = next(rows, [])
        _require_distinct(names)
        for row in filter(None, rows):
            lines.rows += 1
            place = f"{path}#{lines.rows}"
            if len(row) == len(names):
                cells = zip(names, row, strict=True)
                yield row_message({name: cell for name, cell in cells if cell}, place)
            else:
                text = json.dumps(row, ensure_ascii=False)
                yield Message(payload=text.encode(errors="surrogateescape"), place=place)
    except csv.Error as error:
        reason = f"it is no table of CSV behind row {lines.rows}: {error}"
        raise DamagedArchive(reason, lines.verified) from None
    except DamagedArchive as error:
        error.verified = lines.verified
        raise


class _Lines:
    """Split a file into lines; `verified` of the rows read so far are covered by a checksum."""

    def __init__(self, chunks: Iterable[FileChunk], max_line_bytes: int) -> None:
        self._lines = self._split(chunks)
        self._max_line_bytes = max_line_bytes
        self.rows = 0
        self.verified = 0

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def _split(self, chunks: Iterable[FileChunk]) -> Iterator[str]:
        rest = b""
        for chunk in chunks:
            *whole, rest = (rest + chunk.data).split(b"\n")
            for line in whole:
                yield line.decode(errors="surrogateescape") + "\n"
            if chunk.is_verified:
                self.verified = self.rows
            if len(rest) > self._max_line_bytes:
                raise DamagedArchive(f"a line has more than {self._max_line_bytes} bytes")
        if rest:
            yield rest.decode(errors="surrogateescape")


def _require_distinct(names: list[str]) -> None:
    if twice := [name for name in names if names.count(name) > 1]:
        raise DamagedArchive(f"two of its columns have the name {twice[0][:40]!r}")


def read_parquet(
    stream: "BufferedReader[RawIOBase]", path: str, first: int = 0
) -> Iterator[Message]:
    """Read the rows of a Parquet file behind its `first` ones, until DamagedArchive.

    A row counts once it is decoded. Row groups before the first row are not read.
    """
    number = 0
    try:
        file = _open_parquet(stream, path)
        schema = _in_microseconds(file.schema_arrow)
        for group in range(file.num_row_groups):
            rows = file.metadata.row_group(group).num_rows
            if number + rows <= first:
                number += rows
                continue
            for row in _parquet_rows(file, group, schema):
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


def _open_parquet(stream: "BufferedReader[RawIOBase]", path: str) -> Any:
    # Arrow takes a fifth of a second to import.
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    # On disk the columns are read piece by piece; a bucket would send each piece's surroundings.
    buffer_bytes = _BUFFER_BYTES if storage.is_local(path) else 0
    return ParquetFile(
        stream, buffer_size=buffer_bytes, pre_buffer=False, page_checksum_verification=True
    )


def _parquet_rows(file: Any, group: int, schema: Any) -> Iterator[dict[str, Any]]:
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
