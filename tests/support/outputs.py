"""What a run left in its output folder, read back."""

import base64
import json
from collections import Counter
from pathlib import Path
from typing import Any

import fastavro

Json = dict[str, Any]


def visible_files(folder: Path) -> list[str]:
    """The files that a reader of the folder would see, relative to it, sorted."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return sorted(
        str(path) for path in paths if not any(part.startswith(".") for part in path.parts)
    )


def records_in(folder: Path) -> list[Json]:
    """Every enriched record, in the order of the files' names."""
    return [row for path in sorted(folder.glob("enriched/*/*.avro")) for row in rows_of(path)]


def record_ids_in(folder: Path) -> list[str]:
    """The record id of every enriched record, in order."""
    return sorted(record["record_id"] for record in records_in(folder))


def distinct_ids_in(folder: Path) -> set[str]:
    """The record ids of all enriched records; AssertionError if two have the same one."""
    counts = Counter(record_ids_in(folder))
    doubled = [record_id for record_id, count in counts.items() if count > 1]
    if doubled:
        raise AssertionError(f"records that are there twice: {doubled}")
    return set(counts)


def rows_of(path: Path) -> list[Json]:
    """Every row of a file, Avro or lines of JSON."""
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]
    with path.open("rb") as stream:
        return list(fastavro.reader(stream))


def failures_in(folder: Path) -> list[Json]:
    """Every failure, in the order of the files' names."""
    return _lines(folder, "failures")


def alerts_in(folder: Path) -> list[Json]:
    """Every alert, in the order of the files' names."""
    return _lines(folder, "alerts")


def _lines(folder: Path, kind: str) -> list[Json]:
    return [row for path in sorted(folder.glob(f"{kind}/*.jsonl")) for row in rows_of(path)]


def original_bytes(failure: Json) -> bytes:
    """The bytes of the message that a failure hands back."""
    return base64.b64decode(failure["payload_base64"])


def manifest_in(folder: Path) -> list[Json]:
    """Every line of the manifest."""
    return [
        json.loads(line)
        for path in sorted(folder.glob("manifest/*.jsonl"))
        for line in path.read_bytes().splitlines()
    ]


def summary_in(folder: Path) -> Json:
    """The summary of the last run that ended."""
    summary: Json = json.loads((folder / "summary.json").read_bytes())
    return summary
