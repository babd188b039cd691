"""Write, read, publish, find and delete files on disk."""

import errno
import functools
import os
import pickle
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from groundwatch.pipeline import storage
from tests.support.file_systems import NO_SECOND_FILE_SYSTEM, other_file_system

STRANGE = ["plain", "with space", "a[1]", "what?", "st*r", "Größe", "x{y}", "100%"]


def test_a_file_is_created_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file"
    with storage.create(str(path)) as stream:
        stream.write(b"whole")
    assert (path.read_bytes(), storage.size(str(path))) == (b"whole", 5)


def test_a_file_is_never_decompressed_because_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(b"no gzip")
    assert storage.read_whole(str(tmp_path / "a.gz")) == b"no gzip"


def test_publishing_makes_the_folder_and_replaces_what_was_there_also_twice(tmp_path: Path) -> None:
    for content in (b"old", b"new"):
        (tmp_path / "temporary").write_bytes(content)
        for _ in range(2):
            storage.publish(str(tmp_path / "temporary"), str(tmp_path / "folder" / "final"))
    assert (tmp_path / "folder" / "final").read_bytes() == b"new"
    assert not (tmp_path / "temporary").exists()


def test_publishing_what_is_not_there_fails(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        storage.publish(str(tmp_path / "temporary"), str(tmp_path / "final"))
    assert not (tmp_path / "final").exists()


@pytest.mark.parametrize("temporary", ["temporary", None])
def test_a_failed_write_leaves_the_earlier_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, temporary: str | None
) -> None:
    def crash(_: str, __: str) -> None:
        raise OSError("crash")

    path = tmp_path / "final"
    storage.write_whole(str(path), b"first")
    monkeypatch.setattr(storage, "publish", crash)
    with pytest.raises(OSError, match="crash"):
        storage.write_whole(str(path), b"second", temporary and str(tmp_path / temporary))
    assert path.read_bytes() == b"first"
    assert [*tmp_path.iterdir()] == [path]


def test_a_file_is_replaced_atomically(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    storage.write_whole(str(path), b"first, and longer")
    storage.write_whole(str(path), b"second")
    assert path.read_text() == "second"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_name_without_a_folder_is_a_file_of_this_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    storage.write_whole("page.html", b"text")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.jsonl", ["a[1].jsonl", "b.jsonl"]),
        ("./b.*", ["./b.jsonl"]),
        ("[bc].jsonl", ["b.jsonl"]),
        ("a[1].jsonl", ["a[1].jsonl"]),
        ("**/*.jsonl", ["a[1].jsonl", "b.jsonl", "days/1.jsonl"]),
        ("days", []),
        ("nowhere/*", []),
        ("", []),
    ],
)
def test_a_glob_finds_files_in_the_order_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str, expected: list[str]
) -> None:
    (tmp_path / "days").mkdir()
    for name in ("b.jsonl", "a[1].jsonl", "c.txt", "days/1.jsonl", ".hidden.jsonl"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    assert storage.find(pattern) == expected
    absolute = storage.find(str(tmp_path / pattern))
    assert [Path(path).relative_to(tmp_path) for path in absolute] == [*map(Path, expected)]


def test_a_file_name_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").touch()
    (tmp_path / os.fsdecode(b"gr\xfc\xdfe.jsonl")).touch()
    with pytest.raises(OSError, match=r"gr\\xfc\\xdfe\.jsonl: its name is not UTF-8"):
        storage.find(f"{tmp_path}/*.jsonl")


@pytest.mark.parametrize("name", STRANGE)
def test_files_below_folders_with_special_names_are_found(tmp_path: Path, name: str) -> None:
    for file in (tmp_path / name / "top", tmp_path / name / "in" / "deep", tmp_path / "beside"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    folder = tmp_path / name
    assert storage.find_below(str(folder)) == [str(folder / "in" / "deep"), str(folder / "top")]


def test_deleting_a_missing_file_succeeds(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    storage.remove([str(tmp_path / "a"), str(tmp_path / "never")])
    storage.remove_folder(str(tmp_path / "nowhere"))
    assert list(tmp_path.iterdir()) == []


def test_probing_a_path_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    storage.probe(str(tmp_path / "there/new/newer/file"))
    assert list(tmp_path.rglob("*")) == [tmp_path / "there"]
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        storage.probe(str(tmp_path / "file/new/file"))


def test_processes_that_start_together_probe_and_write_a_new_folder(tmp_path: Path) -> None:
    def start(number: int) -> None:
        folder = tmp_path / f"run-{number % 25}"
        storage.probe(f"{folder}/work/probe")
        storage.create(f"{folder}/work/{number}").close()

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(start, range(200))) == [None] * 200
    assert len(list(tmp_path.glob("*/work/*"))) == 200


def test_an_error_says_what_failed_and_why() -> None:
    with (
        pytest.raises(OSError, match=r"^cannot write x: No space left$"),
        storage.describing_errors("cannot write x"),
    ):
        raise OSError(28, "No space left")


def test_publishing_under_a_free_name_never_replaces_another_file(tmp_path: Path) -> None:
    (tmp_path / "final").write_bytes(b"somebody's")
    (tmp_path / "temporary").write_bytes(b"ours")
    with pytest.raises(storage.TargetExists, match="final exists"):
        storage.publish_new(str(tmp_path / "temporary"), str(tmp_path / "final"))
    assert (tmp_path / "final").read_bytes() == b"somebody's"


def test_a_taken_name_reads_the_same_from_another_process() -> None:
    error = storage.TargetExists("out/final")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301 - made just now


def test_publishing_under_a_free_name_again_is_harmless(tmp_path: Path) -> None:
    for _ in range(2):
        (tmp_path / "temporary").write_bytes(b"whole")
        storage.publish_new(str(tmp_path / "temporary"), str(tmp_path / "folder" / "final"))
    assert (tmp_path / "folder" / "final").read_bytes() == b"whole"
    assert not (tmp_path / "temporary").exists()


@pytest.mark.parametrize("publish", [storage.publish, storage.publish_new])
@pytest.mark.parametrize("error", [errno.EXDEV, None], ids=["refused rename", "real"])
def test_a_file_is_published_from_another_file_system(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    publish: Callable[[str, str], None],
    error: int | None,
) -> None:
    other = other_file_system(tmp_path)
    if error is None and other is None:
        pytest.skip(f"NO SECOND FILE SYSTEM: {NO_SECOND_FILE_SYSTEM}")
    source = Path(tempfile.mkdtemp(dir=other if error is None else tmp_path)) / "temporary"
    source.write_bytes(b"whole")
    if error is not None:
        _refuse_renames_from(source, error, monkeypatch)
    publish(str(source), str(tmp_path / "out" / "final"))
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"final"}
    assert (tmp_path / "out" / "final").read_bytes() == b"whole"
    assert not source.exists()
    source.parent.rmdir()


def _refuse_renames_from(source: Path, error: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(move: Callable[..., Any], first: str, *paths: Any, **named: Any) -> Any:
        if source in (Path(first), *map(Path, paths)):
            raise OSError(error, os.strerror(error))
        return move(first, *paths, **named)

    for name in ("rename", "replace", "link"):
        monkeypatch.setattr(os, name, functools.partial(refusing, getattr(os, name)))


def test_a_file_system_without_hard_links_still_never_replaces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    for content in (b"first", b"first"):
        (tmp_path / "temporary").write_bytes(content)
        storage.publish_new(str(tmp_path / "temporary"), str(tmp_path / "final"))
    (tmp_path / "temporary").write_bytes(b"second")
    with pytest.raises(storage.TargetExists):
        storage.publish_new(str(tmp_path / "temporary"), str(tmp_path / "final"))
    assert (tmp_path / "final").read_bytes() == b"first"
