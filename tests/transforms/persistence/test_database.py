"""A database that several connections and processes use."""

import errno
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from threading import Barrier, Event

import pytest

from groundwatch.transforms.persistence import database as database_module
from groundwatch.transforms.persistence.database import DamagedDatabase, Database, StatementFailed
from groundwatch.transforms.persistence.durable_files import move_in

TABLES = "CREATE TABLE IF NOT EXISTS t (x INTEGER)"
_VISIT = (
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print(*c.execute('SELECT x FROM t'))"
)

_CLOSE_UNDER_CALLS = """
import sys, threading, time
from contextlib import suppress
from groundwatch.transforms.persistence.database import Database

def call(database, under_way):
    with suppress(OSError):
        while True:
            list(database.{call})
            under_way.set()

for number in range(60):
    path, tables = f"{{sys.argv[1]}}/{{number}}.sqlite", "CREATE TABLE IF NOT EXISTS t (x)"
    database = Database(path, tables, durable=False)
    database.write("INSERT INTO t VALUES (1)")
    under_way = [threading.Event() for _ in range(2)]
    threads = [threading.Thread(target=call, args=(database, each)) for each in under_way]
    for each in threads:
        each.start()
    for each in under_way:
        each.wait()
    database.close()
    for each in threads:
        each.join()
"""


def test_another_connection_of_a_process_leaves_its_locks_alone(tmp_path: Path) -> None:
    path = str(tmp_path / "a.sqlite")
    with (
        closing(Database(path, TABLES, durable=False)) as first,
        closing(Database(path, TABLES, durable=False)),
    ):
        first.write("INSERT INTO t VALUES (1)")
        log = (tmp_path / "a.sqlite-wal").stat().st_ino
        # The last process to leave deletes the log: with the locks gone, this would be the last.
        visit = [sys.executable, "-c", _VISIT, path]
        seen = subprocess.run(visit, capture_output=True, check=True)  # noqa: S603 - our own
        assert seen.stdout == b"(1,)\n"
        assert (tmp_path / "a.sqlite-wal").stat().st_ino == log


def test_connections_may_create_a_file_at_the_same_time(tmp_path: Path) -> None:
    connections = 8
    together = Barrier(connections)

    def create(path: str) -> None:
        together.wait(60)
        with closing(Database(path, TABLES, durable=False)) as database:
            database.write("INSERT INTO t VALUES (1)")

    # Before, 7 of 2,400 connections found a new file locked.
    with ThreadPoolExecutor(connections) as pool:
        for number in range(150):
            path = str(tmp_path / f"{number}.sqlite")
            list(pool.map(create, [path] * connections))
            with closing(Database(path, TABLES, durable=False)) as database:
                assert list(database.read("SELECT COUNT(*) FROM t")) == [(connections,)]


def test_a_write_of_another_thread_waits_for_a_transaction_and_is_no_part_of_it(
    tmp_path: Path,
) -> None:
    asked = Event()
    with closing(Database(str(tmp_path / "a.sqlite"), TABLES, durable=False)) as database:

        def write() -> None:
            asked.set()
            database.write("INSERT INTO t VALUES (2)")

        def fail(pool: ThreadPoolExecutor) -> "Future[None]":
            with database.transaction():
                database.write("INSERT INTO t VALUES (1)")
                other = pool.submit(write)
                assert asked.wait(60)
                # It has no turn before this one ends.
                with suppress(TimeoutError):
                    other.result(0.2)
                assert not other.done()
                raise ZeroDivisionError

        with ThreadPoolExecutor(1) as pool, pytest.raises(ZeroDivisionError):
            fail(pool)
        assert list(database.read("SELECT x FROM t")) == [(2,)]


def test_transactions_of_many_threads_take_turns(tmp_path: Path) -> None:
    with closing(Database(str(tmp_path / "a.sqlite"), TABLES, durable=False)) as database:

        def count(_: int) -> None:
            with database.transaction():
                [(rows,)] = database.read("SELECT count(*) FROM t")
                database.write("INSERT INTO t VALUES (?)", rows)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(count, range(100)))
        rows = database.read("SELECT x FROM t ORDER BY x")
        assert [row for (row,) in rows] == list(range(100))


def test_a_file_that_is_no_database_is_damaged_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"lamps " * 1_000)
    with pytest.raises(DamagedDatabase, match="was left as it is: restore it from a copy"):
        Database(str(path), TABLES, durable=False)
    assert path.read_bytes() == b"lamps " * 1_000


@pytest.mark.parametrize("tables", [TABLES, None], ids=["written", "read"])
def test_a_schema_that_is_no_text_is_damaged(tmp_path: Path, tables: str | None) -> None:
    path = tmp_path / "a.sqlite"
    Database(str(path), TABLES, durable=False).close()
    # SQLite's message quotes it, and Python cannot decode that.
    damaged = path.read_bytes().replace(b"CREATE TABLE", b"CREAT\xe4 TABLE")
    path.write_bytes(damaged)
    with (
        pytest.raises(DamagedDatabase, match="was left as it is"),
        closing(Database(str(path), tables, durable=False)) as database,
    ):
        list(database.read("SELECT x FROM t"))
    assert b"\xe4" in damaged
    assert path.read_bytes() == damaged


def test_a_database_that_is_only_read_is_never_made(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    with pytest.raises(OSError, match="cannot open"):
        Database(str(path), None, durable=False)
    assert not path.exists()
    with closing(Database(str(path), TABLES, durable=False)) as database:
        database.write("INSERT INTO t VALUES (1)")
    with closing(Database(str(path), None, durable=False)) as database:
        assert list(database.read("SELECT x FROM t")) == [(1,)]
        with pytest.raises(OSError, match="readonly"):
            database.write("INSERT INTO t VALUES (2)")


def test_a_new_file_has_its_tables_from_the_first_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.sqlite"
    tables_seen = []

    def looking(source: str, target: str, *, must_be_new: bool) -> None:
        assert not path.exists()
        move_in(source, target, must_be_new=must_be_new)
        with closing(sqlite3.connect(path)) as connection:
            tables_seen.extend(connection.execute("SELECT name FROM sqlite_master"))
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)

    monkeypatch.setattr(database_module, "move_in", looking)
    Database(str(path), TABLES, durable=False).close()
    assert tables_seen == [("t",)]
    assert [each.name for each in tmp_path.iterdir()] == ["a.sqlite"]


def test_a_file_that_cannot_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(source: str, target: str, *, must_be_new: bool) -> None:  # noqa: ARG001
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(database_module, "move_in", failing)
    with pytest.raises(OSError, match=r"cannot write .*a.sqlite: No space left"):
        Database(str(tmp_path / "a.sqlite"), TABLES, durable=False)
    assert list(tmp_path.iterdir()) == []


def test_while_another_process_reads_each_checkpoint_is_tried_once_and_one_line_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.sqlite"
    tries: list[str] = []
    with closing(Database(str(path), TABLES, durable=True)) as database:
        database.write("INSERT INTO t VALUES (1)")
        with closing(sqlite3.connect(path, isolation_level=None)) as reader:
            reader.execute("BEGIN")
            assert list(reader.execute("SELECT x FROM t")) == [(1,)]
            database.write("INSERT INTO t VALUES (2)")
            database.checkpoint()
            write = Database.write_returning
            monkeypatch.setattr(
                Database, "write_returning", lambda *of: tries.append(of[1]) or write(*of)
            )
            for number in range(3):
                database.write("INSERT INTO t VALUES (3)")
                # A connection of a publication, too, knows of the reader.
                with closing(Database(str(path), TABLES, durable=True)) as other:
                    (database, other)[number % 2].checkpoint()
            assert len(tries) == 3
        assert caplog.messages == [
            f"{path} is being read: commits stay in its log meanwhile, and are safe there"
        ]
        database.checkpoint()
        assert path.with_name("a.sqlite-wal").stat().st_size == 0


def test_a_full_disk_leaves_commits_in_the_log_which_survives(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.sqlite"
    with closing(Database(str(path), TABLES, durable=True)) as database:
        database.write("INSERT INTO t VALUES (1)")
        with monkeypatch.context() as disk:
            disk.setattr(Database, "write_returning", full)
            database.checkpoint()
        assert "No space left" in caplog.text
        assert path.with_name("a.sqlite-wal").stat().st_size > 0
        assert list(database.read("SELECT x FROM t")) == [(1,)]
        database.checkpoint()
        assert path.with_name("a.sqlite-wal").stat().st_size == 0


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("statement", "error_type"),
    [
        ("INSERT INTO t VALUES (" + "?, " * 50 + "?)", StatementFailed),
        ("INSERT INTO gone VALUES (1)", StatementFailed),
        ("INSERT INTO t VALUES (zeroblob(2000000000))", StatementFailed),
        ("INSERT INTO t VALUES (zeroblob(100000))", OSError),
    ],
)
def test_what_fails_with_any_disk_is_told_from_what_waits_for_one(
    tmp_path: Path, statement: str, error_type: type[OSError]
) -> None:
    with closing(Database(str(tmp_path / "a.sqlite"), TABLES, durable=False)) as database:
        database.write("PRAGMA max_page_count = 2")
        values = [0] * statement.count("?")
        with pytest.raises(OSError, match=r"cannot write .*a\.sqlite: ") as raised:
            database.write(statement, *values)
        assert type(raised.value) is error_type


def test_deleted_texts_leave_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    text = b"The lamp is blue."
    with closing(Database(str(path), TABLES, durable=True)) as database:
        database.write("INSERT INTO t VALUES (?)", text)
        database.checkpoint()
        assert text in path.read_bytes()
        database.write("DELETE FROM t")
        database.checkpoint()
        assert list(database.read("PRAGMA secure_delete")) == [(1,)]
    assert text not in path.read_bytes()


@pytest.mark.parametrize(
    "call",
    ['read("SELECT x FROM t")', 'write_returning("UPDATE t SET x = 1 WHERE x < 0 RETURNING x")'],
)
def test_a_file_is_closed_between_the_calls_of_other_threads(tmp_path: Path, call: str) -> None:
    # In a process of its own: closed under a call, SQLite ended it by a fault in its memory.
    given = [sys.executable, "-c", _CLOSE_UNDER_CALLS.format(call=call), str(tmp_path)]
    ended = subprocess.run(given, capture_output=True, text=True, timeout=300, check=False)  # noqa: S603 - our own
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("code", [sqlite3.SQLITE_IOERR_SHMMAP, sqlite3.SQLITE_IOERR_LOCK])
def test_a_file_system_that_cannot_hold_a_database_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code

    def refuse(*_: object) -> None:
        raise error

    with closing(Database(str(tmp_path / "a.sqlite"), TABLES, durable=True)) as database:
        monkeypatch.setattr(database, "_next", refuse)
        with pytest.raises(OSError, match="needs: choose a folder on a local disk") as raised:
            list(database.read("SELECT x FROM t"))
    assert not isinstance(raised.value, DamagedDatabase | StatementFailed)
