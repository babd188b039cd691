"""When bad answers become too many, or the share of a skip reason rises; and when it is over."""

import pytest

from groundwatch.schemas.alert import Alert, Severity
from groundwatch.transforms.rules.rate_counts import BUCKET_US, RateCounts
from groundwatch.transforms.rules.rate_incidents import RateEvaluator, RateRule

HOUR = 12
"""Buckets an hour."""
DAY = 24 * HOUR
RULE = RateRule()
REASON = "NO_RELEVANT_CONTENT"


def buckets(
    *periods: tuple[int, int, int], signal: str = "low_grounded", reason: str | None = None
) -> list[RateCounts]:
    """Buckets side by side, from periods of (how many, answers in each, bad ones in each)."""
    counts = [(answers, bad) for many, answers, bad in periods for _ in range(many)]
    return [
        RateCounts(start_us=place * BUCKET_US, answers=answers, skip_reasons={reason: bad})
        if reason
        else RateCounts(start_us=place * BUCKET_US, answers=answers, **{signal: bad})
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
    assert (
        states(RateEvaluator("shop", RULE).evaluate(buckets(*periods, reason=REASON))) == expected
    )


def test_an_alert_names_the_reason_and_how_many_times_its_share_has_risen() -> None:
    opened, closed = RateEvaluator("shop", RULE).evaluate(
        buckets((5 * HOUR, 20, 1), (1, 240, 120), (HOUR, 20, 0), reason=REASON)
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
    alerts = RateEvaluator("shop", RULE).evaluate([*quiet, loud])
    assert [alert.rate.signal for alert in alerts if alert.rate] == [
        "skip_reason:OUT_OF_DOMAIN_QUERY_IGNORED",
        "skip_reason:SAFETY",
    ]
