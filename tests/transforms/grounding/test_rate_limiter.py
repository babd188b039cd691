"""Rate limits: the quota and the throttle."""

import asyncio
import time

import pytest

from transforms.grounding import rate_limiter
from transforms.grounding.rate_limiter import ConcurrencyLimiter, RateLimiter

_NEVER_S = 1e12


class Barrier:
    """A throttle that delays a number of calls."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.waited_s = 0.0
        self.successes = 0

    def must_wait(self, *, is_retry: bool) -> bool:  # noqa: ARG002 - the protocol's way
        self.times -= 1
        return self.times >= 0

    def succeeded(self) -> None:
        self.successes += 1

    def failed(self, *, is_overload: bool) -> None:
        """Does not matter here."""

    def waited(self, seconds: float) -> None:
        self.waited_s += seconds


def test_a_call_waits_as_often_as_the_throttle_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limiter, "_POLL_S", 0.001)
    throttle = Barrier(times=3)
    asyncio.run(RateLimiter(None, throttle).wait_for_throttle(_NEVER_S, is_retry=False))
    assert throttle.waited_s == pytest.approx(0.003)


def test_a_success_reaches_the_throttle() -> None:
    throttle = Barrier(times=0)
    RateLimiter(None, throttle).succeeded()
    assert throttle.successes == 1


@pytest.mark.parametrize(
    ("requests_per_minute", "calls", "least_s"),
    [(6_000, 150, 0.4), (60 * 4, 6, 0.4), (60 * 2, 3, 0.4)],
    ids=["a hundred a second", "four a second", "two a second"],
)
def test_a_quota_spreads_calls_over_time(
    requests_per_minute: float, calls: int, least_s: float
) -> None:
    async def scenario() -> float:
        limiter = RateLimiter(requests_per_minute, None)
        started_s = time.monotonic()
        await asyncio.gather(*(limiter.wait_for_quota() for _ in range(calls)))
        return time.monotonic() - started_s

    assert asyncio.run(scenario()) >= least_s


def test_without_quota_and_throttle_nothing_waits() -> None:
    async def scenario() -> None:
        async with asyncio.timeout(5):
            await asyncio.gather(
                *(
                    RateLimiter(None, None).wait_for_throttle(_NEVER_S, is_retry=False)
                    for _ in range(1_000)
                )
            )

    asyncio.run(scenario())


def test_a_call_is_throttled_no_longer_than_its_time() -> None:
    throttle = Barrier(times=1_000)
    assert (
        asyncio.run(
            RateLimiter(None, throttle).wait_for_throttle(time.monotonic() + 0.01, is_retry=False)
        )
        is False
    )


def test_the_time_spent_waiting_for_the_quota_is_returned() -> None:
    async def scenario() -> tuple[float, float]:
        limiter = RateLimiter(60 * 4, None)
        waits = [await limiter.wait_for_quota() for _ in range(6)]
        return waits[0], waits[-1]

    first_s, last_s = asyncio.run(scenario())
    assert first_s < 0.1
    assert last_s > 0.1


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
