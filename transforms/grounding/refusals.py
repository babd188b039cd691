"""Classify refusals (401, 403, 404, 405, redirects): of one answer, or of every call."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from .errors import AnswerRefused, CheckFailed, Misconfigured, Unavailable

_MANY = 20
"""Consecutive refusals after which every call counts as refused."""

_NO_SUCCESS_FOR_S = 10.0
_ASK_AGAIN_S = 1.0
_POLL_S = 0.05


class Refusals:
    """Compare the refused calls of a client with its other calls.

    A refusal concerns one answer if another call succeeds after it, and every call if none does.
    A refused call waits until this is known; where no other call is under way, it can ask.

    Args:
      wait_s: seconds that refused calls wait for new calls, if no call has succeeded yet and no
        other is in flight; 0 if no new call comes before these have ended.
      clock: seconds, monotonic.

    Attributes:
      in_flight: calls that have not ended; the client counts them.
      successes: calls that succeeded.
    """

    def __init__(self, wait_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.in_flight = 0
        self.successes = 0
        self._wait_s = wait_s
        self._clock = clock
        self._waiting = 0
        self._refused = 0
        self._first_refused_s = 0.0
        self._every_call_is = False
        self._is_asking = False
        # How often many calls in a row, or one that asked, were refused.
        self._outages = 0

    def succeeded(self) -> None:
        self.successes += 1
        self._outages += self._refused >= _MANY
        self._refused = 0
        self._every_call_is = False

    async def classify(
        self, refusal: Misconfigured, ask: Callable[[], Awaitable[None]] | None = None
    ) -> AnswerRefused | Misconfigured | Unavailable:
        """Wait until it is known whether the checker answers other calls, and return the error.

        It is Unavailable if the checker refused every call for a moment, and answers again.

        Args:
          refusal: what the checker replied.
          ask: calls the checker with an answer that it can check, and counts its success; raises
            CheckFailed. Without it, a refusal is taken for that of one answer if there is no other
            call to compare with, and a call has succeeded before.
        """
        if not self._refused:
            self._first_refused_s = self._clock()
        self._refused += 1
        successes, refused_at_s = self.successes, self._clock()
        outages = self._outages
        self._waiting += 1
        try:
            while self.successes == successes:
                self._every_call_is = self._every_call_is or self._is_of_every_call(refused_at_s)
                if self._every_call_is:
                    return refusal
                is_idle = self.in_flight == self._waiting
                if ask is None:
                    if successes and is_idle and self._waiting < _MANY:
                        break
                elif is_idle and not await self._ask(ask):
                    break
                await asyncio.sleep(_POLL_S)
        finally:
            self._waiting -= 1
        is_over = self._outages > outages
        found = Unavailable(str(refusal)) if is_over else AnswerRefused(str(refusal))
        found.detail = refusal.detail
        return found

    async def _ask(self, ask: Callable[[], Awaitable[None]]) -> bool:
        """Ask the checker, for all refused calls at once; return False if it cannot be asked."""
        if self._is_asking:
            return True
        self._is_asking = True
        try:
            await ask()
        except Misconfigured:
            self._outages += 1
            elapsed_s = self._clock() - self._first_refused_s
            if self.successes and elapsed_s >= _NO_SUCCESS_FOR_S:
                self._every_call_is = True
            else:
                await asyncio.sleep(_ASK_AGAIN_S)
        except Unavailable:
            await asyncio.sleep(_ASK_AGAIN_S)
        except CheckFailed:
            return False
        finally:
            self._is_asking = False
        return True

    def _is_of_every_call(self, refused_at_s: float) -> bool:
        """Return whether no call succeeded in spite of many calls or a long wait."""
        now_s = self._clock()
        if self._refused >= _MANY and now_s - self._first_refused_s >= _NO_SUCCESS_FOR_S:
            return True
        if self.in_flight > self._waiting:
            return False
        if self._wait_s:
            return not self.successes and now_s - refused_at_s >= self._wait_s
        return self._waiting >= _MANY or not self.successes
