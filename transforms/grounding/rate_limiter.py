"""How fast calls may leave: a quota, and less when the service refuses."""

import asyncio
import time
from typing import Protocol

from aiolimiter import AsyncLimiter

_LOOK_AGAIN_S = 1.0
_MINUTE_S = 60.0


class Throttle(Protocol):
    """Decides from the calls so far whether the next one should be held back."""

    def must_wait(self, *, is_retry: bool) -> bool:
        """Tell whether a call that wants to leave now has to wait and ask again.

        Args:
          is_retry: whether it was sent before.
        """

    def succeeded(self) -> None:
        """Hear that a call was answered."""

    def failed(self, *, is_overload: bool) -> None:
        """Note that a call failed.

        Args:
          is_overload: whether the service says that there are too many.
        """

    def waited(self, seconds: float) -> None:
        """Hear for how long a call was held back."""


class Pace:
    """Lets calls leave within a quota, held back further while the service refuses.

    Args:
      requests_per_minute: the quota, spread evenly; None for none.
      throttle: holds back; None lets every call go.
    """

    def __init__(self, requests_per_minute: float | None, throttle: Throttle | None) -> None:
        self._throttle = throttle
        self._limiter = None
        if requests_per_minute is not None:
            per_s = requests_per_minute / _MINUTE_S
            # At most a second's worth may leave at once.
            self._limiter = AsyncLimiter(max(per_s, 1.0), max(1.0, 1 / per_s))

    async def leave(self, deadline_s: float, *, is_retry: bool) -> bool:
        """Wait until the service may be asked again.

        Args:
          deadline_s: on the monotonic clock.
          is_retry: whether the call was sent before.

        Returns:
          Whether the call may leave; False when it was held back until its time was up.
        """
        while self._throttle and self._throttle.must_wait(is_retry=is_retry):
            if time.monotonic() + _LOOK_AGAIN_S > deadline_s:
                return False
            await asyncio.sleep(_LOOK_AGAIN_S)
            self._throttle.waited(_LOOK_AGAIN_S)
        return True

    async def take_from_quota(self) -> float:
        """Wait for a place in the quota, however long; returns how many seconds it took."""
        if self._limiter is None:
            return 0.0
        started_s = time.monotonic()
        await self._limiter.acquire()
        return time.monotonic() - started_s

    def succeeded(self) -> None:
        """Hear that a call was answered."""
        if self._throttle:
            self._throttle.succeeded()

    def failed(self, *, is_overload: bool) -> None:
        """Note that a call failed."""
        if self._throttle:
            self._throttle.failed(is_overload=is_overload)
