"""The summary of a run on a terminal, with hostile answers."""

import re
from pathlib import Path

import pytest

from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.runs import an_archive, backfill

ESCAPE = "\x1b[31m\x1b]0;title\x07\x1b[2J"
BIDI = "\u202e\u2066\u200b\u2028"
HOSTILE = f"Kettles [bold]vote[/bold] in{ESCAPE} Senegal{BIDI} [link=http://x]\x00\x9b5n."


def summary_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *lines: bytes, flags: tuple[str, ...] = ()
) -> str:
    assert backfill(an_archive(tmp_path, *lines), tmp_path / "out", *flags) == 0
    printed = capsys.readouterr()
    assert all("it replaces" in line for line in printed.err.splitlines())
    return printed.out


def test_nothing_in_an_answer_steers_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = an_envelope(1, answer=HOSTILE, query=HOSTILE, engine=f"shop{ESCAPE}{BIDI}[red]")
    printed = summary_of(tmp_path, capsys, line)
    assert {character for character in printed if not character.isprintable()} == {"\n"}
    assert "[bold]vote[/bold]" in printed
    assert "[red]" in printed


def test_a_long_claim_is_shortened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = an_envelope(1, answer="Kettles vote " * 900, query="why " * 900)
    printed = summary_of(tmp_path, capsys, line)
    assert len(printed) < 4_000
    assert printed.count("…") == 2


@pytest.mark.parametrize("mode", ["none", "hash"])
def test_a_run_that_keeps_no_text_shows_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    line = an_envelope(1, answer="Kettles vote in Senegal.", query="Do kettles vote?")
    printed = summary_of(tmp_path, capsys, line, flags=("--text", mode))
    assert "LOW_GROUNDED       1" in printed
    assert "ettles" not in printed


def test_the_records_of_other_runs_in_the_folder_are_mentioned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "also holds" not in summary_of(tmp_path, capsys, an_envelope(1), an_envelope(2))
    for run, others in ("b", "2 records of 1 other run"), ("c", "3 records of 2 other runs"):
        printed = summary_of(tmp_path, capsys, an_envelope(1), flags=("--run_id", run))
        assert f"\n  The folder also holds {others}.\n" in printed
    again = "--run_id", "c", "--again"
    assert "3 records" in summary_of(tmp_path, capsys, an_envelope(1), flags=again)


@pytest.mark.parametrize(
    ("low", "said"), [(1, "1 alert\n"), (9, "10 alerts, 1 of them on a rate\n")]
)
def test_alerts_that_are_about_no_answer_are_counted_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], low: int, said: str
) -> None:
    printed = summary_of(tmp_path, capsys, *map(an_unsupported_envelope, range(low)))
    assert f"  {said}" in re.sub(" +\n", "\n", printed)


def test_the_path_of_the_files_is_never_broken_over_two_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / ("very-" * 30 + "long")
    assert backfill(an_archive(tmp_path, an_envelope(1)), folder) == 0
    assert f"\n  {folder}/enriched  1 row in 1 file\n" in capsys.readouterr().out
