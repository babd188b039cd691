"""Answers that are decided before any call, and those that are not."""

import apache_beam as beam
from apache_beam.testing.util import assert_that, equal_to

from groundwatch.schemas.checked_answer import CheckedAnswer, Decision
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.route_answers import RouteAnswers
from tests.support.builders import an_answer
from tests.support.pipelines import local_pipeline


def test_an_answer_is_decided_or_left_for_a_check() -> None:
    plain = an_answer()
    skipped = an_answer(skip_reasons=("OUT_OF_DOMAIN_QUERY_IGNORED",))
    moved = an_answer(skip_reasons=("NO_RELEVANT_CONTENT",))
    with local_pipeline() as root:
        step = RouteAnswers({"NO_RELEVANT_CONTENT": Verdict.POLICY_SKIPPED})
        routed = root | beam.Create([plain, skipped, moved]) | step
        assert_that(
            routed,
            equal_to(
                [
                    CheckedAnswer(answer=plain),
                    CheckedAnswer(
                        answer=skipped,
                        decision=Decision(
                            verdict=Verdict.NOT_ANSWERED, reason="OUT_OF_DOMAIN_QUERY_IGNORED"
                        ),
                    ),
                    CheckedAnswer(
                        answer=moved,
                        decision=Decision(
                            verdict=Verdict.POLICY_SKIPPED, reason="NO_RELEVANT_CONTENT"
                        ),
                    ),
                ]
            ),
        )
