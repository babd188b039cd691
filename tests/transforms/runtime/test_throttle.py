"""Calls that are held back while the service refuses, and no others."""

import pytest

from tests.support.interleaving import run_interleaved
from transforms.runtime import throttle as throttle_module
from transforms.runtime.throttle import AdaptiveThrottle


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now_ms = 1_000_000

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(throttle_module, "_now_ms", clock)
    return clock


def calls_let_through(
    throttle: AdaptiveThrottle, clock: Clock, seconds: int, asked_a_second: int, *, good: bool
) -> int:
    """Ask at a rate, answering every call that leaves well or not at all."""
    left = 0
    for _ in range(seconds):
        for _ in range(asked_a_second):
            clock.now_ms += 1000 // asked_a_second
            if not throttle.must_wait(is_retry=True):
                left += 1
                if good:
                    throttle.succeeded()
                else:
                    throttle.failed(is_overload=False)
    return left


def test_a_service_that_answers_is_never_held_back(clock: Clock) -> None:
    assert calls_let_through(AdaptiveThrottle(), clock, 30, 100, good=True) == 3_000


def test_calls_that_nobody_has_answered_yet_are_no_outage(clock: Clock) -> None:
    del clock
    throttle = AdaptiveThrottle()
    assert not any(throttle.must_wait(is_retry=True) for _ in range(500))


def test_a_service_that_answers_two_calls_in_five_is_not_held_back(clock: Clock) -> None:
    throttle = AdaptiveThrottle()
    calls_let_through(throttle, clock, 10, 100, good=True)
    left = 0
    for number in range(3_000):
        clock.now_ms += 10
        if not throttle.must_wait(is_retry=True):
            left += 1
            if number % 5 < 2:
                throttle.succeeded()
            else:
                throttle.failed(is_overload=False)
    assert left == 3_000


def failing_share(
    throttle: AdaptiveThrottle, clock: Clock, percent: int, *, is_retry: bool, is_overload: bool
) -> int:
    """Send 3,000 calls of which some fail; returns how many were not held back."""
    calls_let_through(throttle, clock, 10, 100, good=True)
    left = 0
    for number in range(3_000):
        clock.now_ms += 10
        if throttle.must_wait(is_retry=is_retry):
            continue
        left += 1
        if number % 100 < percent:
            throttle.failed(is_overload=is_overload)
        else:
            throttle.succeeded()
    return left


@pytest.mark.parametrize("percent", [1, 10, 30, 60, 90])
def test_answers_that_always_fail_hold_back_no_other(clock: Clock, percent: int) -> None:
    left = failing_share(AdaptiveThrottle(), clock, percent, is_retry=False, is_overload=False)
    assert left == 3_000


def test_overload_holds_back_every_call(clock: Clock) -> None:
    left = failing_share(AdaptiveThrottle(), clock, 90, is_retry=False, is_overload=True)
    assert left < 2_000


def test_failures_of_any_kind_hold_back_retries(clock: Clock) -> None:
    left = failing_share(AdaptiveThrottle(), clock, 90, is_retry=True, is_overload=False)
    assert left < 2_000


def test_in_an_outage_calls_fall_to_a_tenth_within_a_minute(clock: Clock) -> None:
    throttle = AdaptiveThrottle()
    calls_let_through(throttle, clock, 30, 100, good=True)
    calls_let_through(throttle, clock, 50, 100, good=False)
    assert calls_let_through(throttle, clock, 10, 100, good=False) <= 100


def test_after_an_outage_calls_come_back_within_as_long(clock: Clock) -> None:
    throttle = AdaptiveThrottle()
    calls_let_through(throttle, clock, 30, 100, good=True)
    calls_let_through(throttle, clock, 60, 100, good=False)
    calls_let_through(throttle, clock, 60, 100, good=True)
    assert calls_let_through(throttle, clock, 10, 100, good=True) >= 950


def test_whole_seconds_of_waiting_are_told_to_beam(monkeypatch: pytest.MonkeyPatch) -> None:
    throttle = AdaptiveThrottle()
    told: list[int] = []
    monkeypatch.setattr(throttle._signaler, "signal_throttled", told.append)
    for _ in range(5):
        throttle.waited(0.5)
    throttle.signal()
    throttle.signal()
    throttle.waited(0.5)
    throttle.signal()
    assert told == [2, 1]


def test_every_second_of_waiting_is_signalled_once_by_several_bundle_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    throttle = AdaptiveThrottle()
    told: list[int] = []
    monkeypatch.setattr(throttle._signaler, "signal_throttled", told.append)

    def wait_and_signal() -> None:
        for _ in range(2_000):
            throttle.waited(1.0)
            throttle.signal()

    run_interleaved(wait_and_signal)
    throttle.signal()
    assert (sum(told), min(told)) == (8_000, 1)


def test_the_counter_is_the_one_that_dataflow_reads() -> None:
    metric = AdaptiveThrottle()._signaler.throttling_metric
    assert metric.metric_name.name == "cumulativeThrottlingSeconds"


def test_the_first_faults_of_a_small_job_hold_nothing_back() -> None:
    throttle = AdaptiveThrottle()
    for _ in range(10):
        throttle.failed(is_overload=False)
    assert not any(throttle.must_wait(is_retry=True) for _ in range(100))
