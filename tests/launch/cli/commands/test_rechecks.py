"""Backfills over what groundwatch itself wrote: the same answers, checked again."""

from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.cli.samples import sample_paths
from tests.support import wire_faults
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always
from tests.support.outputs import failures_in, records_in, summary_in
from tests.support.runs import an_archive, backfill


def check_again(output: Path, again: Path, *flags: str) -> int:
    return backfill(output / "enriched" / "**" / "*.avro", again, *flags)


def by_id(output: Path) -> dict[str, Any]:
    """The records without the fields about how they were checked."""
    return {record["record_id"]: record | {"check": None} for record in records_in(output)}


def verdicts(records: dict[str, Any]) -> dict[str, str]:
    return {record["answer_name"]: record["verdict"] for record in records.values()}


def test_the_same_settings_give_the_same_records(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert main(["backfill", "--input", *sample_paths(), "--output", str(first)]) == 0
    assert check_again(first, second) == 0
    assert by_id(second) == by_id(first) != {}
    summaries = [summary_in(output) for output in (first, second)]
    assert summaries[0]["verdicts"] == summaries[1]["verdicts"]
    assert summaries[1]["read"] == summaries[1]["enriched"] == summaries[0]["enriched"]


def test_another_threshold_gives_other_verdicts_to_the_same_answers(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    archive = an_archive(tmp_path, an_envelope(1), an_envelope(2, facts=[]))
    assert backfill(archive, first, "--claim_threshold", "1", "--low_grounded_threshold", "1") == 0
    assert check_again(first, second) == 0
    before, after = by_id(first), by_id(second)
    assert verdicts(before) == {"answer-1": "LOW_GROUNDED", "answer-2": "UNSCORABLE"}
    assert verdicts(after) == {"answer-1": "GROUNDED", "answer-2": "UNSCORABLE"}
    replaced = {"verdict": "", "verdict_reason": "", "tags": []}
    assert {key: record | replaced for key, record in after.items()} == {
        key: record | replaced for key, record in before.items()
    }


def test_what_a_second_check_cannot_reach_is_replayed_under_the_same_ids(tmp_path: Path) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    assert backfill(an_archive(tmp_path, an_envelope(1), an_envelope(2)), first) == 0
    with FaultServer(always(wire_faults.status(503, "UNAVAILABLE"))) as server:
        flags = "--checker", server.address, "--max_attempts", "1"
        assert check_again(first, second, *flags) == 3
    assert records_in(second) == []
    failures = str(second / "failures" / "*.jsonl")
    given = "--failures", failures, "--output", str(third), "--checker", "local"
    assert main(["replay", *given]) == 0
    assert by_id(third) == by_id(first)


@pytest.mark.parametrize("mode", ["none", "hash"])
def test_records_without_their_texts_fail_and_say_why(mode: str, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert backfill(an_archive(tmp_path, an_envelope(1)), first, "--text", mode) == 0
    assert check_again(first, second) == 1
    [failure] = failures_in(second)
    assert failure["retryable"] is False
    assert "written with --text none or hash" in failure["error"]
    assert summary_in(second)["closes"] is True
