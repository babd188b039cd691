"""Limit calls: by concurrency, by a quota, and by a throttle while the checker fails."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

from aiolimiter import AsyncLimiter

_POLL_S = 1.0
_MINUTE_S = 60.0


class Throttle(Protocol):
    """Decide from the calls so far whether the next one is delayed."""

    def must_wait(self, *, is_retry: bool) -> bool:
        """Return whether a call has to wait and ask again.

        Args:
          is_retry: whether the call was sent before.
        """

    def succeeded(self) -> None:
        """Count an answered call."""

    def failed(self, *, is_overload: bool) -> None:
        """Count a failed call.

        Args:
          is_overload: whether the checker reports overload.
        """

    def waited(self, seconds: float) -> None:
        """Add the time that a call was throttled."""


class RateLimiter:
    """Limit calls to a quota, and throttle them while the checker fails.

    Args:
      requests_per_minute: the quota, spread evenly; None for no quota.
      throttle: delays calls; None delays none.
    """

    def __init__(self, requests_per_minute: float | None, throttle: Throttle | None) -> None:
        self._throttle = throttle
        self._limiter = None
        if requests_per_minute is not None:
            per_s = requests_per_minute / _MINUTE_S
            # A burst of at most one second's quota.
            self._limiter = AsyncLimiter(max(per_s, 1.0), max(1.0, 1 / per_s))

    async def wait_for_quota(self) -> float:
        """Wait until the quota allows a call; return the seconds waited."""
        if self._limiter is None:
            return 0.0
        started_s = time.monotonic()
        await self._limiter.acquire()
        return time.monotonic() - started_s

    async def wait_for_throttle(self, deadline_s: float, *, is_retry: bool) -> bool:
        """Wait until the throttle lets a call pass; return False if its deadline comes first.

        Args:
          deadline_s: on the monotonic clock.
          is_retry: whether the call was sent before.
        """
        while self._throttle and self._throttle.must_wait(is_retry=is_retry):
            if time.monotonic() + _POLL_S > deadline_s:
                return False
            await asyncio.sleep(_POLL_S)
            self._throttle.waited(_POLL_S)
        return True

    def succeeded(self) -> None:
        """Count an answered call."""
        if self._throttle:
            self._throttle.succeeded()

    def failed(self, *, is_overload: bool) -> None:
        """Count a failed call."""
        if self._throttle:
            self._throttle.failed(is_overload=is_overload)


class ConcurrencyLimiter:
    """Limit concurrent calls.

    A late call can free its slot for another one, so that a few hanging calls do not block all
    others.

    Args:
      most: concurrent calls.
      most_late: late calls besides; further ones keep their slots.
      late_after_s: seconds after which a call is late.
    """

    def __init__(self, most: int, most_late: int, late_after_s: float = 1.0) -> None:
        self._free = asyncio.Semaphore(most)
        self._most_late = most_late
        self._late_after_s = late_after_s
        self._late = 0

    def slot(self) -> AbstractAsyncContextManager[None]:
        """Hold a slot during a `with` block, or until the call is late."""
        return self._until_late() if self._most_late else self._free

    @asynccontextmanager
    async def _until_late(self) -> AsyncIterator[None]:
        await self._free.acquire()
        is_late = False

        def free_slot() -> None:
            nonlocal is_late
            if self._late < self._most_late:
                is_late = True
                self._late += 1
                self._free.release()

        timer = asyncio.get_running_loop().call_later(self._late_after_s, free_slot)
        try:
            yield
        finally:
            timer.cancel()
            if is_late:
                self._late -= 1
            else:
                self._free.release()
