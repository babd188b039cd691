"""The scores of a record."""

import pytest

from groundwatch.launch.results.evaluate.labelled_answers import ScoredClaim, labelled_answer
from groundwatch.schemas.answer import Label
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.transforms.rules.redaction import TextMode, redact
from tests.support.builders import RECORD_ID, a_claim, a_fact, an_enriched
from tests.support.reports import row_of
from tests.support.whole_records import ENRICHED

LABEL = Label(is_unsupported=False)


@pytest.mark.parametrize("enriched", ENRICHED.values(), ids=ENRICHED)
def test_a_row_of_a_file_has_the_same_scores_as_its_record(enriched: EnrichedAnswer) -> None:
    assert labelled_answer(row_of(enriched), LABEL) == labelled_answer(enriched, LABEL)


def test_only_claims_that_required_a_check_and_have_a_score_count() -> None:
    claims = (
        a_claim(score=0.5),
        a_claim(start=20),
        a_claim(start=40, score=0.9, grounding_check_required=False),
        a_claim(start=60, score=0.7, grounding_check_required=None),
    )
    scored = labelled_answer(an_enriched(claims=claims), LABEL)
    assert scored.claims == (ScoredClaim(0, 11, 0.5), ScoredClaim(60, 71, 0.7))


def cluster(*facts: str, record_id: str = RECORD_ID, text: TextMode = TextMode.FULL) -> str:
    record = an_enriched(record_id=record_id, facts=tuple(map(a_fact, facts)))
    return labelled_answer(redact(record, text), LABEL).cluster


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
