"""The released versions of the Avro schemas, each with a file of rows.

`python -m tests.support.released_schemas` releases the current schemas: it keeps a copy of each
that has a new version, and a file of rows. Neither is ever overwritten.
"""

import io
import json
from pathlib import Path
from typing import Any

import fastavro

from groundwatch.pipeline.sinks.row_formats import AlertFiles, EnrichedFiles, FailureFiles
from groundwatch.schemas import avro
from groundwatch.schemas.avro import load_schema
from groundwatch.transforms.rules.redaction import TextMode
from tests.support.avro_schemas import unfilled
from tests.support.whole_records import ALERTS, ENRICHED, FAILURES

Json = dict[str, Any]

CURRENT = Path(avro.__file__).parent
RELEASED = CURRENT / "released"
WRITTEN = Path(__file__).parents[1] / "data" / "released"

ROWS = {
    "enriched_answer": (EnrichedFiles(TextMode.FULL), ENRICHED),
    "alert": (AlertFiles(with_text=True), ALERTS),
    "failure": (FailureFiles(with_payload=True), FAILURES),
}
"""The file format and the records of each schema."""


def released(kind: str) -> dict[str, Json]:
    """Return every released version of a schema by its number, the oldest first."""
    paths = sorted((RELEASED / kind).glob("*.avsc"), key=lambda path: _number(path.stem))
    return {path.stem: json.loads(path.read_bytes()) for path in paths}


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def written(kind: str, version: str) -> list[Json]:
    """Return the rows in the file of a released version."""
    return _rows(_named(WRITTEN / kind, kind, version).read_bytes())


def written_today(kind: str) -> list[Json]:
    """Return the rows of the current version."""
    return _rows(_file_of(kind))


def _named(folder: Path, kind: str, version: str) -> Path:
    return folder / f"{version}.{ROWS[kind][0].extension}"


def _rows(content: bytes) -> list[Json]:
    if content.startswith(b"{"):
        return [json.loads(line) for line in content.splitlines()]
    return list(fastavro.reader(io.BytesIO(content)))


def _file_of(kind: str) -> bytes:
    layout, records = ROWS[kind]
    stream = io.BytesIO()
    stream.write(layout.header)
    rows = layout.open_rows(stream)
    for record in records.values():
        rows.write(layout.encode(record))
    rows.flush()
    return stream.getvalue()


def release(kind: str, schema_folder: Path, data_folder: Path) -> None:
    """Keep a copy of a schema and a file of its rows, both named by the version.

    Raises:
      FileExistsError: this version is released already.
      ValueError: a field is empty in all records.
    """
    schema, data = load_schema(kind), _file_of(kind)
    if empty := ", ".join(unfilled(schema, _rows(data), kind)):
        raise ValueError(f"tests/support/whole_records.py has no values for {empty}")
    for path, content in (
        (schema_folder / f"{schema['version']}.avsc", (CURRENT / f"{kind}.avsc").read_bytes()),
        (_named(data_folder, kind, schema["version"]), data),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            stream.write(content)


def _release_all() -> None:
    for kind in ROWS:
        version = load_schema(kind)["version"]
        if version not in released(kind):
            release(kind, RELEASED / kind, WRITTEN / kind)
            print(f"released {kind} {version}")  # noqa: T201 - it is a command


if __name__ == "__main__":
    _release_all()
