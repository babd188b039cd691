"""Find files by globs, also below links, and no file twice."""

import glob
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.pipeline import storage
from groundwatch.pipeline.storage import local_files
from tests.support.archives import an_envelope
from tests.support.outputs import records_in, summary_in
from tests.support.runs import backfill

FILES = (
    "a.jsonl",
    "b.txt",
    ".hidden.jsonl",
    "days/1.jsonl",
    "days/[x]/2.jsonl",
    "days/[x]/deep/3.jsonl",
    "days/.hidden/4.jsonl",
    "other/1.jsonl",
)


def files(paths: Iterable[str]) -> set[str]:
    return {path for path in paths if Path(path).is_file() and not path.endswith("/")}


def found_by_python(pattern: str) -> set[str]:
    return files(glob.glob(pattern, recursive=True))  # noqa: PTH207 - this is what is compared


def make_files(folder: Path) -> Path:
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = make_files(tmp_path / "in")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture(scope="module")
def unlinked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_files(tmp_path_factory.mktemp("in"))


PARTS = ["**", "*", "days", "[[]x]", "?*", "1.jsonl", "*.jsonl", "**.jsonl", "d*", "no", ""]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4))
def test_without_links_any_pattern_finds_the_files_that_pythons_own_glob_does(
    unlinked: Path, parts: list[str]
) -> None:
    pattern = "/".join([str(unlinked), *parts])
    assert files(local_files.match(pattern)) == found_by_python(pattern)


@pytest.mark.parametrize("target", [".", "..", "../..", "days", "absolute"])
def test_a_link_to_a_folder_that_holds_it_is_not_followed(tree: Path, target: str) -> None:
    named = str(tree) if target == "absolute" else target
    (tree / "days" / "loop").symlink_to(named, target_is_directory=True)
    (tree / "days" / "loop2").symlink_to(named, target_is_directory=True)
    found = storage.find("**/*.jsonl")
    assert [path for path in found if "loop" in path] == []
    assert len(found) == len([name for name in FILES if "/." not in f"/{name}"]) - 1


def test_a_link_to_itself_or_to_nothing_hides_no_other_folder(tree: Path) -> None:
    (tree / "a").symlink_to("a")
    (tree / "b").symlink_to("gone")
    assert "days/1.jsonl" in storage.find("**/*.jsonl")


def test_a_link_to_another_folder_is_followed_once(tree: Path) -> None:
    beyond = tree.parent / "beyond"
    (beyond / "days").mkdir(parents=True)
    (beyond / "days" / "5.jsonl").touch()
    (beyond / "days" / "up").symlink_to(beyond)
    (tree / "z").symlink_to(beyond)
    (tree / "y").symlink_to(beyond)
    found = storage.find("**/5.jsonl")
    assert found == ["y/days/5.jsonl"]


def test_a_folder_is_read_rather_than_a_link_to_it(tree: Path) -> None:
    (tree / "a-link").symlink_to("days")
    assert storage.find("**/3.jsonl") == ["days/[x]/deep/3.jsonl"]


def test_a_link_loop_in_an_input_folder_adds_no_record(tmp_path: Path) -> None:
    archive = tmp_path / "in" / "answers.jsonl"
    archive.parent.mkdir()
    archive.write_bytes(an_envelope(1, id="") + b"\n")
    (archive.parent / "loop").symlink_to(archive.parent)
    output = tmp_path / "out"
    assert backfill(tmp_path / "in" / "**" / "*.jsonl", output) == 0
    assert len(records_in(output)) == 1
    assert summary_in(output)["read"] == 1
