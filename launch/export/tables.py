"""Write the enriched records of an output folder to one Parquet or CSV file."""

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from itertools import chain
from operator import itemgetter
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from launch.outputs.output_folder import UnreadableFile, find_files, read_blocks
from launch.terminal.exit_status import DONE, fail
from launch.terminal.figures import counted
from pipeline import storage
from schemas.avro import load_schema
from schemas.quantities import MEGABYTE, to_rfc3339, to_us

_FIELDS = load_schema("enriched_answer")["fields"]
_ABSENT = {field["name"]: field["default"] for field in _FIELDS if "default" in field}
# A spreadsheet runs a cell that begins so as a formula, also in full width and behind white space.
# Source: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA_SIGNS = tuple("=+-@\uff1d\uff0b\uff0d\uff20")
_BEFORE_FORMULAS = tuple("\t\r\n")
_ROW_GROUP_BYTES = 16 * MEGABYTE
_SIMPLE_TYPES = {
    "boolean": pa.bool_(),
    "double": pa.float64(),
    "long": pa.int64(),
    "string": pa.string(),
    "timestamp-micros": pa.timestamp("us", tz="UTC"),
}
_Row = Mapping[str, Any]
_Column = tuple[str, Callable[[_Row], object]]


def write_table(folder: str, kind: str, path: str) -> int:
    """Write a table of the kind ``csv`` or ``parquet``; return the exit status.

    The file appears when it is complete, and replaces an earlier one.
    """
    start, slash, name = path.rpartition("/")
    temporary = f"{start}{slash}.groundwatch-{name}"
    try:
        files = find_files(folder).enriched
        if not files:
            return fail(f"{folder} holds no enriched records: pass an output folder")
        try:
            rows = _write(files, kind, temporary)
            storage.publish(temporary, path)
        finally:
            storage.remove([temporary])
    except (OSError, UnreadableFile) as error:
        return fail(f"{path} was not written: {error}")
    sys.stdout.write(f"{path}: {counted(rows, 'record')}\n")
    return DONE


def _write(files: Sequence[str], kind: str, path: str) -> int:
    rows = 0
    with storage.create(path) as stream, closing(_TABLES[kind](stream)) as table:
        for block in chain.from_iterable(map(read_blocks, files)):
            # Fields that an older schema lacks have their defaults.
            table.write([_ABSENT | row for row in block])
            rows += len(block)
    return rows


class CsvTable:
    """Write rows as lines, with a byte order mark by which Excel detects UTF-8."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._text = io.TextIOWrapper(stream, "utf-8-sig", newline="")
        self._writer = csv.writer(self._text)
        self._columns = list(_columns())
        self._writer.writerow(name for name, _ in self._columns)

    def write(self, rows: Sequence[_Row]) -> None:
        """Add rows as fastavro reads them."""
        self._writer.writerows([_cell(read(row)) for _, read in self._columns] for row in rows)

    def close(self) -> None:
        """Write what is buffered; the stream stays open."""
        self._text.detach()


def _columns() -> Iterator[_Column]:
    """List the columns: simple fields, those of the check, and the number of each list's items."""
    yield from _simple_columns(_FIELDS)
    yield "event_date", lambda row: row["event_time"] and row["event_time"].date()
    yield "worst_claim", _worst_claim


def _simple_columns(fields: Sequence[Mapping[str, Any]], of: str = "") -> Iterator[_Column]:
    for field in fields:
        name, kind = field["name"], field["type"]
        kind = kind[1] if isinstance(kind, list) else kind
        read = _reader(of, name) if of else itemgetter(name)
        if isinstance(kind, str) or "logicalType" in kind or kind.get("items") == "string":
            yield (f"{of}_{name}" if of else name), read
        elif kind["type"] == "array":
            yield f"{name}_count", lambda row, read=read: len(read(row))  # type: ignore[misc]
        elif kind["type"] == "record":
            yield from _simple_columns(kind["fields"], name)


def _reader(record: str, name: str) -> Callable[[_Row], object]:
    return lambda row: row[record] and row[record][name]


def _worst_claim(row: _Row) -> str | None:
    claims = (
        claim
        for claim in row["claims"]
        if claim["score"] is not None and claim["grounding_check_required"] is not False
    )
    worst = min(claims, key=itemgetter("score"), default=None)
    return worst and worst["text"]


def _cell(value: object) -> object:
    if isinstance(value, list):
        value = " ".join(value)
    if isinstance(value, datetime):
        return to_rfc3339(to_us(value))
    return _guard_formula(value) if isinstance(value, str) else value


def _guard_formula(cell: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula."""
    is_formula = cell.startswith(_BEFORE_FORMULAS) or cell.lstrip().startswith(_FORMULA_SIGNS)
    return f"'{cell}" if is_formula else cell


class ParquetTable:
    """Write rows with the names and types of their Avro schema, one row group at most in memory."""

    def __init__(self, stream: IO[bytes]) -> None:
        columns = [pa.field(each["name"], _arrow_type(each["type"])) for each in _FIELDS]
        # The date is that of the folders.
        self._schema = pa.schema([*columns, pa.field("event_date", pa.date32())])
        self._writer = pq.ParquetWriter(stream, self._schema, compression="zstd")
        self._batches: list[pa.RecordBatch] = []
        self._size_bytes = 0

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        times = (row["event_time"] for row in rows)
        dates = ({"event_date": time and time.date()} for time in times)
        dated = [row | date for row, date in zip(rows, dates, strict=True)]
        batch = pa.RecordBatch.from_pylist(dated, self._schema)
        self._batches.append(batch)
        self._size_bytes += batch.nbytes
        if self._size_bytes >= _ROW_GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the last row group and the footer."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._batches:
            table = pa.Table.from_batches(self._batches)
            self._writer.write_table(table, row_group_size=table.num_rows)
            self._batches.clear()
            self._size_bytes = 0


def _arrow_type(kind: Any) -> pa.DataType:
    if isinstance(kind, list):
        return _arrow_type(kind[1])  # a union of null and a type; each column may be null
    if isinstance(kind, str):
        return _SIMPLE_TYPES[kind]
    if kind["type"] == "record":
        return pa.struct([(each["name"], _arrow_type(each["type"])) for each in kind["fields"]])
    if kind["type"] == "array":
        return pa.list_(_arrow_type(kind["items"]))
    if kind["type"] == "map":
        return pa.map_(pa.string(), _arrow_type(kind["values"]))
    return _arrow_type(kind.get("logicalType", kind["type"]))


_TABLES: Mapping[str, Callable[[IO[bytes]], CsvTable | ParquetTable]] = {
    "csv": CsvTable,
    "parquet": ParquetTable,
}
