"""Decide whether a checker refuses one answer or every call: 401, 403, 404, 405 and redirects."""

import asyncio
import time
from collections.abc import Callable

from transforms.grounding.errors import AnswerRefused, Misconfigured

_MANY = 20
"""Calls that are refused one after the other before every call counts as refused."""

_NO_SUCCESS_FOR_S = 10.0
_POLL_S = 0.05


class Refusals:
    """Compare refused calls with the other calls of a client.

    A refusal is of one answer where the checker answers another call after it, and of every call
    where it answers none. Until that is known the refused call waits.

    Args:
      wait_s: seconds that refused calls wait for others that may come, where nothing was ever
        answered and no other call is under way; 0 where none comes before these have ended.
      clock: seconds, monotonic.
    """

    def __init__(self, wait_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._wait_s = wait_s
        self._clock = clock
        self._successes = 0
        self._calls = 0
        self._waiting = 0
        self._refused = 0
        self._first_refused_s = 0.0
        self._every_call_is = False

    @property
    def successes(self) -> int:
        """How many calls were answered."""
        return self._successes

    def started(self) -> None:
        """Note that a call is under way."""
        self._calls += 1

    def ended(self) -> None:
        """Note that a call is over, whatever came of it."""
        self._calls -= 1

    def succeeded(self) -> None:
        """Note that the checker answered a call."""
        self._successes += 1
        self._refused = 0
        self._every_call_is = False

    async def judge(self, refusal: Misconfigured) -> AnswerRefused | Misconfigured:
        """Wait until it is known what a refusal means.

        Args:
          refusal: what the checker said of a call that is under way.

        Returns:
          AnswerRefused where the checker answers other calls, else the refusal as it is.
        """
        if not self._refused:
            self._first_refused_s = self._clock()
        self._refused += 1
        successes, refused_at_s = self._successes, self._clock()
        self._waiting += 1
        try:
            while self._successes == successes:
                self._every_call_is = self._every_call_is or self._is_of_every_call(refused_at_s)
                if self._every_call_is:
                    return refusal
                if self._is_alone(successes):
                    break
                await asyncio.sleep(_POLL_S)
        finally:
            self._waiting -= 1
        return AnswerRefused(str(refusal))

    def _is_of_every_call(self, refused_at_s: float) -> bool:
        """Tell whether nothing was answered in spite of many calls, or of a long wait."""
        now_s = self._clock()
        if self._refused >= _MANY and now_s - self._first_refused_s >= _NO_SUCCESS_FOR_S:
            return True
        if self._calls > self._waiting:
            return False
        if self._wait_s:
            return not self._successes and now_s - refused_at_s >= self._wait_s
        return self._waiting >= _MANY or not self._successes

    def _is_alone(self, successes: int) -> bool:
        """Tell whether few calls are refused, all others are over, and some were answered."""
        is_idle = self._calls == self._waiting
        return bool(successes) and is_idle and self._waiting < _MANY
