"""Every command of the README and of docs/ runs, or is parsed where it needs a cloud.

The ids of `test_a_command_is_parsed` list the commands that are only parsed, with the reason.
"""

import re
from pathlib import Path

import pytest

from groundwatch.launch.cli.commands import all_commands
from groundwatch.launch.cli.main import main
from groundwatch.launch.watch import run_demo
from tests.support.documented_commands import PAGES, Command, Page, read_page
from tests.support.repository import ROOT

READ = [read_page(path) for path in PAGES]
COMMANDS = [command for page in READ for command in page.commands]
PARSED = [each for each in COMMANDS if each.only_parsed_for and each.arguments is not None]
INLINE = [command for page in READ for command in page.inline]
# test_pubsub_walk.py runs these.
_WALK = "docs/operations.md"
_OF_A_WALK = ("export ", "python -m tests.support.fake_pubsub", "groundwatch watch --sub", ". ")
RUN = [
    page
    for page in READ
    if page.name != _WALK and any(not each.only_parsed_for for each in page.commands)
]
EXIT_STATUSES = {
    # The facts support another number of years.
    "groundwatch check": 4,
    # The page shows how a format that is not known is reported.
    "groundwatch inspect rows.jsonl": 1,
    # The two labels of the page are too few.
    "groundwatch calibrate --answers answers.jsonl": 1,
}


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a fresh clone is after `make demo`."""
    for name in ("launch", "tests", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_demo, "_PER_S", 400)
    return tmp_path


def test_every_shell_block_has_commands_of_known_kinds() -> None:
    assert len(COMMANDS) > 40
    unknown = [
        command.text
        for command in COMMANDS
        if command.arguments is None
        and not command.only_parsed_for
        and not command.text.startswith(_OF_A_WALK)
    ]
    assert unknown == []


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_as_written(
    page: Page, clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in page.files.items():
        (clone / name).write_text(content, encoding="utf-8")
    if any("out/demo" in command.text for command in page.commands):
        assert main(["demo"]) == 0
    for command in page.commands:
        if command.only_parsed_for or command.text.startswith(_OF_A_WALK):
            continue
        assert command.arguments is not None
        matching = (
            status
            for text, status in EXIT_STATUSES.items()
            if command.text.removeprefix(".venv/bin/").startswith(text)
        )
        assert main(command.arguments) == next(matching, 0), (command.text, capsys.readouterr())
        printed = capsys.readouterr()
        assert printed.out, command.text


@pytest.mark.parametrize("command", PARSED, ids=lambda each: f"{each.only_parsed_for}: {each.text}")
def test_a_command_is_parsed(command: Command, clone: Path) -> None:
    [page] = [page for page in READ if page.name == command.page]
    for name, content in page.files.items():
        (clone / name).write_text(content, encoding="utf-8")
    assert problems_of(command) == []


@pytest.mark.parametrize("command", INLINE, ids=lambda each: f"{each.page}: {each.text}")
def test_a_command_in_a_sentence_is_parsed(command: Command) -> None:
    # It may leave out what the sentence is not about, and name what stands for a value.
    assert [each for each in problems_of(command) if re.search("is unknown|unexpected", each)] == []


def problems_of(command: Command) -> list[str]:
    """Load the settings of a command; of Beam's flags, only the names are known."""
    assert command.arguments is not None
    name, *arguments = command.arguments
    return all_commands()[name].variant(arguments).load(arguments).problems
