"""MeasureRates: count each engine's answers, good and bad, in buckets of time."""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.pvalue import PCollection
from apache_beam.transforms.window import GlobalWindow
from apache_beam.utils.timestamp import MIN_TIMESTAMP, Timestamp
from apache_beam.utils.windowed_value import WindowedValue

from groundwatch.schemas.enriched_answer import EnrichedAnswer
from .rules.rate_counts import EngineCounts, RateCounts, add_counts, bucket_start, count_answer


class MeasureRates(beam.PTransform):
    """Count answers by engine and five minutes of event time.

    Input: PCollection[EnrichedAnswer], bounded or not; an answer without an event time is not
      counted.
    Output: PCollection[(engine, RateCounts)], one for each engine, bucket and bundle with an
      answer, at the timestamp of the last one. Several counts of one bucket add up.
    Failures: none.
    Delivery: each answer is counted once; the counts of a retried bundle are dropped.
    """

    def expand(self, enriched: PCollection[EnrichedAnswer]) -> PCollection[EngineCounts]:
        return enriched | "CountAnswers" >> beam.ParDo(_CountAnswers())


class _CountAnswers(beam.DoFn):
    """Add up the answers of a bundle, so that few counts are shuffled."""

    def start_bundle(self) -> None:
        self._counts: dict[tuple[str | None, int], RateCounts] = {}
        self._last = MIN_TIMESTAMP

    def process(
        self, enriched: EnrichedAnswer, timestamp: Timestamp = beam.DoFn.TimestampParam
    ) -> Iterator[EngineCounts]:
        self._last = max(self._last, timestamp)
        if enriched.event_time_us is not None:
            bucket = enriched.engine, bucket_start(enriched.event_time_us)
            counts = count_answer(enriched, bucket[1])
            earlier = self._counts.get(bucket)
            self._counts[bucket] = add_counts(earlier, counts) if earlier else counts
        return iter(())

    def finish_bundle(self) -> Iterator[WindowedValue]:
        for (engine, _), counts in self._counts.items():
            yield WindowedValue((engine, counts), self._last, (GlobalWindow(),))
