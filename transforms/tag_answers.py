"""TagAnswers: give each answer its verdict and tags."""

import apache_beam as beam
from apache_beam.pvalue import PCollection

from schemas.checked_answer import CheckedAnswer
from schemas.enriched_answer import EnrichedAnswer
from transforms import counters
from transforms.rules.tagging import Thresholds, tag_answer


class TagAnswers(beam.PTransform):
    """Make the enriched record of each answer.

    Input: PCollection[CheckedAnswer], bounded or not.
    Output: PCollection[EnrichedAnswer], one for each, in its window and at its timestamp.
    Failures: none.
    Delivery: each answer once; a retried bundle tags the same.

    Args:
      thresholds: where the lines between low and grounded are drawn.
    """

    def __init__(self, thresholds: Thresholds) -> None:
        super().__init__()
        self.thresholds = thresholds

    def expand(self, checked: PCollection[CheckedAnswer]) -> PCollection[EnrichedAnswer]:
        """Apply the step."""
        return checked | "TagAnswer" >> beam.Map(_tag_answer, thresholds=self.thresholds)


def _tag_answer(checked: CheckedAnswer, thresholds: Thresholds) -> EnrichedAnswer:
    enriched = tag_answer(checked, thresholds)
    counters.VERDICTS[enriched.verdict].inc()
    return enriched
