"""When the share of a skip reason has risen."""

import pytest

from groundwatch.schemas.alert import Alert, Severity
from groundwatch.transforms.rules.rate_counts import BUCKET_US, RateCounts
from groundwatch.transforms.rules.rate_incidents import RateEvaluator, RateRule

HOUR = 12
"""Buckets an hour."""
DAY = 24 * HOUR
REASON = "NO_RELEVANT_CONTENT"


def buckets(*periods: tuple[int, int, int]) -> list[RateCounts]:
    """Buckets side by side, from periods of (how many, answers in each, with the reason)."""
    counts = [(answers, bad) for many, answers, bad in periods for _ in range(many)]
    return [
        RateCounts(
            start_us=place * BUCKET_US, answers=answers, skip_reasons={REASON: bad} if bad else {}
        )
        for place, (answers, bad) in enumerate(counts)
        if answers
    ]


def states(alerts: list[Alert]) -> list[tuple[str, int]]:
    """What the alerts say, and after how many buckets."""
    return [(alert.rate.state, alert.event_time_us // BUCKET_US) for alert in alerts if alert.rate]


RISES = {
    "a share that stays": ([(DAY, 20, 2)], []),
    "a high share that stays": ([(DAY, 20, 15)], []),
    "high from the start, with nothing to compare it with": ([(6 * HOUR, 20, 20)], []),
    "three times as many": ([(5 * HOUR, 50, 2), (DAY, 50, 6)], []),
    "five times as many": ([(5 * HOUR, 50, 2), (3 * HOUR, 50, 10)], [("open", 5 * HOUR + 10)]),
    "four times as many, with one more before": (
        [(1, 39, 4), (11, 0, 0), (1, 20, 10)],
        [("open", HOUR + 1)],
    ),
    "from none to ten in an hour": (
        [(5 * HOUR, 20, 0), (2 * HOUR, 20, 1)],
        [("open", 5 * HOUR + 10)],
    ),
    "from none to nine in an hour": ([(5 * HOUR, 20, 0), (9, 20, 1), (HOUR, 20, 0)], []),
    "few answers before": ([(1, 5, 0), (1, 50, 30)], []),
    "enough answers before": ([(1, 11, 0), (11, 0, 0), (1, 50, 20)], [("open", 13)]),
    "up and back": (
        [(5 * HOUR, 20, 0), (HOUR, 20, 2), (2 * HOUR, 20, 0)],
        [("open", 5 * HOUR + 5), ("closed", 6 * HOUR + 10)],
    ),
    "up twice": (
        [(5 * HOUR, 20, 0), (HOUR, 20, 10), (8 * HOUR, 20, 0), (1, 20, 10)],
        [("open", 61), ("closed", 84), ("open", 14 * HOUR + 1)],
    ),
    "up permanently": (
        [(5 * HOUR, 20, 0), (3 * DAY, 20, 10)],
        [("open", 5 * HOUR + 1), ("closed", 5 * HOUR + 1 + DAY)],
    ),
    "up and then just enough traffic": (
        [(5 * HOUR, 20, 0), (1, 20, 10), (HOUR, 0, 0), (1, 5, 0)],
        [("open", 61), ("closed", 6 * HOUR + 2)],
    ),
    "up and then too little traffic": (
        [(5 * HOUR, 20, 0), (1, 20, 10), (HOUR, 0, 0), (2, 2, 2)],
        [("open", 61)],
    ),
}


@pytest.mark.parametrize(("periods", "expected"), RISES.values(), ids=RISES)
def test_a_rise_opens_and_closes_once(
    periods: list[tuple[int, int, int]], expected: list[tuple[str, int]]
) -> None:
    assert states(RateEvaluator("shop", RateRule()).evaluate(buckets(*periods))) == expected


def test_an_alert_names_the_reason_and_how_many_times_its_share_has_risen() -> None:
    opened, closed = RateEvaluator("shop", RateRule()).evaluate(
        buckets((5 * HOUR, 20, 1), (1, 240, 120), (HOUR, 20, 0))
    )
    assert (opened.kind, opened.engine, opened.severity) == ("rate", "shop", Severity.WARNING)
    assert closed.severity == Severity.INFO
    assert opened.rate is not None
    assert closed.rate is not None
    assert opened.rate.signal == closed.rate.signal == "skip_reason:NO_RELEVANT_CONTENT"
    # 11 of 220 in the rest of the fast window; 49 of 980, and one more of each, before it.
    share, share_before = (120 + 11) / (240 + 220), (49 + 1) / (980 + 1)
    assert opened.rate.share == pytest.approx(share)
    assert opened.rate.burn_rate == pytest.approx(share / share_before)
    assert closed.rate.opened_at_us == opened.event_time_us


def test_each_reason_has_incidents_of_its_own() -> None:
    quiet = [RateCounts(start_us=n * BUCKET_US, answers=20) for n in range(5 * HOUR)]
    loud = RateCounts(
        start_us=5 * HOUR * BUCKET_US,
        answers=40,
        policy_skipped=10,
        skip_reasons={"SAFETY": 20, "OUT_OF_DOMAIN_QUERY_IGNORED": 20, "SPII": 1},
    )
    alerts = RateEvaluator("shop", RateRule()).evaluate([*quiet, loud])
    assert [alert.rate.signal for alert in alerts if alert.rate] == [
        "skip_reason:OUT_OF_DOMAIN_QUERY_IGNORED",
        "skip_reason:SAFETY",
    ]
