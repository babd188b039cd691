"""`groundwatch check`: one answer, from the command line."""

import io
import json
from pathlib import Path

import pytest

from groundwatch import check
from groundwatch.launch.cli.main import main
from groundwatch.transforms.runtime import waiting
from tests.support import wire_faults
from tests.support.fault_server import FaultServer, always

FACT = "The lamp was made in 1998."


def test_a_supported_answer_ends_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--answer", FACT, "--fact", FACT]) == 0
    assert capsys.readouterr().out.startswith("GROUNDED  ABOVE_THRESHOLDS")


def test_a_low_grounded_answer_ends_with_4_and_shows_why(
    capsys: pytest.CaptureFixture[str],
) -> None:
    command = ["check", "--answer", "The lamp was made in 1999.", "--fact", "Lamps glow.", FACT]
    assert main([*command, "--claim_threshold", "0.9"]) == 4
    printed = capsys.readouterr().out
    assert printed.startswith("LOW_GROUNDED  CONTRADICTION")
    assert "DATE: 1999, but fact [2]: 1998" in printed


def test_the_sentence_of_a_fact_is_quoted_below_each_claim(
    capsys: pytest.CaptureFixture[str],
) -> None:
    facts = f"Lamps glow. {FACT} They are red.", "Lamps glow at night. They hum."
    answer = "The lamp was made in 1999. Lamps glow at night. Kettles vote."
    assert main(["check", "--answer", answer, "--fact", *facts]) == 4
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[lines.index("DATE: 1999, but fact [1]: 1998") + 1] == f"[1] “{FACT}”"
    assert "[2] “Lamps glow at night.”" in lines
    assert sum("“" in line for line in lines) == 2


def test_a_note_is_printed_for_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["check", "--answer", "The lamp was made in 1999.", "--fact", FACT]
    assert main([*command, "--format", "note"]) == 4
    assert capsys.readouterr().out == f"{check(command[2], [FACT]).note()}\n"
    assert main(["check", "--answer", FACT, "--fact", FACT, "--format", "note"]) == 0
    assert capsys.readouterr().out == ""


def test_json_has_two_names(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["check", "--answer", FACT, "--fact", FACT]
    printed = []
    for names in (["--format", "json"], ["--json"], ["--format", "json", "--json"]):
        assert main([*command, *names]) == 0
        record = json.loads(capsys.readouterr().out)
        # Times differ.
        del record["check"]
        printed.append(record)
    assert printed[0]["verdict"] == "GROUNDED"
    assert printed == printed[:1] * 3


def test_nothing_on_standard_input_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n"))
    assert main(["check", "--answer", "-", "--fact", FACT]) == 2
    assert "--answer -: standard input is empty" in capsys.readouterr().err


def test_texts_come_from_files_and_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fact.txt"
    path.write_text(FACT)
    monkeypatch.setattr("sys.stdin", io.StringIO(FACT))
    assert main(["check", "--answer", "-", "--fact_file", str(path), "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["verdict"], record["facts"][0]["text"]) == ("GROUNDED", FACT)


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"], ids=["a locale", "C"])
def test_standard_input_that_is_not_utf_8_is_a_sentence(
    errors: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = io.TextIOWrapper(io.BytesIO(b"Lamps \xff glow."), "utf-8", errors)
    monkeypatch.setattr("sys.stdin", text)
    assert main(["check", "--answer", "-", "--fact", FACT]) == 1
    assert "the answer could not be checked: " in capsys.readouterr().err


def test_control_characters_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--answer", "\x1b[31mLamps glow.", "--fact", "\x1b]0;x\x07 glow"]) == 4
    assert "\x1b]0" not in capsys.readouterr().out


def test_a_checker_that_refuses_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """The person who asked sees what the server said; no failure or log of a run has it."""
    for number, name in ((400, "INVALID_ARGUMENT"), (403, "PERMISSION_DENIED")):
        with FaultServer(always(wire_faults.status(number, name))) as server:
            given = ["--answer", "a.", "--fact", "b.", "--checker", server.address]
            assert main(["check", *given]) == 1
        complaint = capsys.readouterr().err
        assert "the answer could not be checked: " in complaint
        assert f"HTTP {number} {name}" in complaint
        assert complaint.endswith(": Cannot check: a.\n")


def test_a_checker_that_is_away_is_waited_for_aloud(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(waiting, "AFTER_S", 0.0)
    away = wire_faults.status(503, "UNAVAILABLE")
    with FaultServer(always(away)) as server:
        given = ["--answer", "a.", "--fact", "b.", "--checker", server.address]
        assert main(["check", *given, "--max_attempts", "3"]) == 1
        said = "the checker is not available: HTTP 503 UNAVAILABLE"
        assert caplog.messages.count(f"waiting for the checker {server.address}: {said}") == 1
    assert capsys.readouterr().err.endswith(f"{said}: Cannot check: a.\n")
