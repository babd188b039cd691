"""SampleAnswers: look at a share of the answers, the same ones every time."""

import apache_beam as beam
from apache_beam.pvalue import PCollection

from schemas.answer import Answer
from transforms import counters
from transforms.rules.sampling import SamplingRule, is_in_sample


class SampleAnswers(beam.PTransform):
    """Leave out and count the answers that are not in the sample.

    It stands before RouteAnswers, though an answer that is decided without a call costs nothing:
    a sample of the checked ones alone would shift every rate of verdicts.

    Input: PCollection[Answer], bounded or not, without duplicates.
    Output: PCollection[Answer], those in the sample, in their windows and at their timestamps.
    Failures: none; a message that is no answer has failed before, and is not sampled out.
    Delivery: each answer once; a retried bundle and another run keep the same ones.

    Args:
      rule: the shares to keep, by engine.
    """

    def __init__(self, rule: SamplingRule) -> None:
        super().__init__()
        self.rule = rule

    def expand(self, answers: PCollection[Answer]) -> PCollection[Answer]:
        """Apply the step."""
        return answers | "KeepSample" >> beam.Filter(_is_kept, rule=self.rule)


def _is_kept(answer: Answer, rule: SamplingRule) -> bool:
    is_kept = is_in_sample(answer.record_id, answer.engine, rule)
    counters.SAMPLED_OUT.inc(int(not is_kept))
    return is_kept
