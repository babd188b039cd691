"""What a worker owns: its database and its output folder, and nothing of anybody else."""

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.launch.watch.owned_paths import OwnedPaths, OwnershipLost
from groundwatch.launch.watch.worker import Worker
from groundwatch.pipeline.storage import TargetExists
from tests.support.archives import an_envelope
from tests.support.watched import Watched, work


def publish(watched: Watched, first: int, count: int) -> None:
    watched.publish(*map(an_envelope, range(first, first + count)))


def test_paths_that_stay_are_owned(tmp_path: Path) -> None:
    (tmp_path / "database").write_text("")
    with closing(OwnedPaths(str(tmp_path / "database"), str(tmp_path / "out"))) as owned:
        (tmp_path / "database").write_text("more")
        (tmp_path / "out" / "file").write_text("")
        owned.check()


@pytest.mark.parametrize("is_replaced", [False, True])
@pytest.mark.parametrize("name", ["database", "out"])
def test_paths_that_go_are_lost(tmp_path: Path, name: str, *, is_replaced: bool) -> None:
    (tmp_path / "database").write_text("")
    with closing(OwnedPaths(str(tmp_path / "database"), str(tmp_path / "out"))) as owned:
        (tmp_path / name).rename(tmp_path / "elsewhere")
        if is_replaced:
            (tmp_path / name).mkdir()
        change = "replaced" if is_replaced else "deleted"
        with pytest.raises(OwnershipLost, match=rf"{name} was {change} while"):
            owned.check()


def test_the_locks_of_a_database_outlive_the_comparison(tmp_path: Path) -> None:
    with closing(EngineDatabase.owned(str(tmp_path))) as database:
        OwnedPaths(database.path, str(tmp_path / "out")).close()
        log = Path(f"{database.path}-wal").stat().st_ino
        # The last process to leave deletes the log: with the locks gone, this would be the last.
        visit = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM notes')"
        subprocess.run([sys.executable, "-c", visit, database.path], check=True)  # noqa: S603
        assert Path(f"{database.path}-wal").stat().st_ino == log


def test_an_output_folder_that_is_deleted_stops_the_worker(watched: Watched) -> None:
    watched.work_folder = str(watched.output.parent / "work")
    publish(watched, 0, 10)
    with watched.worker() as worker:
        work(worker, lambda: not watched.outstanding)
        shutil.rmtree(watched.output)
        publish(watched, 10, 10)
        with pytest.raises(OwnershipLost, match=r"out was (deleted|replaced) while"):
            work(worker, lambda: False)
    assert watched.outstanding == 10


def run_to_the_end(worker: Worker, watched: Watched) -> None:
    """Acknowledge all messages and publish; files may be published before the last message."""
    work(worker, lambda: not watched.outstanding)
    worker.finish()


def test_a_file_of_somebody_else_is_not_replaced_and_stops_the_worker(watched: Watched) -> None:
    with watched.worker() as worker:
        name = f"r1-{worker.journal.database.identity}-000001.avro"
        taken = watched.output / "enriched" / "event_date=2026-03-02" / name
        taken.parent.mkdir(parents=True, exist_ok=True)
        taken.write_bytes(b"somebody else's")
        publish(watched, 0, 5)
        with pytest.raises(TargetExists, match="another process wrote it"):
            run_to_the_end(worker, watched)
    assert taken.read_bytes() == b"somebody else's"


def test_files_that_are_not_known_change_nothing(watched: Watched) -> None:
    watched.output.mkdir(parents=True)
    for name in ("notes.txt", "enriched.avro", ".hidden"):
        (watched.output / name).write_bytes(b"somebody else's")
    publish(watched, 0, 5)
    watched.drain()
    assert len(watched.record_ids()) == 5
    for name in ("notes.txt", "enriched.avro", ".hidden"):
        assert (watched.output / name).read_bytes() == b"somebody else's"
