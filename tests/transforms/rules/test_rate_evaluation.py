"""Rates evaluated again and again as answers come in."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwatch.schemas.alert import Alert
from groundwatch.transforms.rules.rate_counts import BUCKET_US, RateCounts
from groundwatch.transforms.rules.rate_incidents import (
    OpenIncident,
    RateEvaluator,
    RateRule,
    first_bucket_us,
)
from tests.support.builders import NOON_US

HOUR = 12
"""Buckets an hour."""
RULE = RateRule()
LIVELY = RateRule(
    fast_window_us=2 * BUCKET_US,
    slow_window_us=6 * BUCKET_US,
    min_answers=3,
    min_reason_answers=3,
    reason_rise=2.0,
    closing_reason_rise=1.5,
    max_rise_us=20 * BUCKET_US,
)
"""A rule under which a lot happens in few buckets."""


def bucket(place: int, answers: int, bad: int = 0, reason: int = 0) -> RateCounts:
    return RateCounts(
        start_us=NOON_US + place * BUCKET_US,
        answers=answers,
        low_grounded=bad,
        skip_reasons={"SAFETY": reason} if reason else {},
    )


def end_of(place: int) -> int:
    """The moment at which a bucket ends."""
    return NOON_US + (place + 1) * BUCKET_US


def evaluate(
    counts: Iterable[RateCounts], rule: RateRule, incidents: Iterable[OpenIncident], now_us: int
) -> tuple[list[Alert], tuple[OpenIncident, ...]]:
    """Evaluate once, by an evaluator of its own."""
    evaluator = RateEvaluator("shop", rule, incidents)
    return evaluator.evaluate(counts, [now_us]), evaluator.open_incidents


@st.composite
def histories(draw: st.DrawFn) -> list[RateCounts]:
    """Buckets in the order of time, with gaps between some of them."""
    steps = draw(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 20)), max_size=40))
    place, buckets = 0, []
    for gap, answers in steps:
        place += max(1, gap - 5)
        bad, reason = (draw(st.integers(0, answers)) for _ in range(2))
        buckets.append(bucket(place, answers, bad, reason))
    return buckets


def evaluated(
    buckets: Sequence[RateCounts], moments_us: Iterable[int], rule: RateRule
) -> Iterator[Alert]:
    """The alerts at each moment, knowing the answers until then; the state goes through JSON."""
    kept = b"[]"
    for now_us in moments_us:
        known = [counts for counts in buckets if counts.start_us < now_us]
        needed = [c for c in known if c.start_us >= first_bucket_us(rule, now_us)]
        incidents = msgspec.json.decode(kept, type=list[OpenIncident])
        alerts, left_open = evaluate(needed, rule, incidents, now_us)
        assert evaluate(known, rule, incidents, now_us) == (alerts, left_open)
        kept = msgspec.json.encode(left_open)
        yield from alerts


@given(histories())
def test_evaluated_at_the_end_of_each_bucket_the_incidents_are_those_of_the_archive(
    buckets: list[RateCounts],
) -> None:
    ends = [counts.start_us + BUCKET_US for counts in buckets]
    assert list(evaluated(buckets, ends, LIVELY)) == RateEvaluator("shop", LIVELY).evaluate(buckets)


@given(histories(), st.lists(st.integers(1, 3 * BUCKET_US), max_size=60))
def test_each_signal_opens_and_closes_in_turn_whenever_it_is_evaluated(
    buckets: list[RateCounts], steps_us: list[int]
) -> None:
    moments_us = [NOON_US + sum(steps_us[:count]) for count in range(len(steps_us))]
    by_signal = defaultdict(list)
    for alert in evaluated(buckets, moments_us, LIVELY):
        assert alert.rate is not None
        by_signal[alert.rate.signal].append(alert)
    for alerts in by_signal.values():
        states = [alert.rate.state for alert in alerts if alert.rate]
        assert set(states[::2]) <= {"open"}
        assert set(states[1::2]) <= {"closed", "closed_unknown"}
        assert_pairs(alerts)


def assert_pairs(alerts: list[Alert]) -> None:
    """Assert that a closing names the moment of the opening before it."""
    for opened, closed in zip(alerts[::2], alerts[1::2], strict=False):
        assert opened.rate is not None
        assert closed.rate is not None
        assert opened.event_time_us == opened.rate.opened_at_us == closed.rate.opened_at_us


@given(histories(), st.integers(0, 60))
def test_a_second_evaluation_at_the_same_time_finds_nothing_new(
    buckets: list[RateCounts], place: int
) -> None:
    _, incidents = evaluate(buckets, LIVELY, (), end_of(place))
    assert evaluate(buckets, LIVELY, incidents, end_of(place)) == ([], incidents)


@given(histories())
@settings(max_examples=25)
def test_every_incident_ends_when_no_more_answers_come(buckets: list[RateCounts]) -> None:
    moments_us = [end_of(place) for place in range(40 * 4 + 7)]
    alerts = list(evaluated(buckets, moments_us, LIVELY))
    assert len(alerts) % 2 == 0


def test_an_incident_opens_before_its_bucket_is_over() -> None:
    now_us = NOON_US + BUCKET_US // 5
    (alert,), (incident,) = evaluate([bucket(0, 5, bad=4)], RULE, (), now_us)
    assert alert.event_time_us == incident.opened_at_us == now_us
    assert (incident.signal, incident.budget) == ("low_grounded", 0.1)


def test_an_incident_closes_when_nothing_was_answered_for_six_hours() -> None:
    buckets = [bucket(0, 10, bad=10)]
    moments_us = [end_of(place) for place in range(8 * HOUR)]
    opened, closed = evaluated(buckets, moments_us, RULE)
    assert opened.event_time_us == end_of(0)
    assert closed.event_time_us == end_of(6 * HOUR)
    assert closed.rate is not None
    assert (closed.rate.state, closed.rate.answers) == ("closed_unknown", 0)


def test_an_incident_does_not_close_because_time_passes() -> None:
    # The good answers alone are left in the slow window, hours after they came.
    buckets = [*(bucket(place, 10, bad=10) for place in range(HOUR)), bucket(HOUR, 5)]
    moments_us = [end_of(place) for place in range(9 * HOUR)]
    opened, closed = evaluated(buckets, moments_us, RULE)
    assert opened.event_time_us == end_of(0)
    assert closed.rate is not None
    assert (closed.rate.state, closed.event_time_us) == ("closed_unknown", end_of(7 * HOUR))


def test_a_silent_engine_keeps_its_incident_until_then() -> None:
    incidents = (OpenIncident(signal="low_grounded", opened_at_us=NOON_US, budget=0.1),)
    kept = evaluate([bucket(0, 1, bad=1)], RULE, incidents, end_of(6 * HOUR - 1))
    assert kept == ([], incidents)


def test_a_bucket_is_too_old_from_the_first_moment_of_the_next_one() -> None:
    incidents = (OpenIncident(signal="low_grounded", opened_at_us=NOON_US, budget=0.1),)
    oldest = bucket(-6 * HOUR, 10, bad=10)
    assert evaluate([oldest], RULE, incidents, NOON_US) == ([], incidents)
    alerts, left_open = evaluate([oldest], RULE, incidents, NOON_US + 1)
    assert (len(alerts), left_open) == (1, ())


def test_answers_from_the_future_wait_for_their_time() -> None:
    buckets = [bucket(0, 10), bucket(2, 100, bad=100)]
    assert evaluate(buckets, RULE, (), end_of(1)) == ([], ())
    alerts, _ = evaluate(buckets, RULE, (), end_of(1) + 1)
    assert len(alerts) == 1


def test_late_answers_count_where_they_belong() -> None:
    on_time, late = bucket(0, 10), bucket(0, 20, bad=20)
    assert evaluate([on_time], RULE, (), end_of(3)) == ([], ())
    alerts, _ = evaluate([on_time, late], RULE, (), end_of(3))
    assert [alert.event_time_us for alert in alerts] == [end_of(3)]


def test_an_incident_closes_by_the_budget_that_it_opened_with() -> None:
    incident = OpenIncident(signal="skip_reason:SAFETY", opened_at_us=NOON_US, budget=0.01)
    for still in (3, 2):
        buckets = [bucket(place, 100, reason=still) for place in range(6 * HOUR)]
        assert evaluate(buckets, RULE, [incident], end_of(71)) == ([], (incident,))
    fewer = [bucket(place, 100, reason=1) for place in range(6 * HOUR)]
    (closed,), left_open = evaluate(fewer, RULE, [incident], end_of(71))
    assert left_open == ()
    assert closed.rate is not None
    assert closed.rate.burn_rate == pytest.approx(1.0)
