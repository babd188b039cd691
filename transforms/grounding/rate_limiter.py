"""Limit calls: by concurrency, by a quota, and by a throttle while the checker fails."""

import asyncio
import random
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from aiolimiter import AsyncLimiter

_WINDOW_MS = 5_000
"""Calls count for this long. After an outage the rate grows by e in a third of it."""

_BUCKETS = 10
_BUCKET_MS = _WINDOW_MS // _BUCKETS
_POLL_S = 1.0
_OVERLOAD_RATIO = 3.0
"""Calls that may end per answered call before some are throttled.

With the book's 2, a service that fails a little more often than it answers gets almost no calls,
although retries still succeed there.
"""

_GRACE = 20
"""Calls that may fail before any is throttled, so that a first fault changes nothing."""


def open_quota(requests_per_minute: float) -> AsyncLimiter:
    """Return a limiter that spreads the calls evenly, in bursts of a second's quota at most."""
    per_s = requests_per_minute / 60
    return AsyncLimiter(max(per_s, 1.0), max(1.0, 1 / per_s))


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


class AdaptiveThrottle:
    """Throttle calls as in Google's SRE book.

    Beam's own throttler counts a call when it starts, so that the first second of a run, in which
    nothing is answered yet, looks like an outage. This one counts a call when it ends.

    Failures that always hit the same answers must not slow down the others. While some calls are
    answered, all failures throttle retries, but only overload errors throttle first attempts.

    Source: https://sre.google/sre-book/handling-overload/, "Client-Side Throttling"
    """

    def __init__(self) -> None:
        self._unanswered = _RecentCount()
        self._answered = _RecentCount()
        self._overloaded = _RecentCount()
        self._lock = threading.Lock()
        self._waited_s = 0.0

    async def wait(self, deadline_s: float, *, is_retry: bool) -> bool:
        """Wait while a call is throttled; return False if its (monotonic) deadline comes first."""
        while self.must_wait(is_retry=is_retry):
            if time.monotonic() + _POLL_S > deadline_s:
                return False
            await asyncio.sleep(_POLL_S)
            self.add_wait(_POLL_S)
        return True

    def must_wait(self, *, is_retry: bool) -> bool:
        """Decide at random whether a call has to wait; more likely the more calls have failed."""
        unanswered = self._unanswered.add(0)
        if not unanswered:
            return False
        answered = self._answered.add(0)
        if answered and not is_retry:
            unanswered = self._overloaded.add(0)
        ended = answered + unanswered
        excess = ended - _OVERLOAD_RATIO * answered - _GRACE
        if excess <= 0 or random.random() >= excess / (ended + 1):  # noqa: S311 - not a secret
            return False
        # Many waiting retries would throttle each other although other calls are answered.
        if not (is_retry and answered):
            self._unanswered.add(1)
        if not is_retry:
            self._overloaded.add(1)
        return True

    def succeeded(self) -> None:
        self._answered.add(1)

    def failed(self, *, is_overload: bool) -> None:
        """Count a failed call; `is_overload` if the service reports overload."""
        self._unanswered.add(1)
        if is_overload:
            self._overloaded.add(1)

    def add_wait(self, seconds: float) -> None:
        with self._lock:
            self._waited_s += seconds

    def take_wait_s(self) -> int:
        """Return the whole seconds of throttling since the last call, on any thread."""
        with self._lock:
            whole_s = int(self._waited_s)
            self._waited_s -= whole_s
        return whole_s


class _RecentCount:
    """Count events of the last `_WINDOW_MS`, in buckets."""

    def __init__(self) -> None:
        self._buckets = [0] * _BUCKETS
        self._newest = 0
        self._total = 0

    def add(self, by: int) -> int:
        now = _now_ms() // _BUCKET_MS
        if now != self._newest:
            for bucket in range(max(self._newest, now - _BUCKETS) + 1, now + 1):
                self._total -= self._buckets[bucket % _BUCKETS]
                self._buckets[bucket % _BUCKETS] = 0
            self._newest = now
        self._buckets[now % _BUCKETS] += by
        self._total += by
        return self._total


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
