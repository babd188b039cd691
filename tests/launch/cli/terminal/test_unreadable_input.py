"""Inputs in which nothing can be read: the commands fail, and show why."""

import json
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from tests.support import wire_faults
from tests.support.archives import an_envelope, lines_of
from tests.support.fault_server import FaultServer, always
from tests.support.outputs import summary_in

ROWS = ["question,answer,contexts", '"Do lamps glow?","They do.","Lamps glow."']
OPENAI = {"choices": [{"message": {"content": "Hi"}}]}
ENVELOPES = [json.loads(an_envelope(number)) for number in range(3)]

UNREADABLE = {
    "CSV": ("\n".join(ROWS).encode(), "looks like CSV or TSV"),
    "TSV": (b"question\tanswer\nDo lamps glow?\tThey do.\n", "looks like CSV or TSV"),
    "an object over lines": (an_envelope(1).replace(b",", b",\n"), "(jq -c .)"),
    "UTF-16": (lines_of(an_envelope(1)).decode().encode("utf-16"), "looks like UTF-16"),
    "UTF-16 without a mark": (an_envelope(1).decode().encode("utf-16-be"), "looks like UTF-16"),
    "Windows-1252": ("[Größe, Lampe".encode("cp1252"), "is not UTF-8: convert it"),
    "Excel": (b"PK\x03\x04" + bytes(range(256)), "looks like a zip archive or an Excel file"),
    "other columns": (
        b'{"Frage": "Was?", "Antwort": "Das.", "Quelle": "Es."}',
        "name it and the facts, as in",
    ),
    "OpenAI's chats": (lines_of(json.dumps(OPENAI).encode()), "stand only in the prompt"),
    "another shape": (b'{"said": {"reply": "a"}, "docs": ["d"]}', "answer=$.said.reply"),
    "an empty file": (b"", "answers.jsonl: no message in it"),
    "blank lines": (b"\n\n", "answers.jsonl: no message in it"),
}
COMMANDS = {
    "backfill": ["backfill", "--input", "IN", "--output", "OUT"],
    "estimate": ["estimate", "--input", "IN"],
    "evaluate": ["evaluate", "--answers", "IN", "--gold", "GOLD"],
}


def run(tmp_path: Path, command: str) -> int:
    (tmp_path / "gold.jsonl").write_bytes(b'{"id": "answer-1", "grounded": true}\n')
    places = {
        "IN": str(tmp_path / "*answers.jsonl"),
        "OUT": str(tmp_path / "out"),
        "GOLD": str(tmp_path / "gold.jsonl"),
    }
    return main([places.get(word, word) for word in COMMANDS[command]])


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(("estimate", name) for name in UNREADABLE),
        *((command, name) for command in ("backfill", "evaluate") for name in ("CSV", "Excel")),
    ],
)
def test_an_input_in_which_nothing_can_be_read_fails_with_the_first_reasons(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, name: str
) -> None:
    content, shown = UNREADABLE[name]
    (tmp_path / "answers.jsonl").write_bytes(content)
    assert run(tmp_path, command) == 1
    complaint = capsys.readouterr().err
    assert "nothing in the input could be read\n" in complaint
    assert shown in complaint
    assert f"  {tmp_path}/answers.jsonl" in complaint


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(ENVELOPES, indent=1).encode(),
        b"".join(json.dumps(each, indent="\t").encode() + b"\n" for each in ENVELOPES),
        json.dumps(ENVELOPES).replace("}, ", "},\n").encode(),
    ],
    ids=["an array", "objects", "an array with an element a line"],
)
def test_json_over_several_lines_is_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "answers.jsonl").write_bytes(content)
    assert run(tmp_path, "backfill") == 0
    assert summary_in(tmp_path / "out")["enriched"] == len(ENVELOPES)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_input_of_which_one_message_can_be_read_does_not_fail(
    tmp_path: Path, command: str
) -> None:
    (tmp_path / "answers.jsonl").write_bytes(UNREADABLE["CSV"][0])
    (tmp_path / "empty-answers.jsonl").touch()
    (tmp_path / "more-answers.jsonl").write_bytes(an_envelope(1))
    assert run(tmp_path, command) == 0


def test_a_run_in_which_nothing_could_be_read_still_writes_its_failures(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_bytes(b"one\ntwo\n")
    assert run(tmp_path, "backfill") == 1
    summary = summary_in(tmp_path / "out")
    assert (summary["read"], summary["failures"], summary["unreadable"]) == (2, 2, 2)
    assert summary["closes"] is True


def test_answers_that_no_checker_took_were_read(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_bytes(an_envelope(1))
    given = ["--input", str(tmp_path / "answers.jsonl"), "--output", str(tmp_path / "out")]
    with FaultServer(always(wire_faults.reset)) as server:
        unreachable = ["--checker", server.address, "--max_attempts", "1"]
        assert main(["backfill", *given, *unreachable]) == 3


def test_a_replay_of_unreadable_messages_fails_as_the_run_did(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_bytes(b"one\n")
    assert run(tmp_path, "backfill") == 1
    failures = str(tmp_path / "out" / "failures" / "*.jsonl")
    assert main(["replay", "--failures", failures, "--output", str(tmp_path / "again")]) == 1


def test_control_characters_of_a_name_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "\x1b[2Janswers.jsonl").write_bytes(b"one\n")
    assert run(tmp_path, "estimate") == 1
    assert "\x1b" not in capsys.readouterr().err
