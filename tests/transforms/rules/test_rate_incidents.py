"""When bad answers become too many, and when it is over."""

import pytest

from groundwatch.schemas.alert import Alert, Severity
from groundwatch.transforms.rules.rate_counts import BUCKET_US, RateCounts
from groundwatch.transforms.rules.rate_incidents import RateEvaluator, RateRule

HOUR = 12
"""Buckets an hour."""
RULE = RateRule()


def buckets(*periods: tuple[int, int, int], signal: str = "low_grounded") -> list[RateCounts]:
    """Buckets side by side, from periods of (how many, answers in each, bad ones in each)."""
    counts = [(answers, bad) for many, answers, bad in periods for _ in range(many)]
    return [
        RateCounts(start_us=place * BUCKET_US, answers=answers, **{signal: bad})
        for place, (answers, bad) in enumerate(counts)
        if answers
    ]


def states(alerts: list[Alert]) -> list[tuple[str, int]]:
    """What the alerts say, and after how many buckets."""
    return [(alert.rate.state, alert.event_time_us // BUCKET_US) for alert in alerts if alert.rate]


EPISODES = {
    "all is well": ([(3 * HOUR, 10, 1)], []),
    "bad from the start": ([(HOUR, 10, 4)], [("open", 1)]),
    "just too little": ([(HOUR, 100, 39)], []),
    "opened once, closed once": (
        [(HOUR, 10, 10), (3 * HOUR, 10, 0)],
        [("open", 1), ("closed", 12 + 10)],
    ),
    "between closing and opening": ([(HOUR, 10, 10), (6 * HOUR, 10, 3)], [("open", 1)]),
    "opened again": (
        [(HOUR, 10, 10), (HOUR, 10, 0), (HOUR, 10, 10)],
        [("open", 1), ("closed", 22), ("open", 29)],
    ),
    "a blip after six good hours": ([(6 * HOUR, 10, 0), (HOUR, 10, 6), (6 * HOUR, 10, 0)], []),
    "no blip after six good hours": ([(6 * HOUR, 10, 0), (3 * HOUR, 10, 10)], [("open", 101)]),
    "too little traffic": ([(HOUR, 0, 0), (1, 4, 4), (HOUR, 0, 0), (1, 4, 4)], []),
    "just enough traffic": ([(1, 4, 4), (1, 1, 1)], [("open", 2)]),
    "too little traffic to close": ([(HOUR, 1, 1), (2 * HOUR, 0, 0), (1, 4, 0)], [("open", 5)]),
    "just enough traffic to close": (
        [(HOUR, 10, 10), (HOUR, 0, 0), (1, 5, 0)],
        [("open", 1), ("closed", 2 * HOUR + 1)],
    ),
    "closes after an empty period": (
        [(HOUR, 1, 1), (20 * HOUR, 0, 0), (1, 5, 0)],
        [("open", 5), ("closed", 21 * HOUR + 1)],
    ),
    "closes on an answer an hour": (
        [(HOUR, 1, 1), (6 * HOUR, 0, 0), *[(1, 1, 0), (HOUR - 1, 0, 0)] * 5],
        [("open", 5), ("closed", 11 * HOUR + 1)],
    ),
    "still burning at the end": ([(10, 10, 10)], [("open", 1)]),
    "no buckets": ([], []),
}


@pytest.mark.parametrize(("periods", "expected"), EPISODES.values(), ids=EPISODES)
def test_an_incident_opens_and_closes_once(
    periods: list[tuple[int, int, int]], expected: list[tuple[str, int]]
) -> None:
    assert states(RateEvaluator("shop", RULE).evaluate(buckets(*periods))) == expected


def test_the_order_of_the_buckets_does_not_matter() -> None:
    ordered = buckets((HOUR, 10, 10), (2 * HOUR, 10, 0), (HOUR, 0, 0), (HOUR, 10, 10))
    mixed = ordered[1::2] + ordered[::2][::-1]
    expected = RateEvaluator("shop", RULE).evaluate(ordered)
    assert RateEvaluator("shop", RULE).evaluate(mixed) == expected


@pytest.mark.parametrize("signal", ["low_grounded", "policy_skipped", "failed"])
def test_every_kind_of_bad_answer_is_a_signal_of_its_own(signal: str) -> None:
    (alert,) = RateEvaluator("shop", RULE).evaluate(buckets((1, 10, 5), signal=signal))
    assert alert.rate is not None
    assert alert.rate.signal == signal


def test_two_signals_alert_in_the_order_of_time() -> None:
    late = [
        RateCounts(start_us=0, answers=10, failed=5),
        RateCounts(start_us=BUCKET_US, answers=10, low_grounded=10, failed=5),
    ]
    alerts = RateEvaluator("shop", RULE).evaluate(late)
    assert [alert.rate.signal for alert in alerts if alert.rate] == ["failed", "low_grounded"]


def test_an_alert_names_the_engine_and_what_its_fast_window_held() -> None:
    opened, closed = RateEvaluator("shop", RULE).evaluate(buckets((HOUR, 10, 8), (HOUR, 10, 0)))
    assert (opened.kind, opened.engine, opened.severity) == ("rate", "shop", Severity.CRITICAL)
    assert (closed.kind, closed.engine, closed.severity) == ("rate", "shop", Severity.INFO)
    assert opened.rate is not None
    assert closed.rate is not None
    assert (opened.rate.share, opened.rate.burn_rate, opened.rate.answers) == (0.8, 8.0, 10)
    assert closed.rate.opened_at_us == opened.event_time_us == opened.rate.opened_at_us
    assert closed.rate.share == pytest.approx(0.8 * 2 / 12)
    assert closed.rate.answers == 120


def test_an_answer_is_out_of_the_window_when_as_old_as_it_is_wide() -> None:
    rule = RateRule(fast_window_us=BUCKET_US, slow_window_us=BUCKET_US, closing_burn_rate=4.0)
    assert states(RateEvaluator(None, rule).evaluate(buckets((1, 5, 5), (1, 5, 0)))) == [
        ("open", 1),
        ("closed", 2),
    ]
