"""Rows into files: whole, each once, whatever happens on the way."""

import errno
import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import apache_beam as beam
import pytest
from msgspec.structs import replace

from pipeline import open_part, storage, write_files, write_parts
from pipeline.destination import Destination
from pipeline.manifest import check_manifest, read_manifest, write_manifest
from pipeline.row_files import EnrichedFiles, FailureFiles, RowFormat
from pipeline.write_files import WriteFiles
from pipeline.write_parts import WritePart
from schemas.enriched import EnrichedAnswer
from schemas.failure import Failure
from schemas.file_entry import FileEntry
from tests.support.builders import NOON_US, a_message, an_enriched
from tests.support.outputs import failures_in, records_in, visible_files
from tests.support.pipelines import local_pipeline
from transforms.rules.redaction import TextMode

AVRO = EnrichedFiles(TextMode.FULL)
LINES = FailureFiles(with_payload=True)
DAY_US = 24 * 3600 * 1_000_000


def a_record(number: int, day: int = 0) -> EnrichedAnswer:
    return an_enriched(record_id=f"{number:064x}", event_time_us=NOON_US + day * DAY_US)


def a_failure(number: int) -> Failure:
    return Failure(
        step="ParseAnswers",
        error_class="UnreadableAnswer",
        error="The message is no JSON.",
        retryable=False,
        first_failed_at_us=NOON_US,
        last_failed_at_us=NOON_US,
        message=a_message(place=f"a.jsonl#{number}"),
    )


def write(
    destination: Destination, rows: Iterable[Any], row_format: RowFormat = AVRO
) -> list[FileEntry]:
    """Do what the pipeline does, without one: a pipeline takes its third of a second."""
    writer = WritePart(destination, row_format)
    writer.start_bundle()
    parts = [part for row in rows for part in writer.process(row)]
    parts += [windowed.value for windowed in writer.finish_bundle()]
    by_folder = defaultdict(list)
    for part in parts:
        by_folder[part.folder].append(part)
    publisher = write_files._PublishParts(destination, row_format)
    entries = [entry for grouped in by_folder.items() for entry in publisher.process(grouped)]
    write_manifest(entries, destination, row_format)
    return entries


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


def test_rows_of_several_collections_end_in_the_folders_of_their_dates(tmp_path: Path) -> None:
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


def test_no_rows_are_no_files_and_a_manifest_that_says_so(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    with local_pipeline() as root:
        _ = (root | beam.Create([]),) | WriteFiles(destination, LINES)
    assert visible_files(tmp_path) == ["manifest/run-failures.jsonl"]
    assert read_manifest(destination, "failures") == []


def test_an_answer_without_a_time_has_a_folder_of_its_own(tmp_path: Path) -> None:
    write(Destination(root=str(tmp_path), run="run"), [an_enriched(event_time_us=None)])
    assert visible_files(tmp_path)[0].startswith("enriched/event_date=__HIVE_DEFAULT_PARTITION__/")


def test_the_manifest_tells_rows_bytes_and_times_of_every_file(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    times_us = [5_000_000, 0, -3_000_000]
    entries = write(destination, [an_enriched(event_time_us=time_us) for time_us in times_us])
    lines = (tmp_path / "manifest" / "run-enriched.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        {
            "path": "enriched/event_date=1969-12-31/run-batch-0-00000.avro",
            "rows": 1,
            "bytes": (tmp_path / entries[1].path).stat().st_size,
            "first_event_time": "1969-12-31T23:59:57.000000Z",
            "last_event_time": "1969-12-31T23:59:57.000000Z",
        },
        {
            "path": "enriched/event_date=1970-01-01/run-batch-0-00000.avro",
            "rows": 2,
            "bytes": (tmp_path / entries[0].path).stat().st_size,
            "first_event_time": "1970-01-01T00:00:00.000000Z",
            "last_event_time": "1970-01-01T00:00:05.000000Z",
        },
    ]


def test_more_dates_than_files_may_be_open_lose_nothing(tmp_path: Path) -> None:
    days = write_parts._MOST_OPEN + 40
    rows = [a_record(number, day=number % days) for number in range(2 * days)]
    entries = write(Destination(root=str(tmp_path), run="run"), rows)
    assert numbers_in(tmp_path) == list(range(2 * days))
    assert len({entry.path for entry in entries}) == len(entries) == 2 * days


def test_a_file_that_is_long_enough_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_part, "_ROWS_BETWEEN_LOOKS", 1)
    destination = Destination(root=str(tmp_path), run="run", file_bytes=1000)
    entries = write(destination, map(a_failure, range(20)), LINES)
    assert len(entries) > 2
    assert sum(entry.rows for entry in entries) == len(failures_in(tmp_path)) == 20


@pytest.mark.parametrize("done", [False, True], ids=["before it is done", "after it is done"])
@pytest.mark.parametrize("step", range(7))
def test_after_a_crash_at_any_step_the_same_run_again_loses_and_doubles_nothing(
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


def test_a_rerun_with_fewer_files_leaves_none_of_the_run_before(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    small = replace(destination, file_bytes=0)
    write(small, [a_record(1), a_record(2, day=1), a_record(3)])
    write(small, map(a_failure, range(3)), LINES)
    write(destination, [a_record(3), a_record(1)])
    write(destination, [], LINES)
    assert numbers_in(tmp_path) == [1, 3]
    assert failures_in(tmp_path) == []


@pytest.mark.parametrize("root", ["out", "out/", "./out", "out//", "o[u]t", "o*t", "o?t/in"])
def test_a_rerun_keeps_its_own_files_however_the_folder_is_spelt(
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

    rows = map(a_record, range(3000)) if row_format is AVRO else map(a_failure, range(100))
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


def test_files_that_are_as_the_manifest_says_are_counted(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    write(destination, [a_record(1), a_record(2, day=1), a_record(3)])
    write(destination, map(a_failure, range(4)), LINES)
    assert check_manifest(destination, AVRO) == 3
    assert check_manifest(destination, LINES) == 4


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def spoil(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def add_a_row(path: Path) -> None:
    """Another row of the same length altogether."""
    content = path.read_bytes()
    path.write_bytes(content[:5] + b"\n" + content[6:])


@pytest.mark.parametrize("row_format", [AVRO, LINES], ids=["Avro", "lines"])
@pytest.mark.parametrize("harm", [cut, Path.unlink, spoil], ids=["cut", "gone", "spoilt"])
def test_a_file_that_is_not_as_the_manifest_says_is_found_out_and_named(
    tmp_path: Path, harm: Callable[[Path], None], row_format: RowFormat
) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    rows = [a_record(1)] if row_format is AVRO else [a_failure(1)]
    [entry] = write(destination, rows, row_format)
    harm(tmp_path / entry.path)
    with pytest.raises(OSError, match="run-batch-0-00000"):
        check_manifest(destination, row_format)


def test_a_file_with_another_number_of_rows_is_found_out(tmp_path: Path) -> None:
    destination = Destination(root=str(tmp_path), run="run")
    [entry] = write(destination, [a_failure(1)], LINES)
    add_a_row(tmp_path / entry.path)
    with pytest.raises(OSError, match="has 2 rows where 1 were written"):
        check_manifest(destination, LINES)
