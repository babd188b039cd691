"""The changes of a schema that the gate rejects, and those that it accepts."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.avro_schemas import Schema
from tests.support.schema_gate import breaks

Change = Callable[[Schema], Any]

PART = {
    "type": "record",
    "name": "Part",
    "fields": [
        {"name": "text", "type": "string"},
        {"name": "weight", "type": ["null", "double"], "default": None},
    ],
}
TIME = {"type": "long", "logicalType": "timestamp-micros"}
COLOUR = {"type": "enum", "name": "Colour", "symbols": ["RED", "BLUE"], "default": "RED"}
BASE: Schema = {
    "type": "record",
    "name": "Thing",
    "namespace": "shop",
    "version": "1.0.0",
    "fields": [
        {"name": "id", "type": "string", "doc": "Its id."},
        {"name": "size", "type": "int"},
        {"name": "price", "type": "double"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "sold", "type": "boolean", "default": False},
        {"name": "made", "type": TIME},
        {"name": "colour", "type": COLOUR},
        {"name": "labels", "type": {"type": "map", "values": "string"}, "default": {}},
        {"name": "parts", "type": {"type": "array", "items": PART}, "default": []},
    ],
}


def field(schema: Schema, name: str) -> Schema:
    [found] = [field for field in schema["fields"] if field["name"] == name]
    return found


def part(schema: Schema) -> Schema:
    return field(schema, "parts")["type"]["items"]


def setting(name: str, /, **attributes: Any) -> Change:
    """Give a field other attributes."""
    return lambda schema: field(schema, name).update(attributes)


def adding(position: int = 99, /, **attributes: Any) -> Change:
    """Add a field, by default at the end."""
    return lambda schema: schema["fields"].insert(position, {"name": "new"} | attributes)


def removing(name: str) -> Change:
    return lambda schema: schema["fields"].remove(field(schema, name))


NULLABLE = {"type": ["null", "string"], "default": None}

REJECTED: dict[str, tuple[Change, str]] = {
    "a new field without a default": (adding(type="string"), "Thing.new: is new"),
    "a new nullable field without a default": (
        adding(type=["null", "string"]),
        "the new version cannot read what the released one wrote",
    ),
    "a new field that BigQuery would have to require": (
        adding(type="string", default=""),
        "Thing.new: is new, and neither null first",
    ),
    "a new field that is null last": (adding(type=["string", "null"], default=""), "is new"),
    "a new array that is not empty by default": (
        adding(type={"type": "array", "items": "string"}, default=["x"]),
        "is new",
    ),
    "a new field in between": (adding(3, **NULLABLE), "Thing: its fields are in another order"),
    "a new field with an alias": (adding(**NULLABLE, aliases=["older"]), "Thing.new: has an alias"),
    "a new required field of a part": (
        lambda schema: part(schema)["fields"].append({"name": "new", "type": "long"}),
        "Thing.parts items.new: is new",
    ),
    "an optional field removed": (removing("note"), "Thing.note: was removed"),
    "an optional field renamed by alias": (
        setting("note", name="remark", aliases=["note"]),
        "Thing.note: was removed or renamed",
    ),
    "an alias of another name": (setting("note", aliases=["remark"]), "its aliases changed"),
    "the record renamed": (lambda schema: schema.update(name="Item"), "its name changed"),
    "another namespace": (lambda schema: schema.update(namespace="store"), "its namespace changed"),
    "double to float": (setting("price", type="float"), "from double to float"),
    "int to long": (
        setting("size", type="long"),
        "the released version cannot read what the new one wrote",
    ),
    "string to bytes": (setting("id", type="bytes"), "from string to bytes"),
    "required to nullable": (setting("id", type=["null", "string"]), "string to null or string"),
    "nullable to required": (
        setting("note", type="string", default=""),
        "from null or string to string",
    ),
    "null moved to the end": (
        setting("note", type=["string", "null"], default=""),
        "from null or string to string or null",
    ),
    "a third branch": (
        setting("note", type=["null", "string", "long"]),
        "from null or string to null or string or long",
    ),
    "another type of a part's field": (
        lambda schema: part(schema)["fields"][1].update(type=["null", "float"]),
        "Thing.parts items.weight: its type changed from null or double to null or float",
    ),
    "other values of a map": (
        setting("labels", type={"type": "map", "values": "long"}),
        "Thing.labels values: its type changed from string to long",
    ),
    "microseconds to milliseconds": (
        setting("made", type={"type": "long", "logicalType": "timestamp-millis"}),
        "Thing.made: its logicalType changed",
    ),
    "a time to a number": (setting("made", type={"type": "long"}), "its logicalType changed"),
    "a number to a time": (
        setting("size", type={"type": "int", "logicalType": "date"}),
        "Thing.size: its logicalType changed",
    ),
    "another default": (setting("sold", default=True), "Thing.sold: its default changed"),
    "no default any more": (
        lambda schema: field(schema, "note").pop("default"),
        "Thing.note: its default changed",
    ),
    "a default for a field that was given": (setting("id", default=""), "its default changed"),
    "a new symbol": (
        setting("colour", type=COLOUR | {"symbols": ["RED", "BLUE", "GREEN"]}),
        "its symbols changed",
    ),
    "another sort order": (setting("size", order="descending"), "Thing.size: its order changed"),
}

PASSED: dict[str, Change] = {
    "another version": lambda schema: schema.update(version="1.1.0"),
    "another description": setting("id", doc="The id under which it is sold."),
    "a new nullable text": adding(**NULLABLE),
    "a new nullable time": adding(type=["null", TIME], default=None),
    "a new nullable record": adding(type=["null", PART | {"name": "Box"}], default=None),
    "a new nullable record of a known kind": adding(type=["null", "Part"], default=None),
    "a new array": adding(type={"type": "array", "items": "string"}, default=[]),
    "a new map": adding(type={"type": "map", "values": "string"}, default={}),
    "a new nullable field of a part": lambda schema: part(schema)["fields"].append(
        {"name": "new", **NULLABLE}
    ),
}


def changed(change: Change) -> Schema:
    schema = copy.deepcopy(BASE)
    change(schema)
    return schema


@pytest.mark.parametrize(("change", "reason"), REJECTED.values(), ids=REJECTED)
def test_a_change_that_would_break_a_reader_is_rejected_with_the_reason(
    change: Change, reason: str
) -> None:
    assert any(reason in sentence for sentence in breaks(BASE, changed(change)))


@pytest.mark.parametrize("change", PASSED.values(), ids=PASSED)
def test_a_change_that_breaks_no_reader_passes(change: Change) -> None:
    assert breaks(BASE, changed(change)) == []
