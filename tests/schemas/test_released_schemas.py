"""The current schemas against every released version, in both directions.

An old reader reads what is written today, and today's what an old version wrote, with fastavro and
with the official library; what changes a schema may take is `test_schema_gate.py`'s affair.
"""

import io
import json
import re
from pathlib import Path
from typing import Any

import avro.io
import avro.schema
import fastavro
import fastavro.validation
import pytest

from groundwatch.schemas.avro import load_schema
from groundwatch.schemas.failure import message_of_failure
from tests.support.avro_schemas import Schema, unfilled
from tests.support.released_schemas import ROWS, release, released, written, written_today
from tests.support.schema_gate import breaks

KINDS = pytest.mark.parametrize("kind", ROWS)
VERSIONS = pytest.mark.parametrize(
    ("kind", "version"), [(kind, version) for kind in ROWS for version in released(kind)]
)


@KINDS
def test_a_schema_that_changes_gets_a_new_version(kind: str) -> None:
    current, known = load_schema(kind), released(kind)
    version = current["version"]
    assert version == [*known][-1], (
        f"schemas/avro/{kind}.avsc has the new version {version}: keep it with"
        " `python -m tests.support.released_schemas`, and commit what that writes"
    )
    assert without_words(current) == without_words(known[version]), (
        f"schemas/avro/{kind}.avsc changed, but {version} is released: raise its version"
        " (1.1.0 after 1.0.0), then run `python -m tests.support.released_schemas`"
    )


def without_words(schema: Schema) -> Schema:
    """A schema without its descriptions, which may change at any time."""
    if isinstance(schema, dict):
        return {name: without_words(part) for name, part in schema.items() if name != "doc"}
    return [without_words(part) for part in schema] if isinstance(schema, list) else schema


@KINDS
def test_every_schema_keeps_its_major_version(kind: str) -> None:
    # What breaks readers is another schema, of another name.
    assert all(re.fullmatch(r"1\.\d+\.\d+", version) for version in released(kind))


@VERSIONS
def test_no_reader_of_a_released_version_is_broken(kind: str, version: str) -> None:
    assert breaks(released(kind)[version], load_schema(kind)) == []


@VERSIONS
def test_released_rows_fit_their_schema_and_fill_every_field(kind: str, version: str) -> None:
    schema, rows = released(kind)[version], written(kind, version)
    assert all(fastavro.validation.validate(row, schema, strict=True) for row in rows)
    assert list(unfilled(schema, rows, kind)) == []


def by_fastavro(row: Any, writer: Schema, reader: Schema) -> Any:
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, writer, row)
    stream.seek(0)
    return fastavro.schemaless_reader(stream, writer, reader)


def by_the_official_library(row: Any, writer: Schema, reader: Schema) -> Any:
    stream = io.BytesIO()
    writes, reads = (avro.schema.parse(json.dumps(schema)) for schema in (writer, reader))
    avro.io.DatumWriter(writes).write(row, avro.io.BinaryEncoder(stream))
    stream.seek(0)
    return avro.io.DatumReader(writes, reads).read(avro.io.BinaryDecoder(stream))


THROUGH = pytest.mark.parametrize("through", [by_fastavro, by_the_official_library])


@THROUGH
@VERSIONS
def test_the_current_schema_reads_rows_of_a_released_version(
    kind: str, version: str, through: Any
) -> None:
    for row in written(kind, version):
        assert_holds(through(row, released(kind)[version], load_schema(kind)), row)


@THROUGH
@VERSIONS
def test_a_released_schema_reads_rows_of_the_current_version(
    kind: str, version: str, through: Any
) -> None:
    for row in written_today(kind):
        assert_holds(row, through(row, load_schema(kind), released(kind)[version]))


def assert_holds(row: Any, part: Any) -> None:
    """Assert that a row has all fields of another one, at any depth."""
    if isinstance(part, dict):
        for name, value in part.items():
            assert_holds(row[name], value)
    elif isinstance(part, list):
        assert len(row) == len(part)
        for item, of_part in zip(row, part, strict=True):
            assert_holds(item, of_part)
    else:
        assert row == part


@pytest.mark.parametrize("version", released("failure"))
def test_failures_of_every_version_can_be_replayed(version: str) -> None:
    failures = written("failure", version)
    messages = [message_of_failure(json.dumps(failure).encode()) for failure in failures]
    assert [message.place for message in messages] == [failure["source"] for failure in failures]
    assert messages[-1].payload == b"\xff\x00"


@KINDS
def test_a_release_writes_a_schema_and_its_rows_once(kind: str, tmp_path: Path) -> None:
    release(kind, tmp_path / "schemas", tmp_path / "data")
    [schema], [data] = (list((tmp_path / folder).iterdir()) for folder in ("schemas", "data"))
    assert json.loads(schema.read_bytes()) == load_schema(kind)
    assert schema.stem == data.stem == load_schema(kind)["version"]
    with pytest.raises(FileExistsError):
        release(kind, tmp_path / "schemas", tmp_path / "data")
