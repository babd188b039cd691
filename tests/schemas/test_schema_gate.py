"""The changes of a schema that the gate rejects, and those that it accepts."""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.avro_schemas import Schema
from tests.support.schema_gate import breaks, unreadable

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


def colours(*symbols: str) -> Change:
    return setting("colour", type=COLOUR | {"symbols": [*symbols]})


NULLABLE = {"type": ["null", "string"], "default": None}
CHECKED, MISSED = True, False
"""Whether the official library's checker sees the break by itself."""

REJECTED = {
    "a new field without a default": (adding(type="string"), "Thing.new: is new", CHECKED),
    "a new nullable field without a default": (
        adding(type=["null", "string"]),
        "Thing.new: is new, and neither null first",
        CHECKED,
    ),
    "a new field that BigQuery would have to require": (
        adding(type="string", default=""),
        "Thing.new: is new, and neither null first",
        MISSED,
    ),
    "a new field that is null last": (
        adding(type=["string", "null"], default=""),
        "Thing.new: is new, and neither null first",
        MISSED,
    ),
    "a new array that is not empty by default": (
        adding(type={"type": "array", "items": "string"}, default=["x"]),
        "Thing.new: is new, and neither null first",
        MISSED,
    ),
    "a new field in between": (
        adding(3, **NULLABLE),
        "Thing: its fields are in another order",
        MISSED,
    ),
    "a new field with an alias": (
        adding(**NULLABLE, aliases=["older"]),
        "Thing.new: has an alias",
        MISSED,
    ),
    "a new required field of a part": (
        lambda schema: part(schema)["fields"].append({"name": "new", "type": "long"}),
        "Thing.parts items.new: is new",
        CHECKED,
    ),
    "a required field removed": (removing("id"), "Thing.id: was removed", CHECKED),
    "an optional field removed": (removing("note"), "Thing.note: was removed", MISSED),
    "an array removed": (removing("parts"), "Thing.parts: was removed", MISSED),
    "a field of a part removed": (
        lambda schema: part(schema)["fields"].pop(),
        "Thing.parts items.weight: was removed",
        MISSED,
    ),
    "a field renamed": (setting("id", name="key"), "Thing.id: was removed", CHECKED),
    "a required field renamed by alias": (
        setting("id", name="key", aliases=["id"]),
        "Thing.key: has an alias",
        CHECKED,
    ),
    "an optional field renamed by alias": (
        setting("note", name="remark", aliases=["note"]),
        "Thing.note: was removed or renamed",
        MISSED,
    ),
    "an alias of another name": (
        setting("note", aliases=["remark"]),
        "Thing.note: its aliases changed",
        MISSED,
    ),
    "the record renamed": (lambda schema: schema.update(name="Item"), "its name changed", CHECKED),
    "the record renamed by alias": (
        lambda schema: schema.update(name="Item", aliases=["shop.Thing"]),
        "its name changed",
        CHECKED,
    ),
    "another namespace": (
        lambda schema: schema.update(namespace="store"),
        "its namespace changed",
        MISSED,
    ),
    "a part renamed": (
        lambda schema: part(schema).update(name="Piece"),
        "Thing.parts items: its name changed",
        CHECKED,
    ),
    "double to float": (setting("price", type="float"), "from double to float", CHECKED),
    "int to long": (setting("size", type="long"), "from int to long", CHECKED),
    "int to double": (setting("size", type="double"), "from int to double", CHECKED),
    "string to bytes": (setting("id", type="bytes"), "from string to bytes", MISSED),
    "required to nullable": (
        setting("id", type=["null", "string"]),
        "from string to null or string",
        CHECKED,
    ),
    "nullable to required": (
        setting("note", type="string", default=""),
        "from null or string to string",
        CHECKED,
    ),
    "null moved to the end": (
        setting("note", type=["string", "null"], default=""),
        "from null or string to string or null",
        MISSED,
    ),
    "a third branch": (
        setting("note", type=["null", "string", "long"]),
        "from null or string to null or string or long",
        CHECKED,
    ),
    "another type of a part's field": (
        lambda schema: part(schema)["fields"][1].update(type=["null", "float"]),
        "Thing.parts items.weight: its type changed from null or double to null or float",
        CHECKED,
    ),
    "other values of a map": (
        setting("labels", type={"type": "map", "values": "long"}),
        "Thing.labels values: its type changed from string to long",
        CHECKED,
    ),
    "other items of an array": (
        setting("parts", type={"type": "array", "items": "string"}),
        "Thing.parts items: its type changed from record to string",
        CHECKED,
    ),
    "microseconds to milliseconds": (
        setting("made", type={"type": "long", "logicalType": "timestamp-millis"}),
        "Thing.made: its logicalType changed",
        MISSED,
    ),
    "a time to a number": (
        setting("made", type={"type": "long"}),
        "Thing.made: its logicalType changed",
        MISSED,
    ),
    "a number to a time": (
        setting("size", type={"type": "int", "logicalType": "date"}),
        "Thing.size: its logicalType changed",
        MISSED,
    ),
    "another default": (setting("sold", default=True), "Thing.sold: its default changed", MISSED),
    "no default any more": (
        lambda schema: field(schema, "note").pop("default"),
        "Thing.note: its default changed",
        MISSED,
    ),
    "a default for a field that was given": (
        setting("id", default=""),
        "Thing.id: its default changed",
        MISSED,
    ),
    "a new symbol": (colours("RED", "BLUE", "GREEN"), "its symbols changed", MISSED),
    "a symbol removed": (colours("RED"), "its symbols changed", MISSED),
    "symbols in another order": (colours("BLUE", "RED"), "its symbols changed", MISSED),
    "symbols without a default": (
        setting("colour", type={key: COLOUR[key] for key in ("type", "name", "symbols")}),
        "Thing.colour: its default changed",
        MISSED,
    ),
    "fields in another order": (
        lambda schema: schema["fields"].reverse(),
        "Thing: its fields are in another order",
        MISSED,
    ),
    "another sort order": (
        setting("size", order="descending"),
        "Thing.size: its order changed",
        MISSED,
    ),
}

PASSED = {
    "nothing": lambda _: None,
    "another version": lambda schema: schema.update(version="1.1.0"),
    "another description": setting("id", doc="The id under which it is sold."),
    "a new nullable text": adding(**NULLABLE),
    "a new nullable time": adding(type=["null", TIME], default=None),
    "a new nullable record": adding(
        type=["null", PART | {"name": "Box", "fields": PART["fields"]}], default=None
    ),
    "a new nullable record of a known kind": adding(type=["null", "Part"], default=None),
    "a new array": adding(type={"type": "array", "items": "string"}, default=[]),
    "a new map": adding(type={"type": "map", "values": "string"}, default={}),
    "a new nullable field of a part": lambda schema: part(schema)["fields"].append(
        {"name": "new", **NULLABLE}
    ),
    "two new fields": lambda schema: schema["fields"].extend(
        [{"name": "new", **NULLABLE}, {"name": "newer", **NULLABLE}]
    ),
}


def changed(change: Change) -> Schema:
    schema = copy.deepcopy(BASE)
    change(schema)
    return schema


@pytest.mark.parametrize(
    ("change", "reason"), [row[:2] for row in REJECTED.values()], ids=list(REJECTED)
)
def test_a_change_that_would_break_a_reader_is_rejected_with_the_reason(
    change: Change, reason: str
) -> None:
    assert any(reason in sentence for sentence in breaks(BASE, changed(change)))


@pytest.mark.parametrize(
    ("change", "seen"), [(row[0], row[2]) for row in REJECTED.values()], ids=list(REJECTED)
)
def test_the_official_checker_sees_or_misses_a_break_as_listed(change: Change, seen: bool) -> None:
    newer = changed(change)
    found = unreadable("new", newer, "old", BASE) + unreadable("old", BASE, "new", newer)
    assert bool(found) == seen


@pytest.mark.parametrize("change", PASSED.values(), ids=list(PASSED))
def test_a_change_that_breaks_no_reader_passes(change: Change) -> None:
    assert breaks(BASE, changed(change)) == []
