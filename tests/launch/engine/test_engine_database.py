"""The one database of a run: who it is, what it refuses, and how it goes."""

import fcntl
import os
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from groundwatch.launch.engine import engine_database, statements
from groundwatch.launch.engine.engine_database import (
    SCHEMA,
    EngineDatabase,
    OtherVersion,
    folder_held,
    holds_run,
)
from groundwatch.launch.engine.statements import FORMAT
from groundwatch.pipeline.errors import LockFailed
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.transforms.grounding.reply_cache import ReplyStore
from groundwatch.transforms.persistence.database import DamagedDatabase, Database
from groundwatch.transforms.persistence.seen_ids import SeenIds
from groundwatch.transforms.runtime import waiting
from tests.support.builders import RECORD_ID
from tests.support.journals import commit_batch, damage_rows, open_journal


def identity_of(folder: Path) -> str:
    with closing(EngineDatabase.owned(str(folder))) as database:
        return database.identity


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def execute(path: Path, script: str) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def commit_one(folder: Path) -> None:
    with closing(open_journal(folder)) as journal:
        commit_batch(journal)


def test_an_identity_stays_and_no_other_database_has_it(tmp_path: Path) -> None:
    first = identity_of(tmp_path / "first")
    assert first
    assert identity_of(tmp_path / "first") == first
    assert identity_of(tmp_path / "second") != first


def test_who_begins_anew_is_another_and_remembers_only_what_was_paid(tmp_path: Path) -> None:
    with (
        closing(open_journal(tmp_path)) as journal,
        closing(SeenIds(journal.database.path)) as seen,
        closing(ReplyStore(journal.database.path)) as replies,
    ):
        journal.database.assign_run("r1")
        commit_batch(journal)
        seen.claim([RECORD_ID])
        before, paid = journal.database.identity, replies.spent()
        journal.database.reset()
        assert journal.database.identity not in {"", before}
        assert journal.database.run is None
        assert (journal.waiting(), journal.ledger(), journal.next_number()) == ({}, [], 1)
        assert seen.claim([RECORD_ID]) == [True]
        assert replies.spent() == paid


def test_reset_knows_every_table(tmp_path: Path) -> None:
    with closing(EngineDatabase.owned(str(tmp_path))) as database:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        assert {name for (name,) in database.read(query)} == set(statements.TABLES)


def test_a_database_stays_with_its_run(tmp_path: Path) -> None:
    with closing(EngineDatabase.owned(str(tmp_path))) as database:
        database.assign_run("r1")
        assert database.run == "r1"
    with closing(EngineDatabase.owned(str(tmp_path))) as after:
        after.assign_run("r1")
        with pytest.raises(OSError, match=r"belongs to the run 'r1', and this is 'r2'; give --run"):
            after.assign_run("r2")


def test_a_database_that_is_only_read_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="unable to open"):
        EngineDatabase(str(tmp_path), is_read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_reader_changes_nothing(tmp_path: Path) -> None:
    identity = identity_of(tmp_path)
    with closing(EngineDatabase(str(tmp_path), is_read_only=True)) as database:
        assert database.identity == identity
        with pytest.raises(OSError, match="readonly"):
            database.keep_note("name", "content")


def test_another_format_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    commit_one(tmp_path)
    execute(tmp_path / DATABASE, f"PRAGMA user_version = {FORMAT + 1}")
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(OtherVersion, match=rf"format {FORMAT + 1}, and this one has {FORMAT}"):
        EngineDatabase.owned(str(tmp_path))
    assert (tmp_path / DATABASE).read_bytes() == before


def note_schema(folder: Path, schema: str) -> None:
    with closing(EngineDatabase(str(folder))) as database:
        database.keep_note(SCHEMA, schema)


def test_rows_of_another_schema_are_refused_and_left_as_they_are(tmp_path: Path) -> None:
    commit_one(tmp_path)
    note_schema(tmp_path, "another")
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(OtherVersion, match="records of another schema"):
        EngineDatabase.owned(str(tmp_path))
    assert (tmp_path / DATABASE).read_bytes() == before


def test_a_drained_database_of_another_schema_is_taken_over(tmp_path: Path) -> None:
    identity = identity_of(tmp_path)
    note_schema(tmp_path, "another")
    assert identity_of(tmp_path) == identity
    commit_one(tmp_path)
    assert identity_of(tmp_path) == identity


OLD_TABLES = "CREATE TABLE batches (number INTEGER); CREATE TABLE outbox (id INTEGER);"


@pytest.mark.parametrize("row", ["INSERT INTO batches VALUES (1)", "INSERT INTO outbox VALUES (1)"])
def test_an_old_journal_with_rows_is_refused_and_left_as_it_is(tmp_path: Path, row: str) -> None:
    execute(tmp_path / "journal.sqlite", OLD_TABLES + row)
    before = bytes_below(tmp_path)
    with pytest.raises(OtherVersion, match="give the same command with that version"):
        EngineDatabase.owned(str(tmp_path))
    assert bytes_below(tmp_path) == before


def test_rows_in_the_log_of_an_old_journal_count(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    execute(path, "PRAGMA journal_mode = WAL;" + OLD_TABLES)
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("INSERT INTO batches VALUES (1)")
        writer.commit()
        before = bytes_below(tmp_path)
        with pytest.raises(OtherVersion, match="are in no output file yet"):
            EngineDatabase.owned(str(tmp_path))
        assert bytes_below(tmp_path) == before


def test_an_old_run_that_has_not_ended_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text("{}")
    with pytest.raises(OtherVersion, match=r"plan\.json holds results of an earlier version"):
        EngineDatabase.owned(str(tmp_path))
    assert bytes_below(tmp_path) == {"plan.json": b"{}"}


def test_an_old_journal_that_is_drained_is_taken_over(tmp_path: Path) -> None:
    execute(tmp_path / "journal.sqlite", OLD_TABLES)
    assert identity_of(tmp_path)


@pytest.mark.parametrize("size", [10, 100, 4_096])
def test_another_file_is_refused_with_its_name_and_left_as_it_is(tmp_path: Path, size: int) -> None:
    path = tmp_path / DATABASE
    path.write_bytes((b"lamps " * 1_000)[:size])
    before = bytes_below(tmp_path)
    with pytest.raises(DamagedDatabase, match=rf"{path} is damaged .*left as it is"):
        EngineDatabase.owned(str(tmp_path))
    assert bytes_below(tmp_path) == before


def test_another_file_with_a_journal_is_refused_too(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"lamps " * 1_000)
    (tmp_path / f"{DATABASE}-journal").write_bytes(b"lamps")
    before = (tmp_path / DATABASE).read_bytes()
    with pytest.raises(DamagedDatabase, match=r"is damaged .*left as it is"):
        EngineDatabase.owned(str(tmp_path))
    assert (tmp_path / DATABASE).read_bytes() == before


def test_a_damaged_page_is_found_at_the_start(tmp_path: Path) -> None:
    commit_one(tmp_path)
    path = tmp_path / DATABASE
    content = bytearray(path.read_bytes())
    content[4_096:] = b"\xff" * (len(content) - 4_096)
    path.write_bytes(content)
    with pytest.raises(DamagedDatabase, match="restore it from a copy"):
        EngineDatabase.owned(str(tmp_path))
    assert path.read_bytes() == content


@pytest.mark.parametrize("table", [*statements.TABLES, "replies", "spent"])
def test_a_row_that_is_not_what_was_written_is_refused(tmp_path: Path, table: str) -> None:
    commit_one(tmp_path)
    path = tmp_path / DATABASE
    ReplyStore(str(path)).close()
    with closing(sqlite3.connect(path)) as connection:
        columns = list(connection.execute(f"PRAGMA table_info({table})"))
    values = ", ".join(["2"] * len(columns))
    damage_rows(str(path), f"INSERT INTO {table} VALUES ({values})")  # noqa: S608
    before = bytes_below(tmp_path)
    with pytest.raises(DamagedDatabase, match=rf"a row of {table} is not what was written"):
        EngineDatabase.owned(str(tmp_path))
    assert before.items() <= bytes_below(tmp_path).items()


def test_a_table_that_is_not_what_was_written_is_refused(tmp_path: Path) -> None:
    commit_one(tmp_path)
    path = tmp_path / DATABASE
    path.write_bytes(
        path.read_bytes().replace(b"number INTEGER PRIMARY", b"number INTEGES PRIMARY")
    )
    with pytest.raises(DamagedDatabase, match="is damaged"):
        EngineDatabase.owned(str(tmp_path))


@pytest.mark.parametrize("is_log_empty", [False, True])
@pytest.mark.parametrize("left", [None, b"", b"S"])
def test_a_log_without_its_database_is_refused_and_left(
    tmp_path: Path, left: bytes | None, *, is_log_empty: bool
) -> None:
    with closing(open_journal(tmp_path / "work")) as journal:
        commit_batch(journal)
        if is_log_empty:
            journal.database.checkpoint()
        killed = tmp_path / "killed"
        shutil.copytree(tmp_path / "work", killed)
    (killed / DATABASE).unlink()
    if left is not None:
        (killed / DATABASE).write_bytes(left)
    before = bytes_below(killed)
    with pytest.raises(DamagedDatabase, match="only its log is left"):
        EngineDatabase.owned(str(killed))
    assert bytes_below(killed) == before


_STEPS = [each for each in statements.CREATE_TABLES.split(";") if each.strip()]


@pytest.mark.parametrize("is_in_log", [False, True])
@pytest.mark.parametrize("steps", range(1, len(_STEPS)))
def test_a_database_that_was_made_in_part_is_replaced(
    tmp_path: Path, steps: int, *, is_in_log: bool
) -> None:
    made = tmp_path / "made" / DATABASE
    Database(str(made), _STEPS[0], durable=False).close()
    with closing(Database(str(made), ";".join(_STEPS[:steps]), durable=False)):
        if not is_in_log:
            execute(made, "PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copytree(made.parent, tmp_path / "left")
    path = tmp_path / "left" / DATABASE
    assert not holds_run(path)
    commit_one(path.parent)
    with closing(open_journal(path.parent)) as journal:
        assert journal.waiting()["enriched"].rows == 2


def test_the_journal_of_a_database_that_was_made_in_part_goes_with_it(tmp_path: Path) -> None:
    path = tmp_path / "other" / DATABASE
    path.parent.mkdir()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE t (x)")
        for name in (DATABASE, f"{DATABASE}-journal"):
            shutil.copyfile(path.with_name(name), tmp_path / name)
    (tmp_path / f"{DATABASE}.01234567.unfinished").write_bytes(b"SQLite")
    assert identity_of(tmp_path)
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == [DATABASE]


@pytest.mark.parametrize(
    "script", ["CREATE TABLE lamps (x)", f"PRAGMA user_version = {FORMAT + 1}"]
)
def test_what_is_no_part_of_a_run_is_left_as_it_is(tmp_path: Path, script: str) -> None:
    execute(tmp_path / DATABASE, script)
    before = bytes_below(tmp_path)
    with pytest.raises((OSError, OtherVersion), match=str(tmp_path)):
        EngineDatabase.owned(str(tmp_path))
    assert bytes_below(tmp_path) == before


def test_a_database_that_lost_a_table_is_left_as_it_is(tmp_path: Path) -> None:
    commit_one(tmp_path)
    execute(tmp_path / DATABASE, "DROP TABLE plan")
    assert holds_run(tmp_path / DATABASE)
    with closing(open_journal(tmp_path)) as journal:
        assert journal.waiting()["enriched"].rows == 2


def test_a_folder_is_held_by_one_process_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    with (
        folder_held(str(folder)),
        pytest.raises(LockFailed, match=rf"and holds {folder}: wait"),
        folder_held(str(folder)),
    ):
        pass
    with folder_held(str(folder)):
        pass
    assert list(folder.iterdir()) == []


def test_who_waits_for_a_folder_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(waiting, "AFTER_S", 0.0)
    monkeypatch.setattr(engine_database, "_LOCK_TIMEOUT_S", 1.5)
    with folder_held(str(tmp_path)):
        assert caplog.messages == []
        with pytest.raises(LockFailed), folder_held(str(tmp_path)):
            pass
    assert f"waiting for another process, which holds {tmp_path}" in caplog.messages


def test_who_waited_for_a_folder_that_went_holds_the_new_one(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    with ThreadPoolExecutor(1) as pool:
        held = folder_held(str(folder))
        waiting = pool.submit(held.__enter__)
        with suppress(TimeoutError):
            waiting.result(0.3)
        folder.rmdir()
        os.close(descriptor)
        waiting.result(60)
        with pytest.raises(LockFailed), folder_held(str(folder)):
            pass
        held.__exit__(None, None, None)


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(OSError, match=r"cannot write .*/file/work"),
        folder_held(str(tmp_path / "file" / "work")),
    ):
        pass


def test_after_a_checkpoint_the_database_file_alone_has_all(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path / "work")) as journal:
        commit_batch(journal)
        journal.database.checkpoint()
        copy = tmp_path / "copy" / DATABASE
        copy.parent.mkdir()
        copy.write_bytes(Path(journal.database.path).read_bytes())
    with closing(open_journal(copy.parent)) as copied:
        assert copied.waiting()["enriched"].rows == 2


def test_what_was_removed_leaves_no_file(tmp_path: Path) -> None:
    with closing(open_journal(tmp_path)) as journal:
        commit_batch(journal)
        journal.database.remove()
    assert list(tmp_path.iterdir()) == []
    assert identity_of(tmp_path)


def test_a_removal_that_was_interrupted_is_repeated(tmp_path: Path) -> None:
    commit_one(tmp_path)
    for name in (f"{DATABASE}-shm", f"{DATABASE}-wal"):
        (tmp_path / name).unlink(missing_ok=True)
    EngineDatabase.owned(str(tmp_path)).remove()
    assert list(tmp_path.iterdir()) == []
