"""Check whether a schema may follow a released one.

Every field stays unchanged, and new fields are optional and come last. The official library's
checker decides whether each schema can read the rows of the other. `_changes` finds what it misses:
renames by alias, removed optional fields, changed defaults, units, symbols and order.
"""

import json
from collections.abc import Iterator
from typing import Any

import avro.schema
from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType

from tests.support.avro_schemas import Schema, kind_of

_FREE = frozenset({"doc", "version"})
"""Attributes for people, which may change."""

_REPEATED = {"array": "items", "map": "values"}
_EMPTY = {"array": [], "map": {}}


def breaks(older: Schema, newer: Schema) -> list[str]:
    """List the reasons why a schema cannot follow a released one, a sentence each."""
    return [
        *_changes(older, newer, newer["name"]),
        *_unreadable("the new version", newer, "the released one", older),
        *_unreadable("the released version", older, "the new one", newer),
    ]


def _unreadable(reader_name: str, reader: Schema, writer_name: str, writer: Schema) -> list[str]:
    """List what the official library's checker finds when one schema reads the other's files."""
    found = ReaderWriterCompatibilityChecker().get_compatibility(_parse(reader), _parse(writer))
    if found.compatibility is SchemaCompatibilityType.compatible:
        return []
    where = ", ".join(sorted(found.locations))
    what = ", ".join(sorted(found.messages))
    return [f"{reader_name} cannot read what {writer_name} wrote: {what} at {where}"]


def _parse(schema: Schema) -> avro.schema.Schema:
    return avro.schema.parse(json.dumps(schema))


def _changes(old: Schema, new: Schema, path: str) -> Iterator[str]:
    """List the changes of a type; a record, array, map or union is compared by its parts."""
    kind = kind_of(old)
    if kind != kind_of(new):
        yield f"{path}: its type changed from {_type_name(old)} to {_type_name(new)}"
    elif kind == "union":
        yield from _union_changes(old, new, path)
    else:
        yield from _attribute_changes(old, new, path, parts={"fields", "items", "values"})
        if part := _REPEATED.get(kind):
            yield from _changes(old[part], new[part], f"{path} {part}")
        if kind == "record":
            yield from _field_changes(old["fields"], new["fields"], path)


def _type_name(schema: Schema) -> str:
    """Name a type for an error message."""
    return " or ".join(map(kind_of, schema)) if isinstance(schema, list) else kind_of(schema)


def _union_changes(old: list[Schema], new: list[Schema], path: str) -> Iterator[str]:
    if [kind_of(branch) for branch in old] != [kind_of(branch) for branch in new]:
        yield f"{path}: its type changed from {_type_name(old)} to {_type_name(new)}"
        return
    for old_branch, new_branch in zip(old, new, strict=True):
        yield from _changes(old_branch, new_branch, path)


def _attribute_changes(old: Schema, new: Schema, path: str, parts: set[str]) -> Iterator[str]:
    """List the changes of name, aliases, default, order, symbols, logical type and so on."""
    before, after = _attributes(old), _attributes(new)
    for name in sorted((before.keys() | after.keys()) - _FREE - parts):
        if before.get(name, ...) != after.get(name, ...):
            yield f"{path}: its {name} changed"


def _attributes(schema: Schema) -> dict[str, Any]:
    return schema if isinstance(schema, dict) else {"type": schema}


def _field_changes(old: list[Schema], new: list[Schema], path: str) -> Iterator[str]:
    before, after = {field["name"]: field for field in old}, {field["name"]: field for field in new}
    for name in sorted(before.keys() - after.keys()):
        yield f"{path}.{name}: was removed or renamed"
    for name in sorted(after.keys() - before.keys()):
        yield from _addition_faults(after[name], f"{path}.{name}")
    kept = [name for name in before if name in after]
    for name in kept:
        yield from _attribute_changes(before[name], after[name], f"{path}.{name}", parts={"type"})
        yield from _changes(before[name]["type"], after[name]["type"], f"{path}.{name}")
    if [*after][: len(kept)] != kept:
        yield f"{path}: its fields are in another order; new fields come last"


def _addition_faults(field: Schema, path: str) -> Iterator[str]:
    if not _is_optional(field):
        yield f"{path}: is new, and neither null first, with default null, nor empty by default"
    if "aliases" in field:
        yield f"{path}: has an alias, which older readers do not know"


def _is_optional(field: Schema) -> bool:
    """Return whether a field may be added; BigQuery adds no required field to a table."""
    kind = field["type"]
    if isinstance(kind, list):
        return kind[0] == "null" and field.get("default", ...) is None
    return kind_of(kind) in _EMPTY and field.get("default") == _EMPTY[kind_of(kind)]
