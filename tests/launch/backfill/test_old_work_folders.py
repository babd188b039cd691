"""The work folder of an earlier or later version, or a damaged one: refused, and left as it is."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from groundwatch.launch.engine.statements import FORMAT
from groundwatch.pipeline.settings.checker import DATABASE
from tests.support.archives import an_envelope
from tests.support.journals import damage_rows
from tests.support.limits import limited
from tests.support.outputs import distinct_ids_in, record_ids_in, records_in, visible_files
from tests.support.runs import an_archive, backfill, crash_in

ANSWERS = 20
EARLIER = "holds results of an earlier version (1.0.0 or 2.0.0.dev0) that are in no output file yet"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return an_archive(tmp_path, *map(an_envelope, range(ANSWERS)))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_unpublished_rows_of_an_earlier_version_are_refused_and_stay(
    tmp_path: Path, archive: Path, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # What a backfill of 2.0.0.dev0 leaves when it is killed.
    (work / "plan.json").write_text('{"fingerprint": "f", "segments": []}')
    (work / "segment-000000").mkdir()
    (work / "segment-000000" / "enriched-1.avro").write_bytes(b"Obj\x01")
    before = contents(work)
    assert backfill(archive, tmp_path / "out", "--work_folder", str(work)) == 2
    told = capsys.readouterr().err
    assert EARLIER in told
    assert "give the same command with that version to finish them" in told
    assert contents(work) == before
    assert visible_files(tmp_path / "out") == []


@pytest.fixture
def interrupted(
    tmp_path: Path, archive: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., int]:
    """A command whose run was interrupted in its third batch."""

    def command() -> int:
        with limited(segment_messages=5):
            return backfill(archive, tmp_path / "out", "--work_folder", str(work))

    with monkeypatch.context() as patched:
        crash_in(patched, 3)
        assert command() == 1
    return command


def change(work: Path, statement: str) -> None:
    with closing(sqlite3.connect(work / DATABASE, isolation_level=None)) as database:
        database.execute(statement)


def test_a_database_of_a_later_version_is_refused_and_stays(
    interrupted: Callable[[], int], work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(work, f"PRAGMA user_version = {FORMAT + 1}")
    before = contents(work)
    assert interrupted() == 2
    assert "was written by another version" in capsys.readouterr().err
    # To read it, SQLite makes a log beside it.
    assert contents(work).items() >= before.items()
    change(work, f"PRAGMA user_version = {FORMAT}")
    assert interrupted() == 0


def test_a_damaged_database_ends_the_run_with_a_sentence_and_stays(
    interrupted: Callable[[], int], tmp_path: Path, work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = work / DATABASE
    change(work, "PRAGMA wal_checkpoint(TRUNCATE)")
    content = path.read_bytes()
    damage_rows(str(path), "UPDATE chunks SET content = zeroblob(length(content))")
    assert interrupted() == 1
    told = capsys.readouterr().err
    assert f"{path} is damaged (" in told
    assert "was left as it is: restore it from a copy" in told
    assert records_in(tmp_path / "out") == []
    # Restored from a copy, the run goes on.
    for name in (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm"):
        (work / name).unlink(missing_ok=True)
    path.write_bytes(content)
    assert interrupted() == 0
    distinct_ids_in(tmp_path / "out")
    assert len(record_ids_in(tmp_path / "out")) == ANSWERS
