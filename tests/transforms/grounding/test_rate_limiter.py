"""The quota, the limit of concurrent calls, and the throttle."""

import asyncio
import time

import pytest

from groundwatch.transforms.grounding import rate_limiter as throttle_module
from groundwatch.transforms.grounding.rate_limiter import (
    AdaptiveThrottle,
    ConcurrencyLimiter,
    open_quota,
)
from tests.support.interleaving import run_interleaved


@pytest.mark.parametrize(
    ("requests_per_minute", "calls", "least_s"),
    [(6_000, 150, 0.4), (60 * 4, 6, 0.4), (60 * 2, 3, 0.4)],
    ids=["a hundred a second", "four a second", "two a second"],
)
def test_a_quota_spreads_calls_over_time(
    requests_per_minute: float, calls: int, least_s: float
) -> None:
    async def scenario() -> float:
        quota = open_quota(requests_per_minute)
        started_s = time.monotonic()
        await asyncio.gather(*(quota.acquire() for _ in range(calls)))
        return time.monotonic() - started_s

    assert asyncio.run(scenario()) >= least_s


@pytest.mark.parametrize(("most_late", "together"), [(0, 1), (1, 2), (2, 3), (5, 6)])
def test_a_late_call_frees_its_slot_for_another(most_late: int, together: int) -> None:
    async def scenario() -> int:
        limiter = ConcurrencyLimiter(1, most_late, late_after_s=0.001)
        entered, done = asyncio.Semaphore(0), asyncio.Event()

        async def call() -> None:
            async with limiter.slot():
                entered.release()
                await done.wait()

        calls = [asyncio.create_task(call()) for _ in range(10)]
        for _ in range(together):
            await asyncio.wait_for(entered.acquire(), 10)
        # Further late calls keep their slots, so that no other can start.
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(entered.acquire(), 0.02)
        done.set()
        await asyncio.gather(*calls)
        async with limiter.slot():
            return limiter._free._value

    assert asyncio.run(scenario()) == 0


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


def test_a_service_that_answers_is_never_throttled(clock: Clock) -> None:
    assert calls_let_through(AdaptiveThrottle(), clock, 30, 100, good=True) == 3_000


def test_unanswered_first_calls_are_not_an_outage(clock: Clock) -> None:
    del clock
    throttle = AdaptiveThrottle()
    assert not any(throttle.must_wait(is_retry=True) for _ in range(500))


def test_a_service_that_answers_two_calls_in_five_is_not_throttled(clock: Clock) -> None:
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
def test_answers_that_always_fail_throttle_no_other_answer(clock: Clock, percent: int) -> None:
    left = failing_share(AdaptiveThrottle(), clock, percent, is_retry=False, is_overload=False)
    assert left == 3_000


def test_overload_throttles_every_call(clock: Clock) -> None:
    left = failing_share(AdaptiveThrottle(), clock, 90, is_retry=False, is_overload=True)
    assert left < 2_000


def test_failures_of_any_kind_throttle_retries(clock: Clock) -> None:
    left = failing_share(AdaptiveThrottle(), clock, 90, is_retry=True, is_overload=False)
    assert left < 2_000


def test_an_outage_reduces_calls_to_a_tenth_within_a_minute(clock: Clock) -> None:
    throttle = AdaptiveThrottle()
    calls_let_through(throttle, clock, 30, 100, good=True)
    calls_let_through(throttle, clock, 50, 100, good=False)
    assert calls_let_through(throttle, clock, 10, 100, good=False) <= 100


def test_after_an_outage_calls_recover_within_as_long(clock: Clock) -> None:
    throttle = AdaptiveThrottle()
    calls_let_through(throttle, clock, 30, 100, good=True)
    calls_let_through(throttle, clock, 60, 100, good=False)
    calls_let_through(throttle, clock, 60, 100, good=True)
    assert calls_let_through(throttle, clock, 10, 100, good=True) >= 950


def test_whole_seconds_of_waiting_are_taken_once() -> None:
    throttle = AdaptiveThrottle()
    for _ in range(5):
        throttle.add_wait(0.5)
    assert [throttle.take_wait_s(), throttle.take_wait_s()] == [2, 0]
    throttle.add_wait(0.5)
    assert throttle.take_wait_s() == 1


def test_every_second_of_waiting_is_taken_once_by_several_bundle_threads() -> None:
    throttle = AdaptiveThrottle()
    taken: list[int] = []

    def wait_and_take() -> None:
        for _ in range(2_000):
            throttle.add_wait(1.0)
            taken.append(throttle.take_wait_s())

    run_interleaved(wait_and_take)
    taken.append(throttle.take_wait_s())
    assert (sum(taken), min(taken) >= 0) == (8_000, True)


@pytest.mark.parametrize(("deadline_s", "passes"), [(1e12, True), (0.0, False)])
def test_a_call_is_throttled_no_longer_than_its_time(
    monkeypatch: pytest.MonkeyPatch, deadline_s: float, *, passes: bool
) -> None:
    monkeypatch.setattr(throttle_module, "_POLL_S", 0.001)
    throttle = AdaptiveThrottle()
    decisions = iter([True, True, True, False])
    monkeypatch.setattr(throttle, "must_wait", lambda *, is_retry: next(decisions) or is_retry)
    assert asyncio.run(throttle.wait(deadline_s, is_retry=False)) is passes
    assert throttle._waited_s == pytest.approx(0.003 * passes)


def test_the_first_faults_of_a_small_job_throttle_nothing() -> None:
    throttle = AdaptiveThrottle()
    for _ in range(10):
        throttle.failed(is_overload=False)
    assert not any(throttle.must_wait(is_retry=True) for _ in range(100))
