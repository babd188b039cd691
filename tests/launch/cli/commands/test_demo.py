"""`groundwatch demo`: the whole job on the bundled sample, record by record."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from groundwatch.launch.cli.terminal.figures import ACCURACY
from groundwatch.schemas.verdict import Tag
from tests.support.answer_messages import parse_answer
from tests.support.commands import WITHOUT_EXTRAS, WITHOUT_NETWORK, run
from tests.support.outputs import (
    Json,
    alerts_in,
    failures_in,
    original_bytes,
    records_in,
    summary_in,
)
from tests.support.sample import (
    BAD_RELEASE,
    BAD_RELEASE_ENGINE,
    DUPLICATE,
    FAILURE,
    sample_messages,
)

_DEMO = f"""{WITHOUT_NETWORK}{WITHOUT_EXTRAS}
from groundwatch.launch.cli.main import main
sys.exit(main(["demo", "--output", sys.argv[1]]))
"""

BLIND_SPOTS = {
    "Pull its power lead briefly, then reconnect; your configuration survives": "LOW_GROUNDED",
    "Unsealed packaging never diminishes what gets reimbursed.": "LOW_GROUNDED",
    "To restart the Clamp, unplug it for 10 seconds.": "GROUNDED",
    "Guests can change schedules and see costs.": "GROUNDED",
}
"""Where the embedded checker is wrong.

True answers in other words than the article's are flagged, and false ones in its words are not.
"""


@dataclass
class Demo:
    """One demo in a process that may open no connection."""

    output: Path
    status: int
    screen: str
    complained: str


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The one demo that all tests here look at."""
    folder = tmp_path_factory.mktemp("demo")
    return Demo(folder, *run("-c", _DEMO, str(folder)))


@pytest.fixture(scope="module")
def output(demo: Demo) -> Path:
    """Its folder."""
    return demo.output


def test_every_message_ends_where_it_is_meant_to_end(output: Path) -> None:
    found = {record["record_id"]: record["verdict"] for record in records_in(output)}
    assert found == {
        parse_answer(each.message).record_id: each.outcome
        for each in sample_messages()
        if each.outcome not in {FAILURE, DUPLICATE}
    }
    assert len(records_in(output)) == len(found)


@pytest.fixture(scope="module")
def records(output: Path) -> list[Json]:
    """Its records."""
    return records_in(output)


@pytest.mark.parametrize(("claim", "verdict"), BLIND_SPOTS.items())
def test_the_blind_spots_of_the_checker_are_shown(
    records: list[Json], claim: str, verdict: str
) -> None:
    assert {each["verdict"] for each in records if claim in each["answer_text"]} == {verdict}


def test_formats_carriers_and_presets_are_read(records: list[Json]) -> None:
    assert {record["source_format"] for record in records} == {
        "discoveryengine.answer",
        "discoveryengine.answer_query",
        "discoveryengine.stream_answer",
        "gemini.generate_answer",
        "gemini.candidate",
        "gemini.generate_content",
        "groundwatch.envelope",
        "langfuse.trace",
    }
    assert any(record["trace_id"] and record["span_id"] for record in records)


def test_every_tag_is_given_to_some_answer(records: list[Json]) -> None:
    # Only messages to a topic have the first, and only old records the next two. No answer of the
    # sample differs from its facts in a date alone, none is read by a field map or has reasoning.
    # There is no second checker, and no very long claim.
    expected = set(Tag) - {Tag.FACTS_DROPPED, Tag.ANTONYM_MISMATCH, Tag.NAME_MISMATCH}
    expected -= {Tag.DATE_MISMATCH, Tag.SOURCE_WITHOUT_TEXT, Tag.REASONING_REMOVED}
    expected -= {Tag.AUDITED, Tag.ESCALATED, Tag.NOT_ESCALATED}
    expected -= {Tag.PARTLY_COMPARED}
    assert {tag for record in records for tag in record["tags"]} == expected


def test_every_reason_for_an_unscorable_answer_is_given(records: list[Json]) -> None:
    reasons = {each["verdict_reason"] for each in records if each["verdict"] == "UNSCORABLE"}
    assert reasons == {"NO_TEXT", "NO_FACTS", "NO_CLAIMS", "OVER_LIMIT"}


def test_grounded_answers_stay_clear_of_the_thresholds(records: list[Json]) -> None:
    grounded = [record for record in records if record["verdict"] == "GROUNDED"]
    assert min(record["min_claim_score"] or 1.0 for record in grounded) >= 0.43


def test_every_message_that_is_broken_is_a_failure_with_its_bytes(output: Path) -> None:
    broken = Counter(each.message.payload for each in sample_messages() if each.outcome == FAILURE)
    assert Counter(map(original_bytes, failures_in(output))) == broken
    assert {failure["retryable"] for failure in failures_in(output)} == {False}


def test_the_summary_counts_what_is_expected_and_closes(output: Path) -> None:
    outcomes = Counter(each.outcome for each in sample_messages())
    summary = summary_in(output)
    assert summary["closes"] is True
    assert (summary["failures"], summary["duplicates"]) == (
        outcomes.pop(FAILURE),
        outcomes.pop(DUPLICATE),
    )
    assert summary["verdicts"] == outcomes
    assert summary["enriched"] == outcomes.total() == len(records_in(output))
    assert summary["read"] == len(sample_messages())
    assert summary["alerts"] == len(alerts_in(output))
    assert summary["retries"] == summary["sampled_out"] == 0


def test_every_claim_is_cut_out_of_its_answer_by_its_offsets(output: Path) -> None:
    claims = 0
    for record in records_in(output):
        answer = record["answer_text"].encode()
        for claim in record["claims"]:
            assert answer[claim["start"] : claim["end"]] == claim["text"].encode()
        claims += len(record["claims"])
    assert claims > 300


def test_what_a_claim_cites_is_a_fact_of_its_answer(output: Path) -> None:
    for record in records_in(output):
        cited = {fact for claim in record["claims"] for fact in claim["citations"]}
        assert cited <= set(range(len(record["facts"])))


def test_an_answer_that_was_decided_without_a_call_has_no_check(output: Path) -> None:
    checked = [record for record in records_in(output) if record["check"]]
    assert {record["check"]["checker"] for record in checked} == {"local+small"}
    assert sum(record["check"]["calls"] for record in checked) == summary_in(output)["calls"]
    assert {record["verdict"] for record in checked} == {"GROUNDED", "LOW_GROUNDED", "UNSCORABLE"}


def test_each_low_grounded_or_policy_skipped_answer_alerts_once_and_without_a_word_of_it(
    output: Path,
) -> None:
    alerts = [alert for alert in alerts_in(output) if alert["kind"] == "answer"]
    assert Counter(alert["record_id"] for alert in alerts) == Counter(
        record["record_id"]
        for record in records_in(output)
        if record["verdict"] in {"LOW_GROUNDED", "POLICY_SKIPPED"}
    )
    assert {alert["answer_text"] for alert in alerts} == {None}
    assert {(alert["worst_claim"] or {}).get("text") for alert in alerts} == {None}


def test_the_bad_release_opens_one_episode_and_closes_it(output: Path) -> None:
    rates = [alert for alert in alerts_in(output) if alert["kind"] == "rate"]
    assert [(alert["engine"], alert["rate"]["signal"]) for alert in rates] == [
        (BAD_RELEASE_ENGINE, "low_grounded")
    ] * 2
    opened, closed = sorted(rates, key=lambda alert: alert["event_time"])
    assert (opened["rate"]["state"], closed["rate"]["state"]) == ("open", "closed")
    assert opened["event_time"] == opened["rate"]["opened_at"] == closed["rate"]["opened_at"]
    hour = f"{BAD_RELEASE:%Y-%m-%dT%H}"
    assert opened["event_time"].startswith(hour)
    assert (opened["severity"], closed["severity"]) == ("critical", "info")


def test_the_demo_opens_no_connection_and_complains_of_nothing(demo: Demo) -> None:
    assert (demo.status, demo.complained) == (0, "")


def test_a_person_is_reported_what_came_of_it(demo: Demo) -> None:
    for line in (
        "242 messages in",
        "8 failures (8 UnreadableAnswer), 10 duplicates: every message",
    ):
        assert line in demo.screen
    assert re.search(r"\n  LOW_GROUNDED +37  █{9} *\n", demo.screen)
    flagged = (
        "37 of 180 scored answers flagged by the embedded checker (33), or reported by the"
        " generator (4); 3 for a contradiction."
    )
    assert f"{flagged} {ACCURACY['local+small']}" in " ".join(demo.screen.split())
    assert demo.screen.count("query: ") == 5
    for kind in ("enriched", "alerts", "failures", "summary.json"):
        assert f"\n  {demo.output}/{kind}" in demo.screen


def test_without_a_terminal_nothing_is_coloured(demo: Demo) -> None:
    assert {character for character in demo.screen if not character.isprintable()} == {"\n"}
