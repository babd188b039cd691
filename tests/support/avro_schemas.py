"""Avro schemas as parsed JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

Schema = Any
"""A name, a list for a union, or an object."""


def kind_of(schema: Schema) -> str:
    """Return the kind of a schema: ``union``, ``record``, ``string``, or a name defined before."""
    if isinstance(schema, list):
        return "union"
    return str(schema["type"] if isinstance(schema, dict) else schema)


def unfilled(schema: Schema, values: Sequence[Any], path: str) -> Iterator[str]:
    """Find the fields, at any depth, that are empty in all values."""
    if not values:
        yield path
    elif kind_of(schema) == "union":
        yield from unfilled(schema[1], [value for value in values if value is not None], path)
    elif kind_of(schema) == "array":
        yield from unfilled(schema["items"], [item for value in values for item in value], path)
    elif kind_of(schema) == "record":
        for field in schema["fields"]:
            name = field["name"]
            yield from unfilled(field["type"], [row[name] for row in values], f"{path}.{name}")
