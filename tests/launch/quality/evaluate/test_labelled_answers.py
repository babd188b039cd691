"""The scores of a record."""

import pytest
from msgspec.structs import replace

from groundwatch.launch.quality.evaluate.labelled_answers import ScoredClaim, label_answer
from groundwatch.schemas.answer import Label
from groundwatch.schemas.checked_answer import VerdictThresholds
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.redaction import TextMode, redact
from tests.support.builders import RECORD_ID, a_check, a_claim, a_fact, an_enriched
from tests.support.reports import a_low, row_of
from tests.support.whole_records import ENRICHED

LABEL = Label(is_unsupported=False)


@pytest.mark.parametrize("enriched", ENRICHED.values(), ids=ENRICHED)
def test_a_row_of_a_file_has_the_same_scores_as_its_record(enriched: EnrichedAnswer) -> None:
    assert label_answer(row_of(enriched), LABEL) == label_answer(enriched, LABEL)


def test_only_claims_that_required_a_check_and_have_a_score_count() -> None:
    claims = (
        a_claim(score=0.5),
        a_claim(start=20),
        a_claim(start=40, score=0.9, grounding_check_required=False),
        a_claim(start=60, score=0.7, grounding_check_required=None),
    )
    scored = label_answer(an_enriched(claims=claims), LABEL)
    assert scored.claims == (ScoredClaim(0, 11, 0.5), ScoredClaim(60, 71, 0.7))


def is_flagged(answer: EnrichedAnswer, **thresholds: float | tuple[str, float]) -> bool:
    given = {
        name: [each if isinstance(each, tuple) else (None, each)]
        for name, each in thresholds.items()
    }
    return label_answer(answer, LABEL, given).is_flagged


def test_thresholds_decide_again_what_the_scores_decided() -> None:
    shop = an_enriched(min_claim_score=0.5, support_score=0.7, engine="shop")
    assert not is_flagged(shop)
    assert is_flagged(shop, claim=0.51)
    assert is_flagged(shop, low_grounded=0.71)
    assert is_flagged(shop, claim=("shop", 0.51))
    assert not is_flagged(shop, claim=("help", 0.51))
    # What is not given is as it was in the run.
    strict = replace(shop, check=a_check(thresholds=VerdictThresholds(low_grounded=0.8, claim=0.4)))
    assert is_flagged(strict, claim=0.1)
    assert not is_flagged(strict, low_grounded=0.1)


def test_no_threshold_takes_back_a_contradiction_or_a_reason_of_the_message() -> None:
    contradiction = a_low(verdict_reason="CONTRADICTION", min_claim_score=0.9)
    of_message = a_low(verdict_reason="LOW_GROUNDED_ANSWER")
    for low in (contradiction, of_message):
        assert is_flagged(low, claim=0.0, low_grounded=0.0)
        assert label_answer(low, LABEL).is_always_flagged
    assert not label_answer(a_low(), LABEL).is_always_flagged
    skipped = an_enriched(verdict=Verdict.POLICY_SKIPPED, verdict_reason="SAFETY")
    assert not is_flagged(skipped, claim=1.0, low_grounded=1.0)


def cluster(*facts: str, record_id: str = RECORD_ID, text: TextMode = TextMode.FULL) -> str:
    record = an_enriched(record_id=record_id, facts=tuple(map(a_fact, facts)))
    return label_answer(redact(record, text), LABEL).cluster


@pytest.mark.parametrize("text", [TextMode.FULL, TextMode.HASH])
def test_answers_made_from_the_same_facts_are_one_cluster(text: TextMode) -> None:
    assert cluster("a", "b", text=text) == cluster("a", "b", record_id="7" * 64, text=text)
    assert cluster("a", "b", text=text) != cluster("b", "a", text=text)


@pytest.mark.parametrize("facts", [("a",), ()], ids=["hidden", "none"])
def test_answers_whose_facts_are_not_known_are_clusters_of_their_own(
    facts: tuple[str, ...],
) -> None:
    first, second = (cluster(*facts, record_id=each * 64, text=TextMode.NONE) for each in "78")
    assert first != second
