"""Classify refusals (401, 403, 404, 405, redirects): of one answer, or of every call."""

import asyncio
import time
from collections.abc import Callable

from transforms.grounding.errors import AnswerRefused, Misconfigured

_MANY = 20
"""Consecutive refusals after which every call counts as refused."""

_NO_SUCCESS_FOR_S = 10.0
_POLL_S = 0.05


class Refusals:
    """Compare the refused calls of a client with its other calls.

    A refusal concerns one answer if another call succeeds after it, and every call if none does.
    A refused call waits until this is known.

    Args:
      wait_s: seconds that refused calls wait for new calls, if no call has succeeded yet and no
        other is in flight; 0 if no new call comes before these have ended.
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
        """Calls that succeeded."""
        return self._successes

    def started(self) -> None:
        """Count a call as in flight."""
        self._calls += 1

    def ended(self) -> None:
        """Count a call as ended, with any result."""
        self._calls -= 1

    def succeeded(self) -> None:
        """Count a call as successful."""
        self._successes += 1
        self._refused = 0
        self._every_call_is = False

    async def classify(self, refusal: Misconfigured) -> AnswerRefused | Misconfigured:
        """Wait until a refusal can be classified.

        Args:
          refusal: the error of a call in flight.

        Returns:
          AnswerRefused if the checker answers other calls; otherwise the refusal itself.
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
        """Return whether no call succeeded in spite of many calls or a long wait."""
        now_s = self._clock()
        if self._refused >= _MANY and now_s - self._first_refused_s >= _NO_SUCCESS_FOR_S:
            return True
        if self._calls > self._waiting:
            return False
        if self._wait_s:
            return not self._successes and now_s - refused_at_s >= self._wait_s
        return self._waiting >= _MANY or not self._successes

    def _is_alone(self, successes: int) -> bool:
        """Return whether few calls are refused, all others have ended, and some succeeded."""
        is_idle = self._calls == self._waiting
        return bool(successes) and is_idle and self._waiting < _MANY
