"""Avro schemas as parsed JSON."""

from typing import Any

Schema = Any
"""A name, a list for a union, or an object."""


def kind_of(schema: Schema) -> str:
    """What a schema is: ``union``, ``record``, ``string`` and so on, or a name given before."""
    if isinstance(schema, list):
        return "union"
    return str(schema["type"] if isinstance(schema, dict) else schema)
