"""TagAnswers: give each answer its verdict and tags."""

import apache_beam as beam
from apache_beam.pvalue import PCollection

from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from .rules.tagging import tag_answer
from .rules.thresholds import Thresholds
from .runtime import counters


class TagAnswers(beam.PTransform):
    """Create the enriched record of each answer.

    Input: PCollection[CheckedAnswer], bounded or not.
    Output: PCollection[EnrichedAnswer], one for each answer, in its window and at its timestamp.
    Failures: none.
    Delivery: each answer once; a retried bundle has the same results.

    Args:
      thresholds: the scores below which an answer or a claim is low-grounded.
    """

    def __init__(self, thresholds: Thresholds = Thresholds()) -> None:  # noqa: B008 - it is frozen
        super().__init__()
        self.thresholds = thresholds

    def expand(self, checked: PCollection[CheckedAnswer]) -> PCollection[EnrichedAnswer]:
        return checked | "TagAnswer" >> beam.Map(_tag_answer, thresholds=self.thresholds)


def _tag_answer(checked: CheckedAnswer, thresholds: Thresholds) -> EnrichedAnswer:
    enriched = tag_answer(checked, thresholds)
    counters.VERDICTS[enriched.verdict].inc()
    return enriched
