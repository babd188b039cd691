"""Write rows to files that appear whole, each row once, also after crashes."""

import errno
import io
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import apache_beam as beam
import pytest
from msgspec.structs import replace

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Destination
from groundwatch.pipeline.sinks import folder_writer
from groundwatch.pipeline.sinks.publication import read_manifest
from groundwatch.pipeline.sinks.row_formats import RowFormat
from groundwatch.pipeline.sinks.write_files import WriteFiles
from tests.support.outputs import failures_in, records_in, visible_files
from tests.support.pipelines import local_pipeline
from tests.support.written_rows import AVRO, LINES, a_record, numbered_failure, write


def numbers_in(folder: Path) -> list[int]:
    return sorted(int(record["record_id"], 16) for record in records_in(folder))


class Crash(Exception):
    """The process ends here."""


def crash_at(monkeypatch: pytest.MonkeyPatch, step: int, *, done: bool) -> None:
    """Let the process end at its nth touch of the storage, before or after it is done."""
    touches = iter(range(1000))

    def touching(work: Callable[..., Any]) -> Callable[..., Any]:
        def touch(*arguments: Any) -> Any:
            if next(touches) != step:
                return work(*arguments)
            if done:
                work(*arguments)
            raise Crash

        return touch

    for name in ("create", "publish", "remove"):
        monkeypatch.setattr(storage, name, touching(getattr(storage, name)))


def test_rows_of_several_collections_go_to_the_folders_of_their_dates(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    with local_pipeline() as root:
        first = root | "First" >> beam.Create([a_record(1), a_record(2, day=1)])
        second = root | "Second" >> beam.Create([a_record(3)])
        _ = (first, second) | WriteFiles(destination, AVRO)
    assert visible_files(tmp_path) == [
        "enriched/event_date=2026-03-03/run-batch-0-00000.avro",
        "enriched/event_date=2026-03-03/run-batch-0-00001.avro",
        "enriched/event_date=2026-03-04/run-batch-0-00000.avro",
        "manifest/run-enriched.jsonl",
    ]
    assert numbers_in(tmp_path) == [1, 2, 3]


def test_without_rows_there_is_an_empty_manifest_and_no_file(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    with local_pipeline() as root:
        _ = (root | beam.Create([]),) | WriteFiles(destination, LINES)
    assert visible_files(tmp_path) == ["manifest/run-failures.jsonl"]
    assert read_manifest(destination, "run", "failures") == []


def test_no_row_is_lost_with_more_dates_than_open_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_writer, "_MOST_OPEN", 4)
    days = 7
    rows = [a_record(number, day=number % days) for number in range(2 * days)]
    entries = write(Destination(root=str(tmp_path), run="run"), rows)
    assert numbers_in(tmp_path) == list(range(2 * days))
    assert len({entry.path for entry in entries}) == len(entries) == 2 * days


def test_a_long_file_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_writer, "_ROWS_BETWEEN_CHECKS", 1)
    destination = Destination(root=str(tmp_path), run="run", file_bytes=1000)
    entries = write(destination, map(numbered_failure, range(20)), LINES)
    assert len(entries) > 2
    assert sum(entry.rows for entry in entries) == len(failures_in(tmp_path)) == 20


@pytest.mark.parametrize("done", [False, True], ids=["before it is done", "after it is done"])
@pytest.mark.parametrize("step", range(7))
def test_a_rerun_after_a_crash_at_any_step_neither_loses_nor_doubles_rows(
    tmp_path: Path, step: int, *, done: bool
) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    rows = [a_record(1), a_record(2, day=1), a_record(3)]
    with pytest.MonkeyPatch.context() as patched:
        crash_at(patched, step, done=done)
        with pytest.raises(Crash):
            write(destination, rows)
    # Whatever is there by now is whole.
    assert set(numbers_in(tmp_path)) <= {1, 2, 3}
    write(destination, rows)
    assert numbers_in(tmp_path) == [1, 2, 3]


def test_a_rerun_with_fewer_files_removes_the_files_of_the_earlier_run(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    small = replace(destination, file_bytes=0)
    write(small, [a_record(1), a_record(2, day=1), a_record(3)])
    write(small, map(numbered_failure, range(3)), LINES)
    write(destination, [a_record(3), a_record(1)])
    write(destination, [], LINES)
    assert numbers_in(tmp_path) == [1, 3]
    assert failures_in(tmp_path) == []


@pytest.mark.parametrize("root", ["out", "out/", "./out", "out//", "o[u]t", "o*t", "o?t/in"])
def test_a_rerun_keeps_its_own_files_for_every_spelling_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: str
) -> None:
    monkeypatch.chdir(tmp_path)
    destination = Destination(root=root, run="run")
    for rows in ([a_record(1), a_record(2, day=1)], [a_record(1)]):
        write(destination, rows)
    assert numbers_in(Path(root)) == [1]


@pytest.mark.parametrize("other", ["run2", "run-batch-0", "run-batch-0-00000", "a-run", "r"])
def test_a_run_leaves_the_files_of_other_runs_alone(tmp_path: Path, other: str) -> None:
    write(Destination(root=str(tmp_path), run=other), [a_record(1), a_record(2, day=1)])
    write(Destination(root=str(tmp_path), run="run"), [a_record(3)])
    write(Destination(root=str(tmp_path), run="run"), [])
    assert numbers_in(tmp_path) == [1, 2]


class _FullDisk(io.RawIOBase):
    """A stream that takes so many bytes and no more."""

    def __init__(self, room: int) -> None:
        self._room = room

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._room -= len(content)
        if self._room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return len(content)

    def tell(self) -> int:
        return 0


@pytest.mark.parametrize("room", [0, 5_000], ids=["at the start", "midway"])
@pytest.mark.parametrize("row_format", [AVRO, LINES], ids=["Avro", "lines"])
def test_a_full_disk_fails_the_run_and_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int, row_format: RowFormat
) -> None:
    def create(_: str) -> IO[bytes]:
        return io.BufferedWriter(_FullDisk(room), buffer_size=512)

    rows = map(a_record, range(3000)) if row_format is AVRO else map(numbered_failure, range(100))
    monkeypatch.setattr(storage, "create", create)
    with pytest.raises(OSError, match=rf"cannot write {tmp_path}.*No space left on device"):
        write(Destination(root=str(tmp_path), run="run"), rows, row_format)
    assert visible_files(tmp_path) == []


def test_a_rename_that_fails_fails_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace(_: Path, __: Path) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(OSError, match="Invalid cross-device link"):
        write(Destination(root=str(tmp_path), run="run"), [a_record(1)])
    assert visible_files(tmp_path) == []
