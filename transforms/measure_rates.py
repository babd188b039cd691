"""MeasureRates: count each engine's answers, good and bad, by stretches of time."""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.pvalue import PCollection
from apache_beam.transforms.combiners import TupleCombineFn

from schemas.enriched import EnrichedAnswer
from schemas.verdict import Verdict
from transforms.rules.burn_rate import BUCKET_US, RateCounts

Keyed = tuple[str | None, RateCounts]


class MeasureRates(beam.PTransform):
    """Count answers by engine and five minutes of event time.

    Input: PCollection[EnrichedAnswer]; an answer without an event time counts nowhere.
    Output: PCollection[(engine, RateCounts)], one for each engine and bucket that had an answer.
    Failures: none.
    """

    def expand(self, enriched: PCollection[EnrichedAnswer]) -> PCollection[Keyed]:
        """Apply the step."""
        # ((engine, start_us), (answers, low_grounded, policy_skipped, failed))
        counted = enriched | "CountAnswer" >> beam.FlatMap(_count_answer)
        summed = counted | "SumBuckets" >> beam.CombinePerKey(TupleCombineFn(sum, sum, sum, sum))
        return summed | "NameCounts" >> beam.MapTuple(_name_counts)


def _count_answer(
    enriched: EnrichedAnswer,
) -> Iterator[tuple[tuple[str | None, int], tuple[int, int, int, int]]]:
    if enriched.event_time_us is None:
        return
    bucket = enriched.engine, enriched.event_time_us // BUCKET_US * BUCKET_US
    verdict = enriched.verdict
    yield (
        bucket,
        (
            1,
            int(verdict is Verdict.LOW_GROUNDED),
            int(verdict is Verdict.POLICY_SKIPPED),
            int(verdict is Verdict.GENERATION_FAILED),
        ),
    )


def _name_counts(bucket: tuple[str | None, int], counts: tuple[int, int, int, int]) -> Keyed:
    engine, start_us = bucket
    answers, low_grounded, policy_skipped, failed = counts
    return engine, RateCounts(
        start_us=start_us,
        answers=answers,
        low_grounded=low_grounded,
        policy_skipped=policy_skipped,
        failed=failed,
    )
