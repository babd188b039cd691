"""BigQuery can load every schema, checked by BigQuery's documented rules.

The rules: https://docs.cloud.google.com/bigquery/docs/loading-data-cloud-storage-avro; the
rules and the other pages stand in `tests/support/bigquery.py`.
"""

import io
from typing import Any

import fastavro
import pytest

from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.wire.json_input import MAX_PAYLOAD_BYTES
from groundwatch.transforms.formats.fact_collection import MAX_FACTS_CHARACTERS
from tests.support.avro_rows import enriched_to_avro
from tests.support.avro_schemas import Schema
from tests.support.bigquery import MAX_ROW_BYTES, refusals
from tests.support.builders import a_claim, a_fact, an_enriched
from tests.support.released_schemas import ROWS


@pytest.mark.parametrize("kind", ROWS)
def test_bigquery_loads_each_schema_unchanged(kind: str) -> None:
    assert refusals(load_schema(kind)) == []


def test_the_largest_record_fits_into_a_row() -> None:
    longest = "x" * MAX_PAYLOAD_BYTES
    facts = (a_fact("x" * MAX_FACTS_CHARACTERS),)
    record = an_enriched(answer_text=longest, claims=(a_claim(longest),), facts=facts)
    row = io.BytesIO()
    fastavro.schemaless_writer(row, load_schema("enriched_answer"), enriched_to_avro(record))
    assert row.tell() <= MAX_ROW_BYTES


def thing(*fields: Schema, **attributes: Any) -> Schema:
    return {"type": "record", "name": "Thing", "fields": [*fields]} | attributes


def field(kind: Schema = "string", /, **attributes: Any) -> Schema:
    return {"name": "a", "type": kind} | attributes


def array_of(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def map_of(values: Schema) -> Schema:
    return {"type": "map", "values": values}


def logical(logical_type: str, kind: str = "long") -> Schema:
    return {"type": kind, "logicalType": logical_type}


def nested(levels: int) -> Schema:
    """A column with this many levels of records."""
    kind: Schema = "string"
    for level in range(levels):
        kind = thing(field(kind), name=f"Level{level}")
    return field(kind)


REJECTED = {
    "three branches": (thing(field(["null", "string", "long"], default=None)), "is a union"),
    "null last": (thing(field(["string", "null"], default="")), "is a union"),
    "null alone": (thing(field("null")), "holds null"),
    "null first, but another default": (
        thing(field(["null", "string"], default="")),
        "is not by default",
    ),
    "null first, but no default": (thing(field(["null", "string"])), "is not by default"),
    "an array that may be null": (
        thing(field(["null", array_of("string")], default=None)),
        "holds array",
    ),
    "an array in an array": (thing(field(array_of(array_of("string")))), "holds array"),
    "an array in a map": (thing(field(map_of(array_of("string")))), "holds array"),
    "nulls in an array": (thing(field(array_of(["null", "string"]))), "holds union"),
    "a letter of another alphabet": (thing(field(name="größe")), "not a column name"),
    "a digit first": (thing(field(name="2nd")), "not a column name"),
    "a name of 301 characters": (thing(field(name="a" * 301)), "not a column name"),
    "a partition's prefix": (thing(field(name="_PARTITIONTIME")), "BigQuery's own"),
    "a prefix in lower case": (thing(field(name="_table_x")), "BigQuery's own"),
    "the partition key": (thing(field(name="event_date")), "partition key"),
    "the same name in capitals": (thing(field(name="id"), field(name="ID")), "two fields"),
    "a record's name": (thing(field(), name="Größe"), "its type has a name"),
    "a namespace": (thing(field(), namespace="ground-watch.v1"), "its type has a name"),
    "a description of 1,025 characters": (thing(field(doc="x" * 1025)), "its doc has"),
    "nanoseconds": (thing(field(logical("timestamp-nanos"))), "timestamp-nanos is read as long"),
    "a time of int": (thing(field(logical("timestamp-micros", "int"))), "is read as int"),
    "a record in itself": (thing(field(array_of("Thing"))), "holds itself"),
    "16 records within each other": (thing(nested(16)), "nested deeper"),
    "no record": ("string", "not a record"),
}

LOADED = {
    "every simple type": thing(
        *(
            field(kind, name=kind)
            for kind in ("boolean", "int", "long", "float", "double", "bytes", "string")
        )
    ),
    "a nullable record": thing(field(["null", thing(field(), name="Part")], default=None)),
    "a map in records of an array": thing(
        field(array_of(thing(field(map_of("string")), name="Part")))
    ),
    "a timestamp": thing(field(["null", logical("timestamp-micros")], default=None)),
    "a date": thing(field(logical("date", "int"))),
    "a name of 300 characters": thing(field(name="a" * 300)),
    "a description of 1,024 characters": thing(field(doc="x" * 1024)),
    "an underscore first": thing(field(name="_id")),
    "15 records within each other": thing(nested(15)),
    "a full name": thing(field(), name="groundwatch.v1.Thing"),
}


@pytest.mark.parametrize(("schema", "reason"), REJECTED.values(), ids=list(REJECTED))
def test_a_schema_against_the_rules_is_rejected(schema: Schema, reason: str) -> None:
    [refusal] = refusals(schema)
    assert reason in refusal


@pytest.mark.parametrize("schema", LOADED.values(), ids=list(LOADED))
def test_a_schema_within_the_rules_is_loaded(schema: Schema) -> None:
    assert refusals(schema) == []
