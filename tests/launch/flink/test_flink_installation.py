"""Java, and the recorded jars of Flink: found, or a sentence that says what to do."""

import hashlib
import subprocess
from importlib import resources
from pathlib import Path

import pytest

from launch.flink import installation
from launch.flink.installation import Missing, java_command

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
    (tmp_path / "jars.sha256").write_text(
        "".join(f"{digest}  {name}\n" for name, digest in recorded.items())
    )
    (tmp_path / "pom.xml").touch()
    monkeypatch.setattr(installation.resources, "files", lambda _: tmp_path)
    return folder


@pytest.fixture
def maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A Maven that fetches without a network."""
    program = tmp_path / "mvn"
    program.write_text(MAVEN)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")


def test_the_recorded_jars_make_a_class_path(two_jars: Path) -> None:
    (two_jars / "another.jar").write_text("a file of the user")
    assert installation.class_path(two_jars) == f"{two_jars}/a.jar:{two_jars}/b.jar"


def test_another_jar_of_the_same_name_is_refused(two_jars: Path) -> None:
    (two_jars / "b.jar").write_text("something else")
    with pytest.raises(Missing, match=r"b\.jar is not the recorded jar"):
        installation.class_path(two_jars)


def test_a_missing_jar_is_refused(two_jars: Path) -> None:
    (two_jars / "a.jar").unlink()
    with pytest.raises(Missing, match=r"launch\.flink fetch"):
        installation.class_path(two_jars)


def test_a_folder_that_is_not_there_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"launch\.flink fetch"):
        installation.class_path(tmp_path / "none")


def test_jars_that_are_there_are_not_fetched_again(
    two_jars: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    installation.fetch(two_jars)
    assert (two_jars / "a.jar").read_text() == "a.jar"


@pytest.mark.usefixtures("maven")
def test_a_jar_that_is_damaged_is_fetched_again_and_nothing_else_is_touched(two_jars: Path) -> None:
    (two_jars / "b.jar").write_text("damaged")
    (two_jars / "thesis.txt").write_text("ten years of work")
    installation.fetch(two_jars)
    assert installation.class_path(two_jars)
    assert (two_jars / "thesis.txt").read_text() == "ten years of work"


@pytest.mark.usefixtures("maven")
def test_a_folder_that_is_not_there_yet_is_made(two_jars: Path) -> None:
    folder = two_jars / "of" / "flink"
    installation.fetch(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["a.jar", "b.jar"]
    assert [path.name for path in folder.parent.iterdir()] == ["flink"]


def test_fetching_needs_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Missing, match="there is no mvn on the path"):
        installation.fetch(tmp_path / "jars")
    assert list(tmp_path.iterdir()) == []


def test_every_jar_is_recorded_with_a_digest_of_its_own() -> None:
    recorded = (resources.files("launch.flink") / "jars.sha256").read_text().splitlines()
    digests = [line.partition("  ")[0] for line in recorded]
    assert len(set(digests)) == len(recorded) > 50
    assert all(len(digest) == 64 for digest in digests)
    assert all(line.endswith(".jar") for line in recorded)


def a_java(folder: Path, version: str) -> Path:
    program = folder / "java"
    program.write_text(f"#!/bin/sh\necho '{version}' >&2\n")
    program.chmod(0o755)
    return program


def a_command(folder: Path) -> list[str]:
    return java_command("/jars/*", "a.Main", "--port=1", heap="512m", temporary=folder)


@pytest.mark.parametrize("version", ["17.0.15", "21", "25.0.1"])
def test_java_17_and_later_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    program = a_java(tmp_path, f'openjdk version "{version}" 2025-04-15')
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert a_command(tmp_path)[0] == str(program)


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "the java on the path is 11"),
        ('java version "1.8.0_402"', "the java on the path is 1"),
        ("no such runtime", "the java on the path is of an unknown version"),
    ],
)
def test_an_older_java_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, found: str
) -> None:
    a_java(tmp_path, version)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(Missing, match=f"^Flink needs Java 17: {found}$"):
        a_command(tmp_path)


def test_a_missing_java_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Missing, match="there is no java on the path"):
        a_command(tmp_path)


def test_a_command_runs_the_class_with_its_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_java(tmp_path, 'version "17"').write_text("#!/bin/sh\necho 'version \"17\"' >&2\necho $@\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    done = subprocess.run(a_command(tmp_path), capture_output=True, text=True, check=True)  # noqa: S603 - a script
    assert done.stdout.startswith("-Xmx512m ")
    assert done.stdout.endswith("-classpath /jars/* a.Main --port=1\n")
