"""All counts of a report."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.report.counts.tally import (
    OTHERS,
    Latencies,
    NameCounts,
    ScoreHistogram,
    Tally,
)
from groundwatch.launch.results.report.counts.untrusted_names import sources_of
from groundwatch.pipeline.sources.output_records import AlertLine, FailureLine, RateState
from groundwatch.schemas.enriched_answer import AnswerRow, EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.builders import a_check, a_fact, an_enriched
from tests.support.reports import a_low, row_of


def tally_of(*answers: EnrichedAnswer, thresholds: Thresholds | None = None) -> Tally:
    tally = Tally(thresholds or Thresholds())
    for answer in answers:
        tally.add_answer(row_of(answer))
    return tally


def unchecked(verdict: Verdict, reason: str, **fields: Any) -> EnrichedAnswer:
    given: dict[str, Any] = {
        "verdict": verdict,
        "verdict_reason": reason,
        "support_score": None,
        "min_claim_score": None,
        "claims": (),
        "check": None,
        "tags": (),
    }
    return an_enriched(**given | fields)


POLICY = unchecked(Verdict.POLICY_SKIPPED, "SAFETY", skip_reasons=("SAFETY", "SPII"))
REPORTED_LOW = unchecked(Verdict.LOW_GROUNDED, "LOW_GROUNDED_ANSWER")


def test_verdicts_and_reasons_are_counted() -> None:
    tally = tally_of(an_enriched(), a_low(), POLICY, REPORTED_LOW)
    assert (tally.answers, tally.assessed, tally.low_grounded) == (4, 3, 2)
    assert tally.skip_reasons.most_common(5) == [("SAFETY", 1), ("SPII", 1)]
    assert dict(tally.reasons.most_common(9))["LOW_GROUNDED_ANSWER"] == 1


def test_an_answer_without_scores_is_in_no_distribution() -> None:
    tally = tally_of(an_enriched(), POLICY, REPORTED_LOW)
    counts = [sum(each.values()) for each in (tally.support_scores, tally.claim_scores)]
    assert (counts, tally.grid.total()) == ([1, 1], 1)


def test_answers_that_alert_under_any_thresholds_are_counted() -> None:
    unscorable = unchecked(Verdict.UNSCORABLE, "NO_FACTS")
    assert tally_of(a_low(), POLICY, REPORTED_LOW, unscorable).unscored_alerts == 2


def test_calls_are_summed_without_cached_answers() -> None:
    paid = an_enriched(check=a_check(calls=2, attempts=5, characters=100, latency_ms=7))
    cached = an_enriched(check=a_check(calls=0, attempts=0, characters=0, cached=True))
    tally = tally_of(paid, cached, POLICY)
    assert (tally.checked, tally.cached) == (2, 1)
    assert (tally.calls, tally.characters) == (5, 100)
    assert tally.latencies.quantile_ms(1.0) == 7


def test_a_document_counts_once_for_an_answer() -> None:
    facts = (
        a_fact("One.", document="d", uri="u", title="Lamps"),
        a_fact("Two.", document="d", title="Other"),
        a_fact("Three.", uri="u"),
        a_fact("Four."),
    )
    answer = row_of(an_enriched(facts=facts))
    assert sources_of(answer) == {"d": "Lamps", "u": None}


def test_a_hashed_title_is_left_out() -> None:
    hashed, titled = f"sha256:{'0' * 64}", "sha256: how hashes work"
    facts = a_fact("One.", uri="u", title=hashed), a_fact("Two.", uri="v", title=titled)
    answer = row_of(an_enriched(facts=facts))
    tally = Tally(Thresholds())
    tally.add_answer(answer)
    assert {key: group.title for key, group in tally.sources.items()} == {"u": None, "v": titled}


@pytest.mark.parametrize(
    ("thresholds", "unexplained"),
    [(Thresholds(), 0), (Thresholds(claim=0.05, low_grounded=0.2), 1), (Thresholds(claim=0.85), 1)],
    ids=["those of the run", "a low one that would not be", "a grounded one that would be low"],
)
def test_verdicts_of_other_thresholds_are_counted(thresholds: Thresholds, unexplained: int) -> None:
    assert (
        tally_of(an_enriched(), a_low(), thresholds=thresholds).unexplained_verdicts == unexplained
    )


def test_a_contradiction_decides_under_any_thresholds() -> None:
    low = Thresholds(claim=0.05, low_grounded=0.1)
    tally = tally_of(an_enriched(), a_low(verdict_reason="CONTRADICTION"), thresholds=low)
    assert (tally.unexplained_verdicts, tally.contradicting) == (0, 1)


def test_a_row_of_a_later_or_an_earlier_schema_is_counted() -> None:
    least = {"record_id": "a", "verdict": "NEW_VERDICT", "verdict_reason": "x", "new_field": 1}
    tally = Tally(Thresholds())
    tally.add_answer(msgspec.convert(least, AnswerRow))
    assert dict(tally.verdicts) == {"NEW_VERDICT": 1}


@pytest.mark.parametrize("field", ["engine", "session"])
def test_a_long_name_is_cut(field: str) -> None:
    tally = tally_of(an_enriched(**{field: "x" * 1_000}))
    [group] = getattr(tally, f"{field}s").ranked(9)
    assert len(group.key) == 300


def a_failure(error_class: str = "Unavailable") -> FailureLine:
    return FailureLine(
        step="CheckGrounding",
        error_class=error_class,
        error="The checker did not answer.",
        retryable=error_class == "Unavailable",
    )


def tally_of_failures(*failures: FailureLine) -> Tally:
    tally = Tally(Thresholds())
    for failure in failures:
        tally.add_failure(failure)
    return tally


def test_failures_are_counted_by_class_the_most_frequent_first() -> None:
    tally = tally_of_failures(a_failure(), a_failure("Rejected"), a_failure())
    found = [(each.error_class, each.failures, each.retryable) for each in tally.failures()]
    assert found == [("Unavailable", 2, 2), ("Rejected", 1, 0)]


def test_alerts_are_counted_by_kind_and_severity() -> None:
    tally = Tally(Thresholds())
    tally.add_alert(AlertLine(kind="answer", severity="warning"))
    tally.add_alert(
        AlertLine(kind="rate", severity="critical", rate=RateState(signal="low_grounded"))
    )
    assert tally.alert_kinds == {"answer": 1, "rate": 1}
    assert tally.severities == {"warning": 1, "critical": 1}
    assert [alert.kind for alert in tally.rate_alerts] == ["rate"]


def test_the_latest_rate_alerts_are_kept() -> None:
    tally = Tally(Thresholds())
    for number in range(100):
        tally.add_alert(AlertLine(kind="rate", rate=RateState(answers=number)))
    kept = [alert.rate.answers for alert in tally.rate_alerts if alert.rate]
    assert kept == list(range(88, 100))


def test_names_beyond_a_thousand_count_as_others() -> None:
    counts = NameCounts()
    for number in range(1_010):
        counts.add(f"reason {number}")
    counts.add("reason 1")
    assert dict(counts.most_common(2_000))[OTHERS] == 10
    assert counts.most_common(2) == [(OTHERS, 10), ("reason 1", 2)]


@pytest.mark.parametrize(
    ("score", "place"), [(0.0, 0), (0.049, 0), (0.05, 1), (0.6, 12), (0.5999, 11), (1.0, 19)]
)
def test_a_score_on_an_edge_belongs_to_the_upper_bin(score: float, place: int) -> None:
    histogram = ScoreHistogram()
    histogram.add(score)
    assert histogram == {place: 1}


def test_a_missing_score_is_not_counted() -> None:
    histogram = ScoreHistogram()
    histogram.add(None)
    assert not histogram


def test_without_a_latency_there_is_not_a_quantile() -> None:
    assert Latencies().quantile_ms(0.5) is None


@pytest.mark.parametrize(("share", "latency_ms"), [(0.5, 50), (0.9, 90), (0.99, 99), (1.0, 100)])
def test_quantiles_of_one_to_a_hundred(share: float, latency_ms: int) -> None:
    latencies = Latencies()
    for each in range(1, 101):
        latencies.add(each)
    assert latencies.quantile_ms(share) == latency_ms


@given(st.lists(st.integers(0, 10_000_000), min_size=1))
def test_the_median_is_exact_to_a_tenth(given_ms: list[int]) -> None:
    latencies = Latencies()
    for each in given_ms:
        latencies.add(each)
    exact = sorted(given_ms)[(len(given_ms) - 1) // 2]
    median = latencies.quantile_ms(0.5)
    assert median is not None
    assert exact * 0.9 <= median <= exact
    assert latencies.max_ms == max(given_ms)
