"""Runs in which answers have no text or no facts: nothing that was not scored looks good."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from groundwatch.launch.cli.main import main
from tests.support import wire_faults
from tests.support.archives import an_envelope, avro_of, lines_of
from tests.support.fault_server import FaultServer, always
from tests.support.outputs import records_in
from tests.support.runs import an_archive, backfill

UNSCORED: dict[str, tuple[list[bytes], str]] = {
    "without facts": ([an_envelope(1, facts=[]), an_envelope(2, facts=[])], "(2 UNSCORABLE)"),
    "without claims": ([an_envelope(1, answer="Hello!"), b"{"], "(1 UNSCORABLE)"),
}


@pytest.mark.parametrize("name", UNSCORED)
def test_a_gate_does_not_pass_where_no_answer_was_scored(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, found = UNSCORED[name]
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    assert backfill(archive, output, "--fail_above", "1") == 4
    complaint = f"no answer was scored {found}: --fail_above needs at least one"
    assert complaint in capsys.readouterr().err
    assert (output / "report.html").is_file()
    # The same command again, and without the gate.
    assert backfill(archive, output, "--fail_above", "1") == 4
    assert backfill(archive, output) == 0


def test_a_gate_does_not_pass_where_no_check_succeeded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, output = an_archive(tmp_path, *map(an_envelope, range(3))), tmp_path / "out"
    flags = "--fail_above", "0.5", "--max_attempts", "1"
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        assert backfill(archive, output, "--checker", server.address, *flags) == 4
        given = "--failures", f"{output}/failures/*", "--output", str(output)
        assert main(["replay", *given, "--checker", server.address, *flags]) == 4
    assert capsys.readouterr().err.count("no answer was scored: --fail_above needs") == 2
    assert main(["replay", *given, "--checker", "local", "--fail_above", "0.5"]) == 0


def test_one_scored_answer_is_enough_for_a_gate(tmp_path: Path) -> None:
    archive = an_archive(tmp_path, an_envelope(1), *(an_envelope(n, facts=[]) for n in (2, 3)))
    assert backfill(archive, tmp_path / "out", "--fail_above", "0") == 0


_UNREAD = "1 could not be read, beside 1 that are scored: a larger share than --fail_above"


@pytest.mark.parametrize(
    ("allowed", "status", "said"),
    [
        ("0", 4, _UNREAD),
        ("0.49", 4, _UNREAD),
        ("0.5", 0, "0 of 1 scored answers LOW_GROUNDED, --fail_above 0.5"),
    ],
)
def test_messages_that_cannot_be_read_count_in_a_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], allowed: str, status: int, said: str
) -> None:
    archive, output = an_archive(tmp_path, an_envelope(1), b"{"), tmp_path / "out"
    assert backfill(archive, output, "--fail_above", allowed) == status
    assert main(["report", str(output), "--fail_above", allowed]) == status
    assert capsys.readouterr().err.count(said) == 2


FACT = "Lamps glow red at night."
COLUMNS: dict[str, object] = {"context_1": "Lamps glow.", "context_2": "Red."}
MAP = ["--map", "answer=$.reply", "facts=$.ctx"]
LACKING: dict[str, tuple[dict[str, object], list[str], str, str]] = {
    "facts of the envelope": (
        {"answer": FACT, "facts": [], "note": "Lamps glow."},
        [],
        "NO_FACTS",
        "answer, note. No field looks like the facts",
    ),
    "facts in other columns": (
        {"reply": FACT, "ctx": [], **COLUMNS},
        MAP,
        "NO_FACTS",
        "reply, context_1, context_2. Try --map 'facts=$.context_1' --map 'facts=$.context_2'",
    ),
    "text in another column": (
        {"reply": "", "response": "Lamps glow.", "ctx": [FACT]},
        MAP,
        "NO_TEXT",
        "response, ctx. Try --map 'answer=$.response'",
    ),
}


@pytest.mark.parametrize("name", LACKING)
def test_the_screen_names_the_fields_that_could_hold_what_most_answers_lack(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fields, flags, reason, expected = LACKING[name]
    lines = [json.dumps({**fields, "id": f"a{number}"}).encode() for number in range(3)]
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    assert backfill(archive, output, *flags) == 0
    unscored = f"3 of 3 answers could not be scored: 3 {reason}."
    example = f"One is {archive}#1. It has texts in {expected}"
    assert f"  {unscored}\n  {example}" in capsys.readouterr().out
    assert main(["report", str(output)]) == 0
    assert unscored in capsys.readouterr().err
    # On request without the names, as they may be text.
    assert backfill(archive, tmp_path / "none", *flags, "--failure_payload", "none") == 0
    printed = capsys.readouterr().out
    assert f"One is {archive}#1: groundwatch inspect shows the fields of its file." in printed
    assert "It has texts" not in printed


def test_the_screen_is_silent_unless_most_answers_lack_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [*map(an_envelope, range(2)), an_envelope(2, facts=[]), an_envelope(3, answer="")]
    assert backfill(an_archive(tmp_path, *lines), tmp_path / "half") == 0
    assert "could not be scored" not in capsys.readouterr().out
    lines.append(an_envelope(4, facts=[]))
    assert backfill(an_archive(tmp_path, *lines, name="more.jsonl"), tmp_path / "most") == 0
    printed = capsys.readouterr().out
    assert "3 of 5 answers could not be scored: 1 NO_TEXT, 2 NO_FACTS." in printed
    assert "more.jsonl#3. It has texts in" in printed


def test_a_run_fails_where_most_is_unread_and_nothing_else_is_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    unscored, broken = [an_envelope(n, facts=[]) for n in (1, 2)], [b"{", b"[", b'"']
    assert backfill(an_archive(tmp_path, *unscored, *broken), tmp_path / "most") == 1
    complaint = "3 of 5 messages could not be read, and none of the others could be scored\n  "
    assert complaint in capsys.readouterr().err
    # Not as many, and one that is scored.
    archive = an_archive(tmp_path, *unscored, *broken[:2], name="half.jsonl")
    assert backfill(archive, tmp_path / "half") == 0
    archive = an_archive(tmp_path, an_envelope(1), *broken, name="one.jsonl")
    assert backfill(archive, tmp_path / "one") == 0


def test_times_that_cannot_be_read_are_counted_on_the_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    times = {1: "2026-03-02T08:00:00Z", 2: "soon", 3: "16.11.2026 08:00"}
    lines = [json.dumps({"reply": FACT, "ctx": FACT, "at": at}).encode() for at in times.values()]
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    assert backfill(archive, output, *MAP, "time=$.at") == 0
    counted = "The time of 2 of 3 answers could not be read, and is left out (BAD_TIMESTAMP)."
    assert counted in capsys.readouterr().out
    assert main(["report", str(output)]) == 0
    assert counted in capsys.readouterr().err
    assert backfill(an_archive(tmp_path, lines[0], name="b.jsonl"), tmp_path / "b", *MAP) == 0
    assert "BAD_TIMESTAMP" not in capsys.readouterr().out


ROW = {"reply": FACT, "ctx": FACT, "note": None, "hits": []}
UNFOUND: dict[str, tuple[list[str], list[str]]] = {
    "a typing error in a time": (["time=$.wen"], ["time=$.wen"]),
    "one of several paths of the facts": (["facts=$.pasage"], ["facts=$.pasage"]),
    "null": (["query=$.note"], []),
    "an empty list": (["facts=$.hits[*].text"], []),
    "the second of two paths": (["session=$.thread | $.reply"], []),
    "neither of two paths": (["session=$.thread | $.talk"], ["session=$.thread | $.talk"]),
}


@pytest.mark.parametrize("name", UNFOUND)
def test_paths_of_a_map_that_lead_nowhere_are_named(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    paths, expected = UNFOUND[name]
    archive = an_archive(tmp_path, b"{", json.dumps(ROW).encode())
    assert backfill(archive, tmp_path / "out", *MAP, *paths) == 0
    named = [each for each in capsys.readouterr().err.splitlines() if "--map" in each]
    assert [each.partition(": ")[2].partition(": ")[0] for each in named] == [
        f"--map '{path}'" for path in expected
    ]


def test_a_path_that_leads_somewhere_in_a_later_message_is_not_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [ROW] * 20, [ROW | {"topic": "lamps"}]
    archive = an_archive(tmp_path, *(json.dumps(row).encode() for each in rows for row in each))
    assert backfill(archive, tmp_path / "out", *MAP, "engine=$.topic") == 0
    assert capsys.readouterr().err == ""


def json_lines(path: Path, value: str | None) -> None:
    path.write_bytes(lines_of(json.dumps({"reply": value, "ctx": FACT}).encode()))


def comma_separated(path: Path, value: str | None) -> None:
    path.write_text(f"reply,ctx\n{value or ''},{FACT}\n")


def parquet_rows(path: Path, value: str | None) -> None:
    columns = {"reply": pa.array([value], pa.string()), "ctx": [FACT]}
    parquet.write_table(pa.table(columns), path)


def avro_rows(path: Path, value: str | None) -> None:
    fields = ("reply", ["null", "string"]), ("ctx", "string")
    path.write_bytes(avro_of([{"reply": value, "ctx": FACT}], *fields))


FILES: dict[str, Callable[[Path, str | None], None]] = {
    "a.jsonl": json_lines,
    "a.csv": comma_separated,
    "a.parquet": parquet_rows,
    "a.avro": avro_rows,
}


@pytest.mark.parametrize(
    ("name", "value"), [*((name, None) for name in FILES), ("a.jsonl", ""), ("a.jsonl", " ")]
)
def test_an_empty_answer_at_the_path_of_a_map_is_unscorable(
    tmp_path: Path, name: str, value: str | None
) -> None:
    FILES[name](tmp_path / name, value)
    assert backfill(tmp_path / name, tmp_path / "out", *MAP) == 0
    [record] = records_in(tmp_path / "out")
    assert (record["verdict"], record["verdict_reason"]) == ("UNSCORABLE", "NO_TEXT")
