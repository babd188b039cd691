"""The budget of two checkers: it is the second one's, and a larger one pays for what is left."""

import shutil
from pathlib import Path

import pytest

from groundwatch.launch.cli.main import main
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always, by_answer
from tests.support.limits import limited
from tests.support.outputs import Json, records_in, summary_in, visible_files
from tests.support.runs import an_archive, backfill, crash_in, in_batches
from tests.support.wire_faults import after, status

_UNSURE, _SURE = 40, 20


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    unsure = (an_envelope(number, answer=f"Kettle {number} votes.") for number in range(_UNSURE))
    sure = (an_envelope(100 + number, query=None) for number in range(_SURE))
    return an_archive(tmp_path, *unsure, *sure)


def decided_by_second(output: Path) -> int:
    """Count the answers that the second checker decided, and verify all others."""
    records = records_in(output)
    assert len({record["record_id"] for record in records}) == len(records) == _UNSURE + _SURE
    escalated = {record["record_id"] for record in records if "ESCALATED" in record["tags"]}
    for record in records:
        is_second = record["record_id"] in escalated
        assert (record["check"]["checker"] == "local+small") is not is_second
        is_unsure = record["answer_text"].startswith("Kettle")
        assert ("NOT_ESCALATED" in record["tags"]) is (is_unsure and not is_second)
    return len(escalated)


def versions(output: Path) -> dict[str, int]:
    return {name: (output / name).stat().st_mtime_ns for name in visible_files(output)}


@limited(segment_messages=10)
def test_two_processes_keep_a_budget_together_and_pay_only_for_what_is_left(
    tmp_path: Path, archive: Path
) -> None:
    output = tmp_path / "out"
    with FaultServer() as server:
        flags = "--escalate", server.address, "--escalate_share", "0", "--workers", "2"
        for status, paid in ((3, 10), (0, _UNSURE)):
            budget = ("--max_calls", str(paid)) if status else ()
            for _ in range(2):
                assert backfill(archive, output, *flags, *budget) == status
                assert (server.requests, decided_by_second(output)) == (paid, paid)
            assert summary_in(output)["over_budget"] == _UNSURE - paid
        assert summary_in(output)["calls"] == _UNSURE
        assert list(output.glob(".groundwatch-*")) == []


@limited(segment_messages=20)
def test_a_larger_budget_pays_only_for_what_is_left(
    tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    with FaultServer() as server:
        flags = "--escalate", server.address, "--escalate_share", "0"
        assert backfill(archive, output, *flags, "--max_calls", "10") == 3
        assert "left 30 answers to the first checker" in capsys.readouterr().out
        assert (server.requests, decided_by_second(output)) == (10, 10)
        summary = summary_in(output)
        assert (summary["calls"], summary["over_budget"], summary["deferred"]) == (10, 30, 0)
        counts = {"ESCALATED": 10, "AUDITED": 0, "NOT_ESCALATED": 30}
        assert (summary["escalations"], summary["closes"]) == (counts, True)

        before = versions(output)
        assert backfill(archive, output, *flags, "--max_calls", "10") == 3
        assert "nothing was checked or written" in capsys.readouterr().err
        assert (server.requests, versions(output)) == (10, before)

        assert backfill(archive, output, *flags, "--max_calls", "25") == 3
        assert "10 checks that an earlier run has paid for" in capsys.readouterr().err
        assert (server.requests, decided_by_second(output)) == (25, 25)
        assert main(["verify", str(output)]) == 0

        assert backfill(archive, output, *flags) == 0
        assert (server.requests, decided_by_second(output)) == (_UNSURE, _UNSURE)
        summary = summary_in(output)
        assert (summary["calls"], summary["over_budget"]) == (_UNSURE, 0)
        assert len(summary["runs"]) == 1
        assert list(output.glob(".groundwatch-*")) == []
        assert backfill(archive, output, *flags) == 0
        assert server.requests == _UNSURE


def test_a_smaller_or_equal_limit_of_cost_repeats_nothing(tmp_path: Path, archive: Path) -> None:
    output = tmp_path / "out"
    with FaultServer() as server:
        flags = "--escalate", server.address, "--escalate_share", "0"
        price = *flags, "--price_per_1k_chars", "1"
        assert backfill(archive, output, *price, "--max_cost", ".5") == 3
        sent, before = server.requests, versions(output)
        assert 0 < sent < _UNSURE
        assert 0.4 < summary_in(output)["cost"] <= 0.5
        for cost in (".5", ".3"):
            assert backfill(archive, output, *price, "--max_cost", cost) == 3
        assert (server.requests, versions(output)) == (sent, before)
        assert backfill(archive, output, *price, "--max_cost", "5") == 0
        assert (server.requests, decided_by_second(output)) == (_UNSURE, _UNSURE)


def test_replies_that_are_lost_are_not_paid_for_again_without_a_word(
    tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    with FaultServer() as server:
        flags = "--escalate", server.address, "--escalate_share", "0"
        assert backfill(archive, output, *flags, "--max_calls", "10") == 3
        [folder] = output.glob(".groundwatch-*")
        shutil.rmtree(folder)
        capsys.readouterr()
        assert backfill(archive, output, *flags) == 2
        complaint = capsys.readouterr().err
        assert f"are not in {folder}" in complaint
        assert "give --again" in complaint
        assert (server.requests, decided_by_second(output)) == (10, 10)
        assert list(output.glob(".groundwatch-*")) == []
        assert backfill(archive, output, *flags, "--again") == 0
        assert (server.requests, decided_by_second(output)) == (10 + _UNSURE, _UNSURE)


def test_a_run_with_a_larger_budget_that_died_is_gone_on_with(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    with FaultServer() as server:
        flags = "--escalate", server.address, "--escalate_share", "0"
        assert in_batches(archive, output, *flags, "--max_calls", "10") == 3
        with monkeypatch.context() as patched:
            crash_in(patched, 4)
            assert in_batches(archive, output, *flags) == 1
        assert 10 < server.requests < _UNSURE
        # A reader still sees the results of the first run.
        assert decided_by_second(output) == 10
        assert in_batches(archive, output, *flags) == 0
        assert (server.requests, decided_by_second(output)) == (_UNSURE, _UNSURE)


def test_all_calls_of_an_answer_that_were_paid_for_are_kept(tmp_path: Path) -> None:
    # Two calls: the second one is over the budget while the first one is under way.
    facts = [f"Lamp {number} glows red at night." for number in range(250)]
    line = an_envelope(1, answer="Kettles vote in Senegal.", facts=facts)
    archive, output = an_archive(tmp_path, line), tmp_path / "out"
    with FaultServer(always(after(0.3))) as server:
        flags = "--escalate", server.address
        assert backfill(archive, output, *flags, "--max_calls", "1") == 3
        assert server.requests == 1
        [record] = records_in(output)
        assert "NOT_ESCALATED" in record["tags"]
        assert backfill(archive, output, *flags) == 0
        [record] = records_in(output)
        assert server.requests == record["check"]["calls"] == 2


def test_a_replay_leaves_what_its_budget_does_not_allow_for_a_larger_one(
    tmp_path: Path, archive: Path
) -> None:
    output = tmp_path / "out"
    away = by_answer({f"Kettle {n} votes.": status(503, "UNAVAILABLE") for n in range(_UNSURE)})
    with FaultServer(away) as server:
        flags = "--escalate", server.address, "--escalate_share", "0", "--max_attempts", "1"
        assert backfill(archive, output, *flags) == 3
    assert len(records_in(output)) == _SURE
    replay = ["replay", "--failures", f"{output}/failures/*.jsonl", "--output", str(output)]
    with FaultServer() as server:
        flags = "--escalate", server.address, "--escalate_share", "0"
        assert main([*replay, *flags, "--max_calls", "10"]) == 3
        assert server.requests == 10
        assert tagged(records_in(output)) == 10
        assert main([*replay, *flags]) == 0
        assert server.requests == _UNSURE
    assert decided_by_second(output) == _UNSURE
    assert main(["verify", str(output)]) == 0


def tagged(records: list[Json]) -> int:
    """Count the answers that the second checker decided; none keeps the first one's verdict."""
    tags = [record["tags"] for record in records]
    assert not any("NOT_ESCALATED" in each for each in tags)
    return sum("ESCALATED" in each for each in tags)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_calls_of_a_first_checker_that_is_a_server_are_counted_limited_and_paid_once(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    output = tmp_path / "out"
    distinct = _UNSURE + 1  # The sure ones are equal.
    with FaultServer() as first, FaultServer() as second:
        flags = "--checker", first.address, "--escalate", second.address, "--escalate_share", "0"
        with monkeypatch.context() as patch:
            crash_in(patch, 3)
            assert in_batches(archive, output, *flags) == 1
        sent = first.requests + second.requests
        assert 0 < sent < distinct + _UNSURE
        budget = "--max_calls", str(sent + 5)
        assert backfill(archive, output, *flags, *budget, "--workers", workers) == 3
        assert first.requests + second.requests == summary_in(output)["calls"] == sent + 5
        assert summary_in(output)["deferred"] > 0
        assert backfill(archive, output, *flags, "--workers", workers) == 0
        assert (first.requests, second.requests) == (distinct, _UNSURE)
    records = records_in(output)
    assert len(records) == _UNSURE + _SURE
    assert summary_in(output)["calls"] == distinct + _UNSURE
