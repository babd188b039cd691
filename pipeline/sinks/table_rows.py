"""Convert enriched records to rows of BigQuery, and derive the columns from the Avro schema."""

from collections.abc import Mapping
from functools import cache
from io import BytesIO
from typing import Any

import fastavro
from apache_beam.utils.timestamp import Timestamp

from pipeline.sinks.row_formats import encode_within_limit
from schemas.avro import load_schema
from schemas.enriched_answer import EnrichedAnswer
from transforms.rules.redaction import TextMode
from transforms.runtime import clock

Column = dict[str, Any]

_TYPES = {
    "boolean": "BOOLEAN",
    "double": "FLOAT",
    "long": "INTEGER",
    "string": "STRING",
    "timestamp-micros": "TIMESTAMP",
}
_PUBLISHED = "publish_time"
_METADATA = {
    "subscription_name": "STRING",
    "message_id": "STRING",
    _PUBLISHED: "TIMESTAMP",
    "attributes": "STRING",
}
"""What a BigQuery subscription with `write_metadata` adds.

Source: https://cloud.google.com/pubsub/docs/bigquery, "Write metadata"; the Avro types: "Schema
compatibility" of the same page.
"""


@cache
def table_columns() -> list[Column]:
    """List the columns of the table in launch/bigquery, in the form of BigQuery's API."""
    metadata = [{"name": name, "type": kind} for name, kind in _METADATA.items()]
    return [*_columns(load_schema("enriched_answer")["fields"]), *metadata]


def table_row(record: EnrichedAnswer, text: TextMode) -> dict[str, Any]:
    """Convert a record to a row, which is shortened as a message of a topic is.

    The table is partitioned by the time of publication, which is now.
    """
    data = BytesIO(encode_within_limit(record, text))
    row: Any = fastavro.schemaless_reader(data, _parsed_schema(), None)
    return _row(row | {_PUBLISHED: clock.now_us()}, table_columns())


def _row(values: Mapping[str, Any], columns: list[Column]) -> dict[str, Any]:
    return {column["name"]: _cell(values.get(column["name"]), column) for column in columns}


def _cell(value: Any, column: Column) -> Any:
    if value is None:
        return None
    if column["type"] == "TIMESTAMP":
        return Timestamp(micros=value)
    if column["type"] != "RECORD":
        return value
    if column["mode"] != "REPEATED":
        return _row(value, column["fields"])
    if isinstance(value, Mapping):
        value = [{"key": key, "value": each} for key, each in value.items()]
    return [_row(each, column["fields"]) for each in value]


@cache
def _parsed_schema() -> Any:
    return fastavro.parse_schema(_without_logical_types(load_schema("enriched_answer")))


def _without_logical_types(schema: Any) -> Any:
    """Leave times as microseconds: Beam's timestamps are made of them."""
    if isinstance(schema, list):
        return [_without_logical_types(each) for each in schema]
    if isinstance(schema, dict):
        return {k: _without_logical_types(v) for k, v in schema.items() if k != "logicalType"}
    return schema


def _columns(fields: list[Any]) -> list[Column]:
    return [{"name": each["name"], **_kind_of(each["type"])} for each in fields]


def _kind_of(kind: Any) -> Column:
    if isinstance(kind, list):
        return _kind_of(kind[1]) | {"mode": "NULLABLE"}
    if isinstance(kind, str):
        return {"type": _TYPES[kind], "mode": "REQUIRED"}
    if kind["type"] == "record":
        return {"type": "RECORD", "mode": "REQUIRED", "fields": _columns(kind["fields"])}
    if kind["type"] == "array":
        return _kind_of(kind["items"]) | {"mode": "REPEATED"}
    if kind["type"] == "map":
        entry = [{"name": "key", **_kind_of("string")}, {"name": "value", **_kind_of("string")}]
        return {"type": "RECORD", "mode": "REPEATED", "fields": entry}
    return _kind_of(kind["type"]) | {"type": _TYPES[kind["logicalType"]]}
