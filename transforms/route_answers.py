"""RouteAnswers: decide the answers that need no call."""

from collections.abc import Mapping

import apache_beam as beam
from apache_beam.pvalue import PCollection

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.verdict import Verdict
from .rules.routing import route


class RouteAnswers(beam.PTransform):
    """Decide the verdict of answers that were skipped, blocked, failed or cannot be scored.

    Input: PCollection[Answer], bounded or not.
    Output: PCollection[CheckedAnswer], one for each answer, in its window and at its timestamp.
    Failures: none.
    Delivery: each answer once; a retried bundle has the same results.

    Args:
      moved_reasons: verdicts that replace those of the table in `rules/routing.py`, by reason.
    """

    def __init__(self, moved_reasons: Mapping[str, Verdict] | None = None) -> None:
        super().__init__()
        self.moved_reasons = dict(moved_reasons or {})

    def expand(self, answers: PCollection[Answer]) -> PCollection[CheckedAnswer]:
        return answers | "RouteAnswer" >> beam.Map(_route_answer, moved_reasons=self.moved_reasons)


def _route_answer(answer: Answer, moved_reasons: Mapping[str, Verdict]) -> CheckedAnswer:
    return CheckedAnswer(answer=answer, decision=route(answer, moved_reasons))
