"""Commands: discovered by their files, documented, and loaded only when they run."""

import os
from pathlib import Path

import pytest

from groundwatch.launch.cli import commands
from groundwatch.launch.cli.commands import Command, all_commands, documented_commands, imported
from groundwatch.launch.cli.main import main
from groundwatch.pipeline.settings.definition import settings_of
from tests.support.settings_page import PAGE, reference_page

VARIANTS = [
    (name, each)
    for name, command in all_commands().items()
    for each in (command, *(variant for _, variant in command.variants))
]
GREETING = '''"""Greet somebody."""
from groundwatch.launch.cli.commands import Command
from groundwatch.launch.cli.commands.demo import DemoSettings

def run(invocation):
    print("hello", invocation.settings.demo_output)
    return 3

COMMAND = Command(settings=DemoSettings, run="groundwatch.launch.cli.commands.greet:run")
'''


@pytest.mark.parametrize(("name", "command"), VARIANTS, ids=[each.run for _, each in VARIANTS])
def test_each_command_names_a_function(name: str, command: Command) -> None:
    assert callable(imported(command.run)), name


def test_a_file_adds_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "greet.py").write_text(GREETING)
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    all_commands.cache_clear()
    try:
        assert main(["--help"]) == 0
        assert "\n  greet          Greet somebody.\n" in capsys.readouterr().out
        assert main(["greet", "--output", "there"]) == 3
        assert capsys.readouterr().out == "hello there\n"
    finally:
        all_commands.cache_clear()


def test_the_page_documents_the_settings_as_they_are_defined() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == reference_page(page, documented_commands()), (
        "after a change of settings: python -m tests.support.settings_page"
    )


def test_a_key_has_one_kind_of_value_in_all_commands() -> None:
    kinds: dict[str, object] = {}
    for _, settings in documented_commands():
        for setting in settings_of(settings):
            described = setting.kind.placeholder, setting.kind.range, setting.is_many
            assert kinds.setdefault(setting.key, described) == described, setting.key


def test_the_key_file_of_the_check_is_that_of_buckets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "another")
    key_file = tmp_path / "key.json"
    command = all_commands()["backfill"]
    arguments = ["--input", "gs://b/f", "--output", "o", "--credentials_file", str(key_file)]
    for content in ("", "[]", "{}"):
        key_file.write_text(content)
        [problem] = command.load(arguments).problems
        assert "must be an existing key file of Google" in problem
    key_file.write_text('{"type": "service_account"}')
    assert command.load(arguments).problems == []
    assert os.environ["GOOGLE_APPLICATION_CREDENTIALS"] == str(key_file)
