"""BigQuery's documented rules for the Avro schemas that it loads.

Read in November 2026, below https://docs.cloud.google.com/bigquery/docs:

- types, names of types, unions, arrays, size of a row: /loading-data-cloud-storage-avro,
  "Limitations", "Input file requirements" and "Avro conversions";
- names and descriptions of columns: /schemas;
- depth: /nested-repeated, "Limitations";
- keys of partitions, which are not columns of the files: /hive-partitioned-loads-gcs.
"""

import re
from collections.abc import Iterator

from tests.support.avro_schemas import Schema, kind_of

PARTITION_KEY = "event_date"
MAX_NAME_CHARACTERS = 300
MAX_DESCRIPTION_CHARACTERS = 1024
MAX_RECORD_LEVELS = 15
MAX_ROW_BYTES = 50_000_000

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED_PREFIXES = (
    "_table_",
    "_file_",
    "_partition",
    "_row_timestamp",
    "__root__",
    "_colidentifier",
    "_change_sequence_number",
    "_change_type",
    "_change_timestamp",
)
_LOGICAL_TYPES = {
    "date": "int",
    "time-millis": "int",
    "time-micros": "long",
    "timestamp-millis": "long",
    "timestamp-micros": "long",
    "local-timestamp-millis": "long",
    "local-timestamp-micros": "long",
    "decimal": "bytes",
}
"""The logical types that BigQuery converts, each with its Avro type."""


def refusals(schema: Schema) -> list[str]:
    """List what BigQuery would reject or load with another type, a sentence each."""
    if kind_of(schema) != "record":
        return ["the schema is not a record"]
    clash = any(field["name"].lower() == PARTITION_KEY for field in schema["fields"])
    clashes = [f"{PARTITION_KEY}: is the folders' partition key"] if clash else []
    return [*clashes, *_of_record(schema, schema["name"], outer=())]


def _of_record(record: Schema, path: str, outer: tuple[str, ...]) -> Iterator[str]:
    names = [field["name"].lower() for field in record["fields"]]
    yield from _of_name(record, path)
    yield from _of_depth(path, outer)
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{path}: has two fields called {name}"
    for field in record["fields"]:
        yield from _of_field(field, f"{path}.{field['name']}", (*outer, record["name"]))


def _of_name(named: Schema, path: str) -> Iterator[str]:
    full_name = ".".join(filter(None, (named.get("namespace"), named["name"])))
    if not all(_NAME.fullmatch(part) for part in full_name.split(".")):
        yield f"{path}: its type has a name of other characters"


def _of_depth(path: str, outer: tuple[str, ...]) -> Iterator[str]:
    if len(outer) > MAX_RECORD_LEVELS:
        yield f"{path}: is nested deeper than {MAX_RECORD_LEVELS} records"


def _of_field(field: Schema, path: str, outer: tuple[str, ...]) -> Iterator[str]:
    name = field["name"]
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME_CHARACTERS:
        yield f"{path}: is not a column name"
    if name.lower().startswith(_RESERVED_PREFIXES):
        yield f"{path}: begins like a column of BigQuery's own"
    if len(field.get("doc", "")) > MAX_DESCRIPTION_CHARACTERS:
        yield f"{path}: its doc has more than {MAX_DESCRIPTION_CHARACTERS} characters"
    kind = field["type"]
    if isinstance(kind, list):
        yield from _of_union(field, path, outer)
    elif kind_of(kind) in {"array", "map"}:
        yield from _of_repeated(kind, path, outer)
    else:
        yield from _of_value(kind, path, outer)


def _of_union(field: Schema, path: str, outer: tuple[str, ...]) -> Iterator[str]:
    """A union of null and one type is a nullable column; any other becomes a record."""
    null, *others = field["type"]
    if null != "null" or len(others) != 1:
        yield f"{path}: is a union, but not of null first and one type"
        return
    if field.get("default", ...) is not None:
        yield f"{path}: may be null, and is not by default"
    yield from _of_value(others[0], path, outer)


def _of_repeated(kind: Schema, path: str, outer: tuple[str, ...]) -> Iterator[str]:
    """An array is a repeated column, a map a repeated record of key and value."""
    if kind_of(kind) == "array":
        yield from _of_value(kind["items"], path, outer)
    else:
        yield from _of_depth(path, outer)
        yield from _of_value(kind["values"], path, (*outer, "map"))


def _of_value(kind: Schema, path: str, outer: tuple[str, ...]) -> Iterator[str]:
    name = kind_of(kind)
    if name in {"array", "map", "union", "null"}:
        yield f"{path}: holds {name} where one value has to be"
    elif name in outer:
        yield f"{path}: holds itself, which is dropped"
    elif name == "record":
        yield from _of_record(kind, path, outer)
    elif name in {"enum", "fixed"}:
        yield from _of_name(kind, path)
    elif isinstance(kind, dict) and "logicalType" in kind:
        yield from _of_logical_type(kind["logicalType"], name, path)


def _of_logical_type(logical_type: str, name: str, path: str) -> Iterator[str]:
    if _LOGICAL_TYPES.get(logical_type) != name:
        yield f"{path}: its {logical_type} is read as {name}"
