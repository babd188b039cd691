"""The state of rates in a stream: what it keeps, and when it is evaluated."""

from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.alert import Alert
from groundwatch.transforms.rules.rate_counts import BUCKET_US, RateCounts
from groundwatch.transforms.rules.rate_incidents import (
    EngineRates,
    RateEvaluator,
    RateRule,
    add_to_state,
    evaluate_state,
)
from tests.support.builders import NOON_US

RULE = RateRule(min_answers=2)


def bucket(number: int, answers: int = 10, low_grounded: int = 0) -> RateCounts:
    start_us = NOON_US + number * BUCKET_US
    return RateCounts(start_us=start_us, answers=answers, low_grounded=low_grounded)


def end_of(number: int) -> int:
    return NOON_US + (number + 1) * BUCKET_US


def evaluate_until(state: EngineRates, until_us: int) -> tuple[list[Alert], EngineRates]:
    """Evaluate as often as the watermark allows."""
    alerts: list[Alert] = []
    while state.evaluate_at_us is not None and state.evaluate_at_us <= until_us:
        found, state = evaluate_state("shop", state, RULE)
        alerts += found
    return alerts, state


bad_shares = st.lists(st.tuples(st.integers(2, 9), st.integers(0, 9)), min_size=1, max_size=90)


@given(bad_shares)
def test_as_answers_come_in_the_alerts_are_those_of_an_archive(
    shares: list[tuple[int, int]],
) -> None:
    buckets = [
        bucket(number, answers, min(low_grounded, answers))
        for number, (answers, low_grounded) in enumerate(shares)
    ]
    state, alerts = EngineRates(), []
    for number, counts in enumerate(buckets):
        state = add_to_state(state, counts, published_us=end_of(number) - 1)
        found, state = evaluate_until(state, end_of(number))
        alerts += found
    assert alerts == RateEvaluator("shop", RULE).evaluate(buckets)


def test_a_bucket_is_evaluated_when_it_is_over() -> None:
    state = add_to_state(EngineRates(), bucket(0), published_us=NOON_US)
    assert state.evaluate_at_us == end_of(0)
    assert add_to_state(state, bucket(0), published_us=NOON_US + 1).evaluate_at_us == end_of(0)


def test_a_bucket_that_began_before_an_evaluation_gets_its_own() -> None:
    state = add_to_state(EngineRates(), bucket(0), published_us=NOON_US)
    state = add_to_state(state, bucket(1), published_us=end_of(0))
    _, state = evaluate_until(state, end_of(0))
    assert state.evaluate_at_us == end_of(1)


def test_counts_of_one_bucket_are_added_up() -> None:
    state = add_to_state(EngineRates(), bucket(0), published_us=NOON_US)
    state = add_to_state(state, bucket(0, low_grounded=3), published_us=NOON_US)
    assert state.counts == (bucket(0, answers=20, low_grounded=3),)


def test_late_counts_are_kept_and_schedule_no_evaluation_in_the_past() -> None:
    state = add_to_state(EngineRates(), bucket(9), published_us=end_of(9))
    _, state = evaluate_until(state, end_of(9))
    state = add_to_state(state, bucket(3), published_us=end_of(9))
    assert state.evaluate_at_us == end_of(10)
    assert state.counts == (bucket(3), bucket(9))


def test_a_time_that_lies_in_the_future_counts_now() -> None:
    state = add_to_state(EngineRates(), bucket(1_000_000), published_us=NOON_US)
    assert state.counts == (bucket(0),)


def test_without_answers_and_open_incidents_the_next_evaluation_is_the_last() -> None:
    state = add_to_state(EngineRates(), bucket(0), published_us=NOON_US)
    alerts, state = evaluate_until(state, end_of(0))
    assert (alerts, state.evaluate_at_us) == ([], end_of(0) + RULE.slow_window_us)
    alerts, state = evaluate_until(state, end_of(1_000))
    assert (alerts, state.evaluate_at_us, state.counts) == ([], None, ())


def test_an_incident_closes_without_further_answers() -> None:
    state = add_to_state(EngineRates(), bucket(0, low_grounded=10), published_us=NOON_US)
    alerts, state = evaluate_until(state, end_of(1_000))
    assert [alert.rate.state for alert in alerts if alert.rate] == ["open", "closed_unknown"]
    assert state.evaluate_at_us is None
    assert state.counts == ()


def test_counts_that_the_next_evaluation_needs_are_kept() -> None:
    buckets = RULE.slow_window_us // BUCKET_US
    state = add_to_state(EngineRates(), bucket(0), published_us=NOON_US)
    for number in (1, 2, buckets - 1):
        state = add_to_state(state, bucket(number), published_us=end_of(number))
    _, state = evaluate_until(state, end_of(buckets - 1))
    assert [counts.start_us for counts in state.counts] == [
        end_of(0),
        end_of(1),
        end_of(buckets - 2),
    ]


def test_counts_outside_of_all_windows_are_dropped() -> None:
    state = add_to_state(EngineRates(), bucket(0), published_us=NOON_US)
    state = add_to_state(state, bucket(500), published_us=end_of(500))
    _, state = evaluate_until(state, end_of(500))
    assert [counts.start_us for counts in state.counts] == [end_of(499)]
