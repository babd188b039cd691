"""Which Java Flink is run on."""

import subprocess
from pathlib import Path

import pytest

from launch.flink.java import Java, find_java
from launch.flink.missing import Missing


def a_java(folder: Path, told: str) -> Path:
    program = folder / "java"
    program.write_text(f"#!/bin/sh\necho '{told}' >&2\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("version", ["17.0.15", "21", "25.0.1"])
def test_java_17_and_later_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    program = a_java(tmp_path, f'openjdk version "{version}" 2025-04-15')
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert find_java() == str(program)


@pytest.mark.parametrize(
    ("told", "found"),
    [
        ('openjdk version "11.0.2" 2019-01-15', "the java on the path is 11"),
        ('java version "1.8.0_402"', "the java on the path is 1"),
        ("no such runtime", "the java on the path is one that does not tell its version"),
    ],
)
def test_an_older_java_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, found: str
) -> None:
    a_java(tmp_path, told)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    with pytest.raises(Missing, match=f"^Flink needs Java 17: {found}$"):
        find_java()


def test_no_java_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(Missing, match="there is no java on the path"):
        find_java()


def test_a_command_runs_the_class_with_its_arguments(tmp_path: Path) -> None:
    java = Java(program="echo", class_path="/jars/*")
    command = java.command("a.Main", "--port=1", heap="512m", temporary=tmp_path)
    told = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - echo
    assert told.stdout.startswith("-Xmx512m ")
    assert told.stdout.endswith("-classpath /jars/* a.Main --port=1\n")
