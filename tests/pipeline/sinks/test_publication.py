"""Write the manifest, and compare the files with it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Destination
from groundwatch.pipeline.sinks.publication import check_manifest
from tests.support.builders import an_enriched
from tests.support.written_rows import AVRO, LINES, a_record, numbered_failure, write


def test_the_manifest_lists_rows_bytes_and_times_of_every_file(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    times_us = [5_000_000, 0, -3_000_000]
    entries = write(destination, [an_enriched(event_time_us=time_us) for time_us in times_us])
    lines = (tmp_path / "manifest" / "run-enriched.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "path": "enriched/event_date=1969-12-31/run-batch-0-00000.avro",
            "rows": 1,
            "bytes": (tmp_path / entries[1].path).stat().st_size,
            "checksum": storage.checksum(str(tmp_path / entries[1].path)),
            "first_event_time": "1969-12-31T23:59:57.000000Z",
            "last_event_time": "1969-12-31T23:59:57.000000Z",
        },
        {
            "path": "enriched/event_date=1970-01-01/run-batch-0-00000.avro",
            "rows": 2,
            "bytes": (tmp_path / entries[0].path).stat().st_size,
            "checksum": storage.checksum(str(tmp_path / entries[0].path)),
            "first_event_time": "1970-01-01T00:00:00.000000Z",
            "last_event_time": "1970-01-01T00:00:05.000000Z",
        },
    ]


def test_files_that_match_the_manifest_are_counted(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    write(destination, [a_record(1), a_record(2, day=1), a_record(3)])
    write(destination, map(numbered_failure, range(4)), LINES)
    assert check_manifest(destination, AVRO) == 3
    assert check_manifest(destination, LINES) == 4


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def spoil(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


@pytest.mark.parametrize("harm", [cut, Path.unlink, spoil], ids=["cut", "gone", "spoilt"])
def test_a_file_that_differs_from_the_manifest_is_named(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    [entry] = write(destination, [a_record(1)])
    harm(tmp_path / entry.path)
    with pytest.raises(OSError, match="run-batch-0-00000"):
        check_manifest(destination, AVRO)


@pytest.mark.parametrize("line", [b"not JSON", b"{}", b'{"path": 1, "rows": 2, "bytes": 3}'])
def test_a_changed_manifest_is_named(tmp_path: Path, line: bytes) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    write(destination, [numbered_failure(1)], LINES)
    manifest = tmp_path / "manifest" / "run-failures.jsonl"
    manifest.write_bytes(line + b"\n")
    with pytest.raises(OSError, match=f"^{manifest} is not a manifest"):
        check_manifest(destination, LINES)
