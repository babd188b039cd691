"""Flink's jars: each the one that was recorded, or a sentence that says what to do."""

import hashlib
from pathlib import Path

import pytest

from launch.flink import jars
from launch.flink.missing import Missing

MAVEN = """#!/bin/sh
for argument; do
  case $argument in -DoutputDirectory=*) folder=${argument#*=} ;; esac
done
for jar in a.jar b.jar; do printf %s "$jar" > "$folder/$jar"; done
"""
"""Fetches the two jars that were recorded."""


@pytest.fixture
def two_jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two jars, which are those that were recorded."""
    recorded = {name: hashlib.sha256(name.encode()).hexdigest() for name in ("a.jar", "b.jar")}
    folder = tmp_path / "jars"
    folder.mkdir()
    for name in recorded:
        (folder / name).write_text(name)
    monkeypatch.setattr(jars, "_recorded", recorded.items)
    return folder


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Maven that fetches without a network."""
    program = tmp_path / "mvn"
    program.write_text(MAVEN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")


def test_the_jars_that_were_recorded_make_a_class_path(two_jars: Path) -> None:
    (two_jars / "another.jar").write_text("of another program")
    assert jars.class_path(two_jars) == f"{two_jars}/a.jar:{two_jars}/b.jar"


def test_another_jar_of_the_same_name_is_refused(two_jars: Path) -> None:
    (two_jars / "b.jar").write_text("something else")
    with pytest.raises(Missing, match=r"b\.jar is not the jar that was recorded"):
        jars.class_path(two_jars)


def test_a_jar_that_is_gone_is_missed(two_jars: Path) -> None:
    (two_jars / "a.jar").unlink()
    with pytest.raises(Missing, match=r"launch\.flink fetch"):
        jars.class_path(two_jars)


def test_a_folder_that_is_not_there_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"launch\.flink fetch"):
        jars.class_path(tmp_path / "none")


def test_jars_that_are_there_are_not_fetched_again(
    two_jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    jars.fetch(two_jars)
    assert (two_jars / "a.jar").read_text() == "a.jar"


@pytest.mark.usefixtures("maven")
def test_a_jar_that_is_damaged_is_fetched_again_and_nothing_else_is_touched(two_jars: Path) -> None:
    (two_jars / "b.jar").write_text("damaged")
    (two_jars / "thesis.txt").write_text("ten years of work")
    jars.fetch(two_jars)
    assert jars.class_path(two_jars)
    assert (two_jars / "thesis.txt").read_text() == "ten years of work"


@pytest.mark.usefixtures("maven")
def test_a_folder_that_is_not_there_yet_is_made(two_jars: Path) -> None:
    folder = two_jars / "of" / "flink"
    jars.fetch(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["a.jar", "b.jar"]
    assert [path.name for path in folder.parent.iterdir()] == ["flink"]


def test_fetching_needs_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Missing, match="there is no mvn on the path"):
        jars.fetch(tmp_path / "jars")
    assert list(tmp_path.iterdir()) == []


def test_every_jar_is_recorded_with_a_digest_of_its_own() -> None:
    recorded = dict(jars._recorded())
    assert len(set(recorded.values())) == len(recorded) > 50
    assert all(len(digest) == 64 and name.endswith(".jar") for name, digest in recorded.items())
