import logging

import pytest

from launch.pubsub.reachability import Reachability
from tests.support.clocks import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def reachability(clock: ManualClock, caplog: pytest.LogCaptureFixture) -> Reachability:
    caplog.set_level(logging.INFO)
    return Reachability("pull from S", clock, chance=lambda: 1.0)


def test_a_single_failure_is_not_worth_a_word(
    reachability: Reachability, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(5):
        reachability.failed(TimeoutError())
        assert not reachability.is_away
        reachability.succeeded()
    assert caplog.messages == []


def test_each_change_is_said_once(
    reachability: Reachability, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(60):
        reachability.failed(TimeoutError("secret"))
        clock.advance(1)
    assert reachability.is_away
    for _ in range(3):
        reachability.succeeded()
    assert not reachability.is_away
    assert caplog.messages == [
        "Pub/Sub does not answer (TimeoutError): trying on to pull from S",
        "Pub/Sub answers again after 60 s: going on to pull from S",
    ]


def test_waits_double_up_to_a_bound(reachability: Reachability) -> None:
    waits = [reachability.failed(TimeoutError()) for _ in range(3_000)]
    assert waits[:6] == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0]
    assert set(waits[5:]) == {2.0}


def test_a_success_begins_anew(reachability: Reachability) -> None:
    for _ in range(9):
        reachability.failed(TimeoutError())
    reachability.succeeded()
    assert reachability.failed(TimeoutError()) == 0.1


def test_waits_are_by_chance(clock: ManualClock) -> None:
    assert Reachability("", clock, chance=lambda: 0.5).failed(TimeoutError()) == 0.05


@pytest.mark.parametrize(("open_for_s", "is_away"), [(29.9, True), (30.0, False)])
def test_a_stream_open_for_long_is_an_answer(
    reachability: Reachability, clock: ManualClock, open_for_s: float, is_away: bool
) -> None:
    reachability.failed(TimeoutError())
    reachability.failed(TimeoutError())
    reachability.opened()
    clock.advance(open_for_s)
    reachability.look()
    assert reachability.is_away is is_away


def test_a_stream_that_ended_is_no_answer_any_more(
    reachability: Reachability, clock: ManualClock
) -> None:
    reachability.opened()
    for _ in range(2):
        reachability.failed(TimeoutError())
    clock.advance(100)
    reachability.look()
    assert reachability.is_away


def test_streams_that_end_now_and_then_are_no_trouble(
    reachability: Reachability, clock: ManualClock
) -> None:
    for _ in range(10):
        reachability.opened()
        clock.advance(600)
        assert reachability.failed(TimeoutError()) == 0.1
    assert not reachability.is_away
