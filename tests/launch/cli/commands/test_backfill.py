"""`groundwatch backfill` from its flags to its files, in good times and in bad."""

import errno
import gzip
import json
import re
import socket
import time
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest

from groundwatch.pipeline import build, storage
from groundwatch.transforms import tag_answers
from tests.support import wire_faults
from tests.support.archives import an_envelope, lines_of
from tests.support.fault_server import FaultServer, always
from tests.support.outputs import (
    alerts_in,
    failures_in,
    original_bytes,
    records_in,
    summary_in,
    visible_files,
)
from tests.support.runs import an_archive, backfill

UNREADABLE = {
    "bad UTF-8": b'{"answer": "Caf\xe9", "facts": []}',
    "cut JSON": b'{"answer": "Lamps glow", "fac',
    "nesting bomb": b"[" * 100_000,
    "deep in an envelope": b'{"answer": "x", "facts": ' + b"[" * 150 + b"]" * 150 + b"}",
    "NaN": b'{"answerText": "x", "groundingScore": NaN}',
    "duplicate keys": b'{"answer": "x", "answer": "y", "facts": []}',
    "lone surrogate": b'{"answer": "x \\ud83d", "facts": []}',
    "wrong type of a text": b'{"answerText": 42, "state": "SUCCEEDED"}',
    "wrong type of facts": b'{"answer": "x", "facts": 5}',
    "a scalar": b"42",
    "a null byte": b"\0",
    "two values": b'{"answer": "x"} {"answer": "y"}',
    "an object of no kind": b'{"event": "page_view"}',
    "over 10,000,000 bytes": b'{"answer": "' + b"x" * 10_000_000 + b'"}',
}


@pytest.mark.parametrize("flag", ["--checker", "--escalate"])
def test_a_checker_that_is_not_there_is_named_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    archive = an_archive(tmp_path, an_envelope(1))
    started_s = time.monotonic()
    assert backfill(archive, tmp_path / "out", flag, address) == 1
    assert time.monotonic() - started_s < 30
    assert (
        f"cannot connect to {address} (connection refused): start the checker, or choose another"
        f" with {flag}"
    ) in capsys.readouterr().err


def test_a_line_without_an_answer_is_one_failure_with_its_bytes_and_the_rest_is_checked(
    tmp_path: Path,
) -> None:
    lines = [
        line
        for number, bad in enumerate(UNREADABLE.values())
        for line in (an_envelope(number), bad, b"", b" \r")
    ]
    archive = an_archive(tmp_path, *lines)
    assert backfill(archive, tmp_path / "out") == 0
    failures = failures_in(tmp_path / "out")
    assert [original_bytes(failure) for failure in failures] == [*UNREADABLE.values()]
    assert {failure["error_class"] for failure in failures} == {"UnreadableAnswer"}
    assert {failure["step"] for failure in failures} == {"ParseAnswers"}
    assert [failure["source"] for failure in failures] == [
        f"{archive}#{4 * number + 2}" for number in range(len(UNREADABLE))
    ]
    assert len(records_in(tmp_path / "out")) == len(UNREADABLE)
    summary = summary_in(tmp_path / "out")
    assert summary["closes"] is True
    assert (summary["read"], summary["failures"]) == (2 * len(UNREADABLE), len(UNREADABLE))


def test_the_complete_gzip_members_of_a_truncated_archive_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    members = [
        gzip.compress(lines_of(*map(an_envelope, range(start, start + 25)))) for start in (0, 25)
    ]
    (tmp_path / "cut.jsonl.gz").write_bytes(b"".join(members)[:-30])
    (tmp_path / "good.jsonl.gz").write_bytes(gzip.compress(lines_of(an_envelope(77))))
    assert backfill(tmp_path / "*.gz", tmp_path / "out") == 1
    place = f"{tmp_path}/cut.jsonl.gz#after-record-25"
    fault = f"gzip member 2, from byte {len(members[0])}, is damaged before byte "
    assert f"damaged archives: 1\n  {place}: {fault}" in capsys.readouterr().err
    [failure] = failures_in(tmp_path / "out")
    assert "cut.jsonl.gz is damaged after 25 records" in caplog.text
    assert (failure["step"], failure["retryable"]) == ("ReadMessages", False)
    assert failure["source"] == place
    assert failure["error"].startswith(fault)
    assert len(records_in(tmp_path / "out")) == 26
    assert summary_in(tmp_path / "out")["closes"] is True


def test_an_empty_archive_is_a_run_without_answers(tmp_path: Path) -> None:
    assert backfill(an_archive(tmp_path), tmp_path / "out") == 1
    summary = summary_in(tmp_path / "out")
    assert (summary["read"], summary["closes"], summary["mean_latency_ms"]) == (0, True, None)
    assert visible_files(tmp_path / "out") == [
        "report.html",
        f"runs/{summary['run']}-{summary['runs'][0]['journal']}.json",
        "summary.json",
    ]


def test_without_a_checker_every_answer_is_left_for_a_replay(tmp_path: Path) -> None:
    lines = [an_envelope(1), an_envelope(2), an_envelope(3, facts=[])]
    with FaultServer(always(wire_faults.reset)) as server:
        flags = ["--checker", server.address, "--max_attempts", "1"]
        assert backfill(an_archive(tmp_path, *lines), tmp_path / "out", *flags) == 3
    failures = failures_in(tmp_path / "out")
    assert {original_bytes(failure) for failure in failures} == set(lines[:2])
    assert [(failure["retryable"], failure["attempts"]) for failure in failures] == [(True, 1)] * 2
    assert all(re.fullmatch("[0-9a-f]{64}", failure["record_id"]) for failure in failures)
    [record] = records_in(tmp_path / "out")
    assert (record["verdict"], record["check"]) == ("UNSCORABLE", None)
    assert summary_in(tmp_path / "out")["retryable_failures"] == 2


@pytest.mark.parametrize("status", [403, 404])
def test_a_checker_that_refuses_every_call_ends_the_run_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], status: int
) -> None:
    archive = an_archive(tmp_path, an_envelope(1), an_envelope(2))
    with FaultServer(always(wire_faults.status(status, "NO_ENTRY"))) as server:
        assert backfill(archive, tmp_path / "out", "--checker", server.address) == 1
    screen = capsys.readouterr()
    assert screen.err.startswith("groundwatch: the run failed: ")
    assert f"HTTP {status} NO_ENTRY" in screen.err
    assert screen.err.count("\n") == 1
    assert "Traceback" not in screen.err
    assert "Lamps" not in screen.err
    assert screen.out == ""
    assert has_ended_without_results(tmp_path / "out")


def has_ended_without_results(output: Path) -> bool:
    """Whether nothing but the summary of an unfinished run is visible."""
    names = [name.partition("/")[0] for name in visible_files(output)]
    return names == ["runs", "summary.json"] and summary_in(output)["unfinished"] is True


class _LoseOne(beam.PTransform):
    """A step with a defect: it forgets an answer and counts nothing."""

    def __init__(self, *_: Any) -> None:
        super().__init__()

    def expand(self, answers: beam.PCollection) -> beam.PCollection:
        return answers | "Forget" >> beam.Filter(_is_not_the_second)


def _is_not_the_second(answer: Any) -> bool:
    return not answer.message.place.endswith("#2")


def test_counts_that_do_not_close_fail_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "Deduplicate", _LoseOne)
    archive = an_archive(tmp_path, *map(an_envelope, range(3)))
    assert backfill(archive, tmp_path / "out") == 1
    assert capsys.readouterr().err == (
        "groundwatch: the run failed: the counts do not add up: 1 of 3 messages ended nowhere\n"
    )
    assert has_ended_without_results(tmp_path / "out")


def test_a_defect_is_reported_by_its_place_and_never_by_an_answers_text(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    def stumble(checked: Any, _: Any) -> None:
        raise ValueError(checked.answer.answer_text)

    monkeypatch.setattr(tag_answers, "tag_answer", stumble)
    archive = an_archive(tmp_path, an_envelope(1, answer="my-secret"))
    assert backfill(archive, tmp_path / "out") == 1
    screen = capsys.readouterr().err
    assert "in stumble" in screen
    assert screen.endswith("the run failed: a defect: ValueError; please report the lines above\n")
    assert "my-secret" not in screen
    assert "my-secret" not in caplog.text
    assert has_ended_without_results(tmp_path / "out")


def test_a_rename_that_fails_ends_the_run_and_no_summary_says_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = an_archive(tmp_path, an_envelope(1))
    assert backfill(archive, tmp_path / "out") == 0

    def refuse(_: str, path: str) -> None:
        raise OSError(errno.EIO, "Input/output error", path)

    monkeypatch.setattr(storage, "publish_new", refuse)
    assert backfill(archive, tmp_path / "out", "--again") == 1
    screen = capsys.readouterr().err
    assert screen.splitlines()[1].startswith("groundwatch: the run failed: ")
    assert "Input/output error" in screen
    assert "Traceback" not in screen
    assert summary_in(tmp_path / "out")["unfinished"] is True
    assert len(records_in(tmp_path / "out")) == 1


def test_settings_reach_the_steps(tmp_path: Path) -> None:
    lines = [
        an_envelope(1, answer="Kettles vote in Senegal."),
        json.dumps({"answerText": "x", "answerSkippedReasons": ["NO_RELEVANT_CONTENT"]}).encode(),
    ]
    flags = ["--claim_threshold", "0", "--low_grounded_threshold", "0", "--text", "none"]
    flags += ["--move_reason", "NO_RELEVANT_CONTENT=POLICY_SKIPPED"]
    flags += ["--alert_verdicts", "GROUNDED", "--price_per_1k_chars", "1000"]
    assert backfill(an_archive(tmp_path, *lines), tmp_path / "out", *flags) == 0
    found = {record["verdict"]: record for record in records_in(tmp_path / "out")}
    assert set(found) == {"GROUNDED", "POLICY_SKIPPED"}
    assert found["GROUNDED"]["answer_text"] == ""
    assert [alert["verdict"] for alert in alerts_in(tmp_path / "out")] == ["GROUNDED"]
    summary = summary_in(tmp_path / "out")
    assert summary["cost"] == summary["characters"] == 48


def test_several_workers_find_the_same_duplicates(tmp_path: Path) -> None:
    lines = [an_envelope(1), an_envelope(2), an_envelope(1)]
    archive = an_archive(tmp_path, *lines)
    assert backfill(archive, tmp_path / "out", "--runner", "FnApiRunner") == 0
    summary = summary_in(tmp_path / "out")
    assert (summary["enriched"], summary["duplicates"], summary["closes"]) == (2, 1, True)
