"""The README's examples run as they are written."""

import re
import shlex
from pathlib import Path

import pytest

import launch
from tests.support.commands import GROUNDWATCH, run

README = (Path(launch.__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


PYTHON = blocks("python")
COMMANDS = [
    line
    for block in blocks("sh")
    for line in block.replace("\\\n", " ").splitlines()
    # The two commands of make run everything here; test_watch_demo.py runs the demo of the worker.
    if not line.startswith("make ") and line != "groundwatch watch --demo"
]
# The facts of the first example support another number of years.
LOW_GROUNDED = "groundwatch check"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the archive of one line that the README shows."""
    made = tmp_path_factory.mktemp("readme")
    [line] = blocks("json")
    (made / "answers.jsonl").write_text(line, encoding="utf-8")
    return made


def test_all_examples_are_found() -> None:
    assert len(PYTHON) == 3
    assert len(COMMANDS) == 4


@pytest.mark.parametrize("program", PYTHON, ids=["function", "test", "pipeline"])
def test_a_program_runs(program: str, tmp_path: Path) -> None:
    path = tmp_path / "test_example.py"
    path.write_text(program, encoding="utf-8")
    is_test = "def test_" in program
    exit_status, told, complained = run(*(["-m", "pytest", "-q"] if is_test else []), str(path))
    assert exit_status == 0, complained
    assert ("1 passed" if is_test else "LOW_GROUNDED") in told


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_runs(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    name, *arguments = shlex.split(command)
    assert name == "groundwatch"
    exit_status, told, complained = run(*GROUNDWATCH, *arguments)
    assert exit_status == command.startswith(LOW_GROUNDED), complained
    assert told
