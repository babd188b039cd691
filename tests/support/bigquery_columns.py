"""The columns of the BigQuery table, as a file for Terraform.

`python -m tests.support.bigquery_columns` writes launch/deploy/bigquery/records.json.
"""

import json
from typing import Any

from groundwatch.schemas.avro import load_schema
from tests.support.repository import ROOT

PATH = ROOT / "launch" / "deploy" / "bigquery" / "records.json"
Column = dict[str, Any]
_TYPES = {
    "boolean": "BOOLEAN",
    "double": "FLOAT",
    "long": "INTEGER",
    "string": "STRING",
    "timestamp-micros": "TIMESTAMP",
}
_METADATA = {
    "subscription_name": "STRING",
    "message_id": "STRING",
    "publish_time": "TIMESTAMP",
    "attributes": "STRING",
}
"""What a BigQuery subscription with `write_metadata` adds.

Source: https://cloud.google.com/pubsub/docs/bigquery, "Write metadata"; the Avro types: "Schema
compatibility" of the same page.
"""


def table_columns() -> list[Column]:
    """List the columns of the table in launch/deploy/bigquery, in the form of BigQuery's API."""
    metadata = [{"name": name, "type": kind} for name, kind in _METADATA.items()]
    return [*_columns(load_schema("enriched_answer")["fields"]), *metadata]


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


def written() -> str:
    """The content of the file."""
    return json.dumps(table_columns(), indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(written(), encoding="utf-8")
