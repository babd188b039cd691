"""Each engine's episodes, out of the counts of its answers."""

import apache_beam as beam
from apache_beam.testing.util import assert_that, equal_to

from groundwatch.schemas.alert import Alert
from groundwatch.transforms.rate_alerts import RateAlerts
from groundwatch.transforms.rules.rate_counts import BUCKET_US, RateCounts
from groundwatch.transforms.rules.rate_incidents import RateRule
from tests.support.builders import NOON_US
from tests.support.pipelines import local_pipeline


def bucket(number: int, low_grounded: int) -> RateCounts:
    start_us = NOON_US + number * BUCKET_US
    return RateCounts(start_us=start_us, answers=10, low_grounded=low_grounded)


def what_happened(alert: Alert) -> tuple[str | None, str | None, int | None]:
    moment_us = alert.event_time_us
    after = None if moment_us is None else (moment_us - NOON_US) // BUCKET_US
    return alert.engine, alert.rate.state if alert.rate else None, after


def test_each_engine_has_its_own_incidents() -> None:
    rule = RateRule(budget=0.5, burn_rate=2, closing_burn_rate=1, fast_window_us=BUCKET_US)
    counts = [
        ("shop", bucket(1, low_grounded=0)),
        ("shop", bucket(0, low_grounded=10)),
        ("web", bucket(0, low_grounded=5)),
        (None, bucket(3, low_grounded=10)),
    ]
    with local_pipeline() as root:
        alerts = root | beam.Create(counts) | RateAlerts(rule)
        assert_that(
            alerts | beam.Map(what_happened),
            equal_to([("shop", "open", 1), ("shop", "closed", 2), (None, "open", 4)]),
        )
