"""The command line before a run: commands, help, and what is refused."""

import io
import shlex
import sys
from pathlib import Path

import pytest

from groundwatch import __version__
from groundwatch.launch.cli.commands import all_commands
from groundwatch.launch.cli.main import main
from tests.support.commands import GROUNDWATCH, start


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"]])
def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(arguments) == 0
    screen = capsys.readouterr()
    assert all(f"\n  {command}" in screen.out for command in all_commands())
    assert screen.err == ""


def test_a_reader_that_ends_is_no_fault() -> None:
    with start(*GROUNDWATCH, "watch", "--help-all") as process:
        assert process.stdout
        process.stdout.close()
        assert process.stderr
        assert process.stderr.read() == ""
        assert process.wait(60) == 0


def test_no_command_is_a_usage_error_that_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    screen = capsys.readouterr()
    assert screen.out == ""
    assert screen.err.startswith("groundwatch: a command is missing.\n")
    assert all(f"\n  {command}" in screen.err for command in all_commands())


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        *((unknown, "") for unknown in ("", "--bogus", "Demo", "__main__", "../demo")),
        ("backfil", "groundwatch: unknown command 'backfil'; did you mean backfill?\n"),
        # Commands of earlier versions.
        ("status", "unknown command 'status'; use `groundwatch verify`"),
        ("probe", "unknown command 'probe'; use `groundwatch evaluate --answers F --gold F`"),
    ],
)
def test_an_unknown_command_is_a_usage_error(
    capsys: pytest.CaptureFixture[str], command: str, advice: str
) -> None:
    assert main([command]) == 2
    complaint = capsys.readouterr().err
    assert advice in complaint
    assert "usage: groundwatch COMMAND" in complaint


@pytest.mark.parametrize(
    "arguments", [*([command, "--help"] for command in all_commands()), ["demo", "-h"]]
)
def test_the_help_of_each_command_lists_its_flags(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == 0
    screen = capsys.readouterr()
    assert screen.out.startswith(f"usage: groundwatch {arguments[0]} ")
    assert "\n  --" in screen.out
    assert screen.err == ""
    assert main(["help", arguments[0]]) == 0
    assert capsys.readouterr().out == screen.out


@pytest.mark.parametrize("command", ["backfill", "watch", "evaluate"])
def test_long_help_is_cut_to_the_main_flags(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert main([command, "--help"]) == 0
    short = capsys.readouterr().out
    assert main([command, "--help-all"]) == 0
    everything = capsys.readouterr().out
    assert "--quota_project" in everything
    assert "--quota_project" not in short
    assert len(short.splitlines()) < 0.8 * len(everything.splitlines())
    assert f"`groundwatch {command} --help-all` lists all" in short


@pytest.mark.parametrize("name", all_commands())
def test_the_examples_of_help_have_known_flags_only(name: str) -> None:
    for example in all_commands()[name].examples:
        loaded = all_commands()[name].variant(shlex.split(example)).load(shlex.split(example))
        assert not [each for each in loaded.problems if "unknown" in each or "unexpected" in each]


def test_every_command_has_two_examples() -> None:
    few = [
        each.run
        for command in all_commands().values()
        for each in (command, *(variant for _, variant in command.variants))
        if len(each.examples) < 2
    ]
    assert few == []


@pytest.mark.parametrize("command", [*all_commands(), "watch --demo", "watch --runner=x"])
def test_help_fits_a_terminal_of_80_columns(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert main([*command.split(), "--help-all"]) == 0
    assert main(["--help"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if len(line) > 80] == []


def test_an_example_that_is_broken_over_lines_can_be_copied(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["backfill", "--help"]) == 0
    examples = capsys.readouterr().out.partition("Examples:\n")[2].partition("\n\n")[0]
    assert " \\\n" in examples
    copied = [shlex.split(line)[2:] for line in examples.replace("\\\n", "").splitlines()]
    assert copied == [shlex.split(each) for each in all_commands()["backfill"].examples]


@pytest.mark.parametrize("argument", ["--version", "-V", "version"])
def test_the_version_is_reported(capsys: pytest.CaptureFixture[str], argument: str) -> None:
    assert main([argument]) == 0
    assert capsys.readouterr().out == f"groundwatch {__version__}\n"


def test_a_terminal_that_lacks_a_character_shows_a_question_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["--version"]) == 0
    sys.stdout.write("█ Größe")
    sys.stdout.flush()
    assert written.getvalue().endswith(b"? Gr??e")


@pytest.mark.parametrize("command", ["demo", "backfill"])
@pytest.mark.parametrize("folder", ["a.jsonl", "a.jsonl/out", "/proc/nothing/out"])
def test_an_output_that_cannot_be_written_is_reported_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, folder: str
) -> None:
    archive = tmp_path / "a.jsonl"
    archive.touch()
    flags = ["--output", str(tmp_path / folder)]
    flags += ["--input", str(archive)] if command == "backfill" else []
    assert main([command, *flags]) == 2
    assert f"--output {tmp_path / folder}: cannot be written to: " in capsys.readouterr().err
