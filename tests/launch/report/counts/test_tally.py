"""Everything counted together."""

from typing import Any

import pytest

from launch.report.counts.tally import Tally
from launch.report.output_records import FailureLine, Source, answer_from_row
from schemas.enriched_answer import EnrichedAnswer
from schemas.verdict import Verdict
from tests.support.builders import a_check, a_fact, an_enriched
from tests.support.reports import a_low, row_of
from transforms.rules.tagging import Thresholds


def tally_of(
    *answers: EnrichedAnswer,
    labels: dict[str, bool] | None = None,
    thresholds: Thresholds | None = None,
) -> Tally:
    tally = Tally(thresholds or Thresholds(), labels or {})
    for answer in answers:
        tally.add_row(row_of(answer))
    return tally


def unchecked(verdict: Verdict, reason: str, **members: Any) -> EnrichedAnswer:
    given: dict[str, Any] = {
        "verdict": verdict,
        "verdict_reason": reason,
        "support_score": None,
        "min_claim_score": None,
        "claims": (),
        "check": None,
        "tags": (),
    }
    return an_enriched(**given | members)


POLICY = unchecked(Verdict.POLICY_SKIPPED, "SAFETY", skip_reasons=("SAFETY", "SPII"))
SAID_LOW = unchecked(Verdict.LOW_GROUNDED, "LOW_GROUNDED_ANSWER")


def test_verdicts_and_reasons_are_counted() -> None:
    tally = tally_of(an_enriched(), a_low(), POLICY, SAID_LOW)
    assert (tally.answers, tally.assessed, tally.low_grounded) == (4, 3, 2)
    assert tally.skip_reasons.most_common(5) == [("SAFETY", 1), ("SPII", 1)]
    assert dict(tally.reasons.most_common(9))["LOW_GROUNDED_ANSWER"] == 1


def test_an_answer_without_scores_is_in_no_distribution() -> None:
    tally = tally_of(POLICY, SAID_LOW)
    assert (tally.support_scores.total, tally.claim_scores.total, tally.grid.total) == (0, 0, 0)


def test_answers_that_alert_under_any_thresholds_are_counted() -> None:
    unscorable = unchecked(Verdict.UNSCORABLE, "NO_FACTS")
    assert tally_of(a_low(), POLICY, SAID_LOW, unscorable).unscored_alerts == 2


def test_calls_are_summed_and_the_cache_is_no_call() -> None:
    paid = an_enriched(check=a_check(calls=2, attempts=5, characters=100, latency_ms=7))
    cached = an_enriched(check=a_check(calls=0, attempts=0, characters=0, cached=True))
    tally = tally_of(paid, cached, POLICY)
    assert (tally.checked, tally.cached) == (2, 1)
    assert (tally.calls, tally.characters) == (5, 100)
    assert tally.latencies.quantile_ms(1.0) == 7


def test_a_document_counts_once_for_an_answer_however_many_facts_are_from_it() -> None:
    facts = (
        a_fact("One.", document="d", uri="u", title="Lamps"),
        a_fact("Two.", document="d", title="Other"),
        a_fact("Three.", uri="u"),
        a_fact("Four."),
    )
    answer = answer_from_row(row_of(an_enriched(facts=facts)))
    assert answer.sources() == [Source("d", "Lamps"), Source("u", None)]


def test_a_title_of_which_only_the_hash_was_kept_is_none() -> None:
    hashed, titled = f"sha256:{'0' * 64}", "sha256: how hashes work"
    facts = a_fact("One.", uri="u", title=hashed), a_fact("Two.", uri="v", title=titled)
    answer = answer_from_row(row_of(an_enriched(facts=facts)))
    assert [source.title for source in answer.sources()] == [None, titled]


@pytest.mark.parametrize("name", ["5f" * 32, "projects/1/answers/a1"])
def test_a_label_meets_an_answer_by_either_name(name: str) -> None:
    tally = tally_of(
        a_low(record_id="5f" * 32, answer_name="projects/1/answers/a1"),
        labels={name: True, "another": False},
    )
    assert tally.labels_matched == 1
    assert tally.grid.by_support()[-1].unsupported == 1


@pytest.mark.parametrize(
    ("thresholds", "unexplained"),
    [(Thresholds(), 0), (Thresholds(claim=0.05, low_grounded=0.2), 1), (Thresholds(claim=0.85), 1)],
    ids=["those of the run", "a low one that would not be", "a grounded one that would be low"],
)
def test_verdicts_of_other_thresholds_are_counted(thresholds: Thresholds, unexplained: int) -> None:
    assert (
        tally_of(an_enriched(), a_low(), thresholds=thresholds).unexplained_verdicts == unexplained
    )


def test_a_record_resolves_an_earlier_failure_of_its_answer() -> None:
    tally = Tally(Thresholds(), {})
    tally.failures.add(FailureLine(record_id="5f" * 32, retryable=True))
    tally.add_row(row_of(an_enriched(record_id="5f" * 32)))
    assert tally.failures.resolved == 1


def test_a_row_of_a_later_or_an_earlier_schema_is_counted() -> None:
    least = {"record_id": "a", "verdict": "NEW_VERDICT", "verdict_reason": "x", "new_field": 1}
    tally = Tally(Thresholds(), {})
    tally.add_row(least)
    assert dict(tally.verdicts) == {"NEW_VERDICT": 1}


@pytest.mark.parametrize("field", ["engine", "session"])
def test_a_name_of_megabytes_is_cut(field: str) -> None:
    tally = tally_of(an_enriched(**{field: "x" * 10_000_000}))
    [group] = getattr(tally, f"{field}s").ranked(9)
    assert len(group.key) == 300
    [comparison] = tally.generators.most_compared(9)
    assert len(comparison.engine or "") <= 300
