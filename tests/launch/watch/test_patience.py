"""When messages that could not be worked off are tried again, and when they are given up."""

import pytest

from launch.watch.patience import Patience
from schemas.message import Message
from tests.support.builders import a_message
from tests.support.clocks import ManualClock

MANY = 1_000


def messages(*places: str) -> list[Message]:
    return [a_message(place=place) for place in places]


def waits(patience: Patience, clock: ManualClock) -> float:
    """Let time pass until something is due; returns the seconds."""
    started_s = clock.now_s
    while not (due := patience.take_due(MANY)):
        clock.advance(1)
    patience.judge(due, checked=0)
    return clock.now_s - started_s


def test_what_is_held_comes_when_it_is_time_and_once(clock: ManualClock) -> None:
    patience = Patience(clock)
    patience.judge(messages("1", "2"), checked=0)
    assert (patience.waiting, patience.take_due(MANY)) == (2, [])
    clock.advance(1)
    assert patience.take_due(MANY) == messages("1", "2")
    assert (patience.waiting, patience.take_due(MANY)) == (0, [])


def test_only_so_many_are_taken_at_once(clock: ManualClock) -> None:
    patience = Patience(clock)
    patience.judge(messages("1", "2", "3"), checked=0)
    clock.advance(1)
    assert patience.take_due(2) == messages("1", "2")
    assert patience.take_due(2) == messages("3")


def test_the_waits_double_up_to_half_a_minute(clock: ManualClock) -> None:
    patience = Patience(clock)
    patience.judge(messages("1"), checked=0)
    assert [waits(patience, clock) for _ in range(7)] == [1, 2, 4, 8, 16, 30, 30]


def test_a_full_disk_is_tried_after_waits_that_double_until_a_batch_is_done(
    clock: ManualClock,
) -> None:
    patience = Patience(clock)
    for wait_s in (1, 2, 4, 8, 16, 30, 30):
        patience.hold(messages("1"))
        clock.advance(wait_s - 1)
        assert patience.take_due(MANY) == []
        clock.advance(1)
        assert patience.take_due(MANY) == messages("1")
    patience.judge([], checked=1)
    patience.hold(messages("1"))
    clock.advance(1)
    assert patience.take_due(MANY) == messages("1")


def tries_until_hopeless(clock: ManualClock, *, checked: int, others_left: int) -> int | None:
    """Try a message along with others, of which so many are checked and left each time."""
    patience = Patience(clock)
    left = messages("1", *(f"other-{number}" for number in range(others_left)))
    for tries in range(1, 30):
        if patience.judge(left, checked=checked)[:1] == messages("1"):
            return tries
        clock.advance(30)
        patience.take_due(MANY)
    return None


@pytest.mark.parametrize(
    ("checked", "others_left", "tries"),
    [
        (100, 0, 5),
        (2, 0, 5),
        (1, 0, None),
        (0, 0, None),
        (0, 50, None),
        (40, 50, None),
        (60, 50, 5),
    ],
    ids=[
        "all others succeed",
        "few others succeed",
        "half of all succeed",
        "there are no others",
        "all fail",
        "most fail",
        "most succeed",
    ],
)
def test_a_message_is_hopeless_after_five_tries_while_most_others_succeed(
    clock: ManualClock, checked: int, others_left: int, tries: int | None
) -> None:
    assert tries_until_hopeless(clock, checked=checked, others_left=others_left) == tries


def test_what_succeeded_before_or_after_an_outage_makes_nothing_hopeless(
    clock: ManualClock,
) -> None:
    patience = Patience(clock)
    patience.judge([], checked=1_000_000)
    left = messages(*map(str, range(50)))
    for _ in range(10):
        assert patience.judge(left, checked=0) == []
        clock.advance(30)
        assert len(patience.take_due(MANY)) == 50
    assert patience.judge(left[:1], checked=49) == []


def test_tries_are_counted_anew_after_a_success(clock: ManualClock) -> None:
    patience = Patience(clock)
    for _ in range(3):
        for _ in range(4):
            assert patience.judge(messages("1"), checked=9) == []
            clock.advance(30)
            assert patience.take_due(MANY) == messages("1")
        assert patience.judge([], checked=10) == []
    assert patience._trials == {}
