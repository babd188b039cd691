"""How fast calls may leave: a quota, and less when the service refuses."""

import asyncio
from typing import Protocol

from aiolimiter import AsyncLimiter

_LOOK_AGAIN_S = 1.0
_MINUTE_S = 60.0


class Throttle(Protocol):
    """Decides from the calls so far whether the next one should be held back."""

    def must_wait(self) -> bool:
        """Tell whether a call that wants to leave now has to wait and ask again."""

    def succeeded(self) -> None:
        """Hear that a call was answered."""

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

    async def leave(self) -> None:
        """Wait until a call may leave; a cancelled wait counts for nothing."""
        while self._throttle and self._throttle.must_wait():
            await asyncio.sleep(_LOOK_AGAIN_S)
            self._throttle.waited(_LOOK_AGAIN_S)
        if self._limiter:
            await self._limiter.acquire()

    def succeeded(self) -> None:
        """Hear that a call was answered."""
        if self._throttle:
            self._throttle.succeeded()
