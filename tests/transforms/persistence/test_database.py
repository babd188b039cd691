"""A database that several connections and processes use."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

from transforms.persistence.database import Database

TABLES = "CREATE TABLE IF NOT EXISTS t (x INTEGER)"
_VISIT = (
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); print(*c.execute('SELECT x FROM t'))"
)


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
        for number in range(300):
            path = str(tmp_path / f"{number}.sqlite")
            list(pool.map(create, [path] * connections))
            with closing(Database(path, TABLES, durable=False)) as database:
                assert list(database.read("SELECT COUNT(*) FROM t")) == [(connections,)]
