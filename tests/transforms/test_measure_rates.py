"""Answers counted by engine and time bucket."""

import apache_beam as beam
from apache_beam.testing.util import assert_that, equal_to

from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.measure_rates import MeasureRates
from groundwatch.transforms.rules.rate_counts import BUCKET_US, RateCounts
from tests.support.builders import NOON_US, an_enriched
from tests.support.pipelines import local_pipeline

NEXT_US = NOON_US + BUCKET_US


def test_answers_are_counted_by_engine_and_five_minutes() -> None:
    records = [
        an_enriched(),
        an_enriched(event_time_us=NEXT_US - 1, verdict=Verdict.LOW_GROUNDED),
        an_enriched(event_time_us=NEXT_US, verdict=Verdict.POLICY_SKIPPED),
        an_enriched(engine="web", verdict=Verdict.GENERATION_FAILED),
        an_enriched(engine=None, verdict=Verdict.NOT_ANSWERED),
        an_enriched(event_time_us=None, verdict=Verdict.LOW_GROUNDED),
    ]
    with local_pipeline() as root:
        counts = root | beam.Create(records) | MeasureRates()
        assert_that(
            counts,
            equal_to(
                [
                    ("shop", RateCounts(start_us=NOON_US, answers=2, low_grounded=1)),
                    ("shop", RateCounts(start_us=NEXT_US, answers=1, policy_skipped=1)),
                    ("web", RateCounts(start_us=NOON_US, answers=1, failed=1)),
                    (None, RateCounts(start_us=NOON_US, answers=1)),
                ]
            ),
        )
