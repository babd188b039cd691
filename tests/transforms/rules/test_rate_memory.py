"""Rates judged while answers come in: when to look, and what is remembered."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.alert import Alert
from tests.support.builders import NOON_US
from transforms.rules.burn_rate import RateRule
from transforms.rules.rate_counts import BUCKET_US, RateCounts
from transforms.rules.rate_episodes import rate_alerts
from transforms.rules.rate_memory import RateMemory, judged, with_counts

RULE = RateRule(min_answers=2)


def bucket(number: int, answers: int = 10, low_grounded: int = 0) -> RateCounts:
    start_us = NOON_US + number * BUCKET_US
    return RateCounts(start_us=start_us, answers=answers, low_grounded=low_grounded)


def end_of(number: int) -> int:
    return NOON_US + (number + 1) * BUCKET_US


def all_looks(memory: RateMemory, until_us: int) -> tuple[list[Alert], RateMemory]:
    """Look as often as the watermark lets one."""
    alerts: list[Alert] = []
    while memory.look_at_us is not None and memory.look_at_us <= until_us:
        found, memory = judged("shop", memory, RULE)
        alerts += found
    return alerts, memory


bad_shares = st.lists(st.tuples(st.integers(2, 9), st.integers(0, 9)), min_size=1, max_size=90)


@given(bad_shares)
def test_as_answers_come_in_the_alerts_are_those_of_an_archive(
    shares: list[tuple[int, int]],
) -> None:
    buckets = [
        bucket(number, answers, min(low_grounded, answers))
        for number, (answers, low_grounded) in enumerate(shares)
    ]
    memory, alerts = RateMemory(), []
    for number, counts in enumerate(buckets):
        memory = with_counts(memory, counts, published_us=end_of(number) - 1)
        found, memory = all_looks(memory, end_of(number))
        alerts += found
    assert alerts == rate_alerts("shop", buckets, RULE)


def test_nobody_looks_before_a_bucket_is_over() -> None:
    memory = with_counts(RateMemory(), bucket(0), published_us=NOON_US)
    assert memory.look_at_us == end_of(0)
    assert with_counts(memory, bucket(0), published_us=NOON_US + 1).look_at_us == end_of(0)


def test_a_bucket_that_has_begun_at_a_look_gets_one_of_its_own() -> None:
    memory = with_counts(RateMemory(), bucket(0), published_us=NOON_US)
    memory = with_counts(memory, bucket(1), published_us=end_of(0))
    _, memory = all_looks(memory, end_of(0))
    assert memory.look_at_us == end_of(1)


def test_counts_of_one_bucket_are_added_up() -> None:
    memory = with_counts(RateMemory(), bucket(0), published_us=NOON_US)
    memory = with_counts(memory, bucket(0, low_grounded=3), published_us=NOON_US)
    assert memory.counts == (bucket(0, answers=20, low_grounded=3),)


def test_what_comes_late_counts_and_moves_no_look_into_the_past() -> None:
    memory = with_counts(RateMemory(), bucket(9), published_us=end_of(9))
    _, memory = all_looks(memory, end_of(9))
    memory = with_counts(memory, bucket(3), published_us=end_of(9))
    assert memory.look_at_us == end_of(10)
    assert [counts.start_us for counts in memory.counts] == [end_of(2), end_of(8)]


def test_a_time_that_lies_in_the_future_counts_now() -> None:
    memory = with_counts(RateMemory(), bucket(1_000_000), published_us=NOON_US)
    assert memory.counts == (bucket(0),)


def test_without_answers_and_open_episodes_nobody_looks() -> None:
    memory = with_counts(RateMemory(), bucket(0), published_us=NOON_US)
    alerts, memory = all_looks(memory, end_of(0))
    assert (alerts, memory.look_at_us) == ([], None)


def test_an_episode_closes_though_nothing_comes_any_more() -> None:
    memory = with_counts(RateMemory(), bucket(0, low_grounded=10), published_us=NOON_US)
    alerts, memory = all_looks(memory, end_of(1_000))
    assert [alert.rate.state for alert in alerts if alert.rate] == ["open", "closed_unknown"]
    assert memory.look_at_us is None
    assert memory.counts == ()


def test_what_the_next_look_needs_is_remembered() -> None:
    buckets = RULE.slow_window_us // BUCKET_US
    memory = with_counts(RateMemory(), bucket(0), published_us=NOON_US)
    for number in (1, 2, buckets - 1):
        memory = with_counts(memory, bucket(number), published_us=end_of(number))
    _, memory = all_looks(memory, end_of(buckets - 1))
    assert [counts.start_us for counts in memory.counts] == [
        end_of(0),
        end_of(1),
        end_of(buckets - 2),
    ]


def test_what_no_window_holds_any_more_is_forgotten() -> None:
    memory = with_counts(RateMemory(), bucket(0), published_us=NOON_US)
    memory = with_counts(memory, bucket(500), published_us=end_of(500))
    _, memory = all_looks(memory, end_of(500))
    assert [counts.start_us for counts in memory.counts] == [end_of(499)]
