"""Checked answers into enriched records."""

import apache_beam as beam
from apache_beam.testing.util import assert_that, equal_to

from groundwatch.schemas.checked_answer import CheckedAnswer, Decision, Grounding
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.thresholds import Thresholds
from groundwatch.transforms.runtime import counters
from groundwatch.transforms.tag_answers import TagAnswers
from tests.support.builders import a_claim, an_answer
from tests.support.metrics import counted
from tests.support.pipelines import local_pipeline

CHECKED = CheckedAnswer(
    answer=an_answer(), grounding=Grounding(support_score=0.5, claims=(a_claim(score=0.5),))
)
DECIDED = CheckedAnswer(
    answer=an_answer(""), decision=Decision(verdict=Verdict.UNSCORABLE, reason="NO_TEXT")
)


def verdict_and_reason(enriched: EnrichedAnswer) -> tuple[str, str]:
    return enriched.verdict, enriched.verdict_reason


def test_each_answer_gets_its_verdict_by_the_thresholds_and_is_counted() -> None:
    root = local_pipeline()
    thresholds = Thresholds(low_grounded=0.5, claim=0.6)
    tagged = root | beam.Create([CHECKED, DECIDED]) | TagAnswers(thresholds)
    assert_that(
        tagged | beam.Map(verdict_and_reason),
        equal_to([("LOW_GROUNDED", "CLAIM_SCORE"), ("UNSCORABLE", "NO_TEXT")]),
    )
    result = root.run()
    counts = {verdict: counted(result, counters.VERDICTS[verdict]) for verdict in Verdict}
    assert {verdict for verdict, count in counts.items() if count == 1} == {
        Verdict.LOW_GROUNDED,
        Verdict.UNSCORABLE,
    }
    assert sum(counts.values()) == 2
