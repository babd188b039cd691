"""SampleAnswers: keep a deterministic sample of the answers."""

import apache_beam as beam
from apache_beam.pvalue import PCollection

from groundwatch.schemas.answer import Answer
from .rules.sampling import SamplingRule, is_in_sample
from .runtime import counters


class SampleAnswers(beam.PTransform):
    """Drop and count the answers that are not in the sample.

    Sampling comes before RouteAnswers: a sample of the checked answers alone would change the rate
    of every verdict.

    Input: PCollection[Answer], bounded or not, without duplicates.
    Output: PCollection[Answer], those in the sample, in their windows and at their timestamps.
    Failures: none.
    Delivery: each answer once; a retried bundle and another run keep the same answers.

    Args:
      rule: the sample rates by engine.
    """

    def __init__(self, rule: SamplingRule = SamplingRule()) -> None:  # noqa: B008 - it is frozen
        super().__init__()
        self.rule = rule

    def expand(self, answers: PCollection[Answer]) -> PCollection[Answer]:
        return answers | "KeepSample" >> beam.Filter(_is_kept, rule=self.rule)


def _is_kept(answer: Answer, rule: SamplingRule) -> bool:
    is_kept = is_in_sample(answer.record_id, answer.engine, rule)
    if not is_kept:
        counters.SAMPLED_OUT.inc()
    return is_kept
