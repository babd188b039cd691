"""The quota, and the limit of concurrent calls."""

import asyncio
import time

import pytest

from transforms.grounding.rate_limiter import ConcurrencyLimiter, open_quota


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
