"""How long to wait for a Pub/Sub that does not answer, and what is said of it."""

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
        "Pub/Sub does not answer (TimeoutError): retrying to pull from S",
        "Pub/Sub answers again after 60 s: pull from S",
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
