"""Write enriched records to a Parquet file, with the names and types of their Avro schema."""

from collections.abc import Sequence
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.quantities import MEGABYTE

_ROW_GROUP_BYTES = 16 * MEGABYTE
_SIMPLE_TYPES = {
    "boolean": pa.bool_(),
    "double": pa.float64(),
    "long": pa.int64(),
    "string": pa.string(),
    "timestamp-micros": pa.timestamp("us", tz="UTC"),
}


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


class ParquetTable:
    """Write rows in row groups, of which one at most is in memory."""

    def __init__(self, stream: IO[bytes]) -> None:
        fields = load_schema("enriched_answer")["fields"]
        columns = [pa.field(each["name"], _arrow_type(each["type"])) for each in fields]
        # The date is that of the folders.
        self._schema = pa.schema([*columns, pa.field("event_date", pa.date32())])
        self._writer = pq.ParquetWriter(stream, self._schema, compression="zstd")
        self._batches: list[pa.RecordBatch] = []
        self._size_bytes = 0

    def write(self, rows: Sequence[dict[str, Any]]) -> None:
        batch = pa.RecordBatch.from_pylist(rows, self._schema)
        self._batches.append(batch)
        self._size_bytes += batch.nbytes
        if self._size_bytes >= _ROW_GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._batches:
            table = pa.Table.from_batches(self._batches)
            self._writer.write_table(table, row_group_size=table.num_rows)
            self._batches.clear()
            self._size_bytes = 0
