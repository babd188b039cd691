"""Files and folders that nobody but their owner and its group can read."""

import errno
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from groundwatch.pipeline import storage
from groundwatch.transforms.persistence.database import Database
from groundwatch.transforms.persistence.private_files import create_file, make_folder
from tests.support.modes import modes_below


@pytest.fixture(autouse=True)
def without_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def test_new_files_and_folders_have_their_mode_whatever_the_umask(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "b")
    create_file(tmp_path / "a" / "b" / "c").close()
    assert modes_below(tmp_path) == {"a": 0o750, "a/b": 0o750, "a/b/c": 0o640}


def test_a_stricter_umask_is_respected(tmp_path: Path) -> None:
    os.umask(0o077)
    make_folder(tmp_path / "a")
    create_file(tmp_path / "a" / "b", "xb").close()
    assert modes_below(tmp_path) == {"a": 0o700, "a/b": 0o600}


def test_what_is_there_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o777)
    (tmp_path / "a" / "b").touch(mode=0o666)
    make_folder(tmp_path / "a" / "c")
    create_file(tmp_path / "a" / "b").close()
    assert modes_below(tmp_path) == {"a": 0o777, "a/b": 0o666, "a/c": 0o750}


def test_a_database_and_the_files_beside_it_are_private(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.sqlite"
    tables = "CREATE TABLE IF NOT EXISTS t (x INTEGER)"
    with closing(Database(str(path), tables, durable=False)) as database:
        database.write("INSERT INTO t VALUES (1)")
        assert modes_below(tmp_path) == {
            "a": 0o750,
            "a/b.sqlite": 0o640,
            "a/b.sqlite-shm": 0o640,
            "a/b.sqlite-wal": 0o640,
        }


def test_a_file_that_is_copied_to_another_file_system_is_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").write_bytes(b"whole")
    rename = Path.replace

    def refuse_across(source: Path, target: Path) -> Path:
        if source.parent != target.parent:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return rename(source, target)

    monkeypatch.setattr(Path, "replace", refuse_across)
    storage.publish(str(tmp_path / "a"), str(tmp_path / "b" / "c"))
    assert modes_below(tmp_path) == {"b": 0o750, "b/c": 0o640}
