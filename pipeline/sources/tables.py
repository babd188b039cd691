"""Read tables, CSV and Parquet, and make messages of rows: each is a JSON object of its columns."""

import base64
import csv
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from io import BufferedReader, RawIOBase
from typing import IO, Any

import msgspec

from groundwatch.pipeline import storage
from groundwatch.schemas.message import Message
from groundwatch.schemas.wire.json_input import MAX_PAYLOAD_BYTES
from .compression import MAX_DECODED_BYTES, DamagedArchive, FileChunk, refuse_expansion

PARQUET_MAGIC = b"PAR1"
_BATCH_ROWS = 256
# What a row and a value of a list take at least, in a message and in Python.
_ROW_BYTES = 64
_ITEM_BYTES = 8
# A dictionary of this size fits that often into the memory.
_SMALL_BYTES = MAX_DECODED_BYTES // _BATCH_ROWS
_PAGE_HEADER_BYTES = 16
_MORE = 0x80
# Each field of the header is a byte with its type, then a number: type, then decoded size.
# Source: apache/parquet-format, parquet.thrift, "PageHeader".
_SIZE_FIELD = 3
_BUFFER_BYTES = 256 * 1024
# What Arrow raises for a file that it cannot read.
_FAULTS = (
    *(IndexError, KeyError, MemoryError, NotImplementedError, OSError, OverflowError),
    *(TypeError, ValueError),
)
_NAMES = (".csv", ".tsv")
_CONTROLS = frozenset(range(32)) - set(b"\t\n\f\r\x1b")
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
        # A text in another encoding fails with its bytes; what was no text is base64.
        if _CONTROLS.intersection(value):
            return base64.b64encode(value).decode()
        return value.decode(errors="surrogateescape")


def is_csv_name(path: str) -> bool:
    """Return whether a file is such a table, by its name; it may be compressed."""
    return path.lower().removesuffix(".gz").removesuffix(".zst").endswith(_NAMES)


def read_csv(chunks: Iterable[FileChunk], path: str, max_line_bytes: int) -> Iterator[Message]:
    """Read the rows of a table, until DamagedArchive.

    All cells are texts, and an empty one is null. A row of another length than the first becomes
    a list, which no format reads, so that nothing is lost. So does the first line of a row that is
    no CSV; the next line begins a row again.
    """
    # The limit is one of the process, and no row of a message is larger.
    csv.field_size_limit(MAX_PAYLOAD_BYTES)
    lines = _Lines(chunks, max_line_bytes)
    try:
        # Between the names of the columns, the separator is the most frequent one.
        header = next(lines, "").removeprefix(_BYTE_ORDER_MARK)
        separator = max(_SEPARATORS, key=header.count)
        names = next(csv.reader((header,), delimiter=separator), [])
        _require_distinct(names)
        for row in lines.rows(separator, len(names)):
            lines.rows_read += 1
            place = f"{path}#{lines.rows_read}"
            if len(row) == len(names):
                cells = zip(names, row, strict=True)
                yield row_message({name: cell or None for name, cell in cells}, place)
            else:
                text = json.dumps(row, ensure_ascii=False)
                yield Message(payload=text.encode(errors="surrogateescape"), place=place)
    except DamagedArchive as error:
        error.verified = lines.verified
        raise


class _LongRow(Exception):
    """A quote opened a row that does not end."""


class _Lines:
    """Split a file into lines and rows; `verified` of those read so far have a right checksum."""

    def __init__(self, chunks: Iterable[FileChunk], max_line_bytes: int) -> None:
        self._lines = self._split(chunks)
        self._max_line_bytes = max_line_bytes
        self._row: list[str] = []
        self._row_size = 0
        self._again: list[str] = []
        self.rows_read = 0
        self.verified = 0

    def rows(self, separator: str, columns: int) -> Iterator[list[str]]:
        """Read the rows behind the current line."""
        while True:
            # A reader that has failed is not used again.
            reader = csv.reader(self, delimiter=separator, strict=True)
            try:
                self._begin_row()
                for row in reader:
                    if row:
                        yield row
                    self._begin_row()
            except (csv.Error, _LongRow):
                first, *others = self._row
                self._again += reversed(others)
                # Of another length than the header.
                yield [first.rstrip("\r\n")] + [""] * (columns == 1)
            else:
                return

    def _begin_row(self) -> None:
        self._row, self._row_size = [], 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else next(self._lines)
        self._row.append(line)
        self._row_size += len(line)
        if self._row_size > MAX_PAYLOAD_BYTES and len(self._row) > 1:
            raise _LongRow
        return line

    def _split(self, chunks: Iterable[FileChunk]) -> Iterator[str]:
        rest = bytearray()
        for chunk in chunks:
            *whole, last = chunk.data.split(b"\n")
            for line in whole:
                rest += line
                yield rest.decode(errors="surrogateescape") + "\n"
                rest = bytearray()
            # Of a longer line the beginning is enough, which no message holds.
            rest += last[: self._max_line_bytes - len(rest)]
            if chunk.is_verified:
                self.verified = self.rows_read
        if rest:
            yield rest.decode(errors="surrogateescape")


def _require_distinct(names: list[str]) -> None:
    if twice := [name for name in names if names.count(name) > 1]:
        raise DamagedArchive(f"two of its columns have the same name. It is {twice[0][:40]!r}")


def read_parquet(
    stream: "BufferedReader[RawIOBase]", path: str, first: int = 0
) -> Iterator[Message]:
    """Read the rows of a Parquet file behind its `first` ones, until DamagedArchive.

    A row counts once it is decoded. Row groups before the first row are not read.
    """
    number = decoded_bytes = 0
    try:
        file = _open_parquet(stream, path)
        stored_bytes = stream.seek(0, os.SEEK_END)
        _require_distinct(file.schema_arrow.names)
        schema = _with_types(file.schema_arrow, _in_microseconds)
        for group in range(file.num_row_groups):
            stored = file.metadata.row_group(group)
            refuse_expansion(stored_bytes, stored.total_byte_size)
            if number + stored.num_rows <= first:
                number += stored.num_rows
                continue
            for found in _read_row_group(file, group, stream):
                batch = found if found.schema.equals(schema) else found.cast(schema, safe=False)
                decoded_bytes += _decoded_bytes(batch.to_struct_array())
                refuse_expansion(stored_bytes, decoded_bytes)
                for row in _rows(batch):
                    number += 1
                    if number > first:
                        yield row_message(row, f"{path}#{number}")
        if number != file.metadata.num_rows:
            # Row groups are lost, or have other rows than the file claims.
            raise ValueError(f"{number} of {file.metadata.num_rows} rows")
    except DamagedArchive as error:
        error.verified = number
        raise
    except _FAULTS as error:
        # Arrow's own errors have no number; those of a disk or bucket do.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = f"it is no whole Parquet file, or damaged behind row {number}"
        raise DamagedArchive(f"{reason}: {type(error).__name__}", number) from None


def _read_row_group(file: Any, group: int, stream: "BufferedReader[RawIOBase]") -> Iterator[Any]:
    """Decode a row group in batches: one of several would take whole ones with a damaged one."""
    stored = file.metadata.row_group(group)
    rows = _BATCH_ROWS
    if stored.total_byte_size > _SMALL_BYTES:
        # Damaged metadata of columns would end the process; a read raises their error.
        next(file.iter_batches(1, row_groups=[group], use_threads=False))
        rows = _batch_rows(stream, map(stored.column, range(stored.num_columns)))
    yield from file.iter_batches(rows, row_groups=[group], use_threads=False)


def _open_parquet(stream: "BufferedReader[RawIOBase]", path: str) -> Any:
    # Arrow takes a fifth of a second to import.
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    # On disk the columns are read piece by piece; a bucket would send each piece's surroundings.
    buffer_bytes = _BUFFER_BYTES if storage.is_local(path) else 0
    return ParquetFile(
        stream, buffer_size=buffer_bytes, pre_buffer=False, page_checksum_verification=True
    )


def _batch_rows(stream: IO[bytes], columns: Iterable[Any]) -> int:
    """Return how many rows to decode at once, if each has the whole dictionary of a column."""
    sizes = [0]
    for column in columns:
        if column.has_dictionary_page:
            stream.seek(column.dictionary_page_offset)
            sizes.append(_page_bytes(stream.read(_PAGE_HEADER_BYTES)))
    return max(1, min(_BATCH_ROWS, MAX_DECODED_BYTES // max(1, *sizes)))


def _page_bytes(header: bytes) -> int:
    """Read the second number of a page's header in Thrift's compact form: its decoded size."""
    number = shift = place = 0
    for byte in header:
        is_last = byte < _MORE
        if place == _SIZE_FIELD:
            number |= (byte & (_MORE - 1)) << shift
            shift += 7
            if is_last:
                break
        place += is_last
    return number >> 1


def _rows(batch: Any) -> list[dict[str, Any]]:
    """Make the rows of a batch; a time that Python cannot hold is a number."""
    try:
        rows: list[dict[str, Any]] = batch.to_pylist(maps_as_pydicts="strict")
    except OverflowError:
        if batch.num_rows > 1:
            return [row for place in range(batch.num_rows) for row in _rows(batch.slice(place, 1))]
        numbers = batch.cast(_with_types(batch.schema, _number_type))
        rows = numbers.to_pylist(maps_as_pydicts="strict")
    return rows


def _decoded_bytes(array: Any) -> int:
    """Return about how many bytes the values of an array take, those of a shared text each."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    kind = array.type
    if pa.types.is_dictionary(kind):
        sizes = pc.binary_length(array.dictionary)
        return int(pc.sum(sizes.take(array.indices)).as_py() or 0)
    if pa.types.is_struct(kind):
        return _ROW_BYTES * len(array) + sum(map(_decoded_bytes, array.flatten()))
    if pa.types.is_map(kind):
        return _decoded_bytes(array.keys) + _decoded_bytes(array.items)
    if pa.types.is_nested(kind):
        values = array.flatten()
        return _ITEM_BYTES * len(values) + _decoded_bytes(values)
    return int(array.nbytes)


def _with_types(schema: Any, change: Callable[[Any], Any]) -> Any:
    """Return a schema whose types are changed, those in lists, structs and maps as well."""
    import pyarrow as pa  # noqa: PLC0415

    def changed(kind: Any) -> Any:
        if pa.types.is_struct(kind):
            return pa.struct([_field(kind.field(place)) for place in range(kind.num_fields)])
        if pa.types.is_map(kind):
            return pa.map_(changed(kind.key_type), changed(kind.item_type))
        if pa.types.is_list(kind):
            return pa.list_(_field(kind.value_field))
        if pa.types.is_fixed_size_list(kind):
            return pa.list_(_field(kind.value_field), kind.list_size)
        if pa.types.is_large_list(kind):
            return pa.large_list(_field(kind.value_field))
        return change(kind)

    def _field(field: Any) -> Any:
        return field.with_type(changed(field.type))

    return pa.schema([_field(field) for field in schema])


def _in_microseconds(kind: Any) -> Any:
    """Return a type of times in microseconds if it is in nanoseconds; Python's times have none."""
    import pyarrow as pa  # noqa: PLC0415

    if getattr(kind, "unit", "") != "ns":
        return kind
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", kind.tz)
    return pa.time64("us") if pa.types.is_time64(kind) else pa.duration("us")


def _number_type(kind: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    return pa.from_numpy_dtype(f"int{kind.bit_width}") if pa.types.is_temporal(kind) else kind
