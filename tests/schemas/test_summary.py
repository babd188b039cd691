"""The summary of a run: its sums and its JSON."""

import json
from typing import Any

import pytest

from groundwatch.schemas.summary import (
    RunCounts,
    Summary,
    summary_from_json,
    summary_to_json,
    total_counts,
)
from tests.support.builders import NOON_US


def a_summary(**fields: Any) -> Summary:
    given = {
        "run": "r1",
        "checker": "local",
        "read": 10,
        "enriched": 6,
        "failures": 2,
        "duplicates": 1,
        "sampled_out": 1,
        "verdicts": {"GROUNDED": 5, "LOW_GROUNDED": 1},
        "alerts": 1,
        "failures_by_error": {},
        "retryable_failures": 0,
        "damaged_archives": 0,
        "calls": 6,
        "retries": 0,
        "characters": 600,
        "cost": None,
        "mean_latency_ms": 1.5,
        "max_latency_ms": 3,
        "started_at_us": NOON_US,
        "finished_at_us": NOON_US + 1_000_000,
    }
    return Summary(**given | fields)


SUMS = {
    "closes": ({}, True),
    "nothing read": (
        dict.fromkeys(("read", "enriched", "failures", "duplicates", "sampled_out"), 0)
        | {"verdicts": {}},
        True,
    ),
    "one lost": ({"read": 11}, False),
    "one doubled": ({"read": 9}, False),
    "a record without a verdict": ({"verdicts": {"GROUNDED": 5}}, False),
    "a count below zero": ({"read": 4, "failures": -4}, False),
    "a count of an error below zero": ({"failures_by_error": {"ServerError": -1}}, False),
}


@pytest.mark.parametrize(("fields", "closes"), SUMS.values(), ids=SUMS)
def test_a_summary_closes_if_every_answer_ended_in_one_place(
    fields: dict[str, Any], closes: bool
) -> None:
    summary = a_summary(**fields)
    assert summary.closes is closes
    assert json.loads(summary_to_json(summary))["closes"] is closes


def test_a_summary_has_its_counts_at_the_top_level_and_rfc_3339_times() -> None:
    written = json.loads(summary_to_json(a_summary()))
    counts = ("read", "enriched", "failures", "duplicates", "sampled_out")
    assert [written[name] for name in counts] == [10, 6, 2, 1, 1]
    assert written["verdicts"] == {"GROUNDED": 5, "LOW_GROUNDED": 1}
    assert written["started_at"] == "2026-03-03T12:00:00.000000Z"
    assert written["finished_at"] == "2026-03-03T12:00:01.000000Z"


def test_a_summary_is_read_as_it_was_written() -> None:
    summary = a_summary(deferred=3, thresholds={"claim": 0.4})
    assert summary_from_json(summary_to_json(summary)) == summary


def test_a_summary_of_version_1_names_its_deferred_answers_left() -> None:
    fields = json.loads(summary_to_json(a_summary(deferred=3)))
    fields["left"] = fields.pop("deferred")
    assert summary_from_json(json.dumps(fields).encode()) == a_summary(deferred=3)


def test_the_counts_of_parts_are_added_up() -> None:
    parts = [
        RunCounts(
            read=2, verdicts={"GROUNDED": 2, "UNSCORABLE": 0}, latency_ms=5, max_latency_ms=4
        ),
        RunCounts(
            read=1, verdicts={"GROUNDED": -1}, failures_by_error={"B": 1, "A": 2}, max_latency_ms=3
        ),
    ]
    total = total_counts(parts)
    assert total == RunCounts(
        read=3,
        verdicts={"GROUNDED": 1, "UNSCORABLE": 0},
        failures_by_error={"A": 2, "B": 1},
        latency_ms=5,
        max_latency_ms=4,
    )
    assert list(total.failures_by_error) == ["A", "B"]
    assert total_counts([]) == RunCounts()
