"""Classify refusals (401, 403, 404, 405, redirects): of one answer, or of every call."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from .errors import AnswerRefused, CheckFailed, Misconfigured, Unavailable
from .settings import OutagePolicy

_MANY = 20
"""Consecutive refusals after which every call counts as refused, if none has succeeded."""

_NO_SUCCESS_FOR_S = 10.0
_FIRST_SUCCESS_WITHIN_S = 60.0
"""With OutagePolicy.HOLD, how long a refused call waits for the first one that succeeds."""

_ASK_AGAIN_S = 1.0
_MAX_DOUBLINGS = 5
_POLL_S = 0.05

Ask = Callable[[], Awaitable[None]]


class Refusals:
    """Compare the refused calls of a client with its other calls.

    With OutagePolicy.FAIL a refusal concerns one answer as soon as any call of the run has
    succeeded, and every call if none does. Otherwise the answers never end, and a checker that
    begins to refuse every call would fail all that come. So there a refused call waits for one that
    succeeds after it; where no other call is under way, it asks.

    Args:
      policy: what happens to an answer while the checker is unavailable.
      has_answered: whether a call of another process, of an earlier try of the run or of the worker
        before this one succeeded.
      clock: seconds, monotonic.

    Attributes:
      in_flight: calls that have not ended; the client counts them.
      successes: calls that succeeded.
    """

    def __init__(
        self,
        policy: OutagePolicy,
        has_answered: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.in_flight = 0
        self.successes = 0
        self._policy = policy
        self._has_answered = has_answered
        self._clock = clock
        self._waiting = 0
        self._refused = 0
        self._first_refused_s = 0.0
        self._every_call_is = False
        self._is_asking = False
        self._refused_questions = 0
        # How often one that asked, and many calls in a row, were refused.
        self._outages = self._bursts = 0

    def succeeded(self) -> None:
        self.successes += 1
        self._bursts += self._refused >= _MANY
        self._refused = self._refused_questions = 0
        self._every_call_is = False

    async def classify(
        self, refusal: Misconfigured, ask: Ask | None = None, *, is_repeated: bool = False
    ) -> AnswerRefused | Misconfigured | Unavailable:
        """Wait until it is known whether the checker answers other calls, and return the error.

        It is Unavailable if the checker refused every call for a moment, and answers again. With
        OutagePolicy.HOLD that is waited for, if any call has succeeded before.

        Args:
          refusal: what the checker replied.
          ask: calls the checker with an answer that it can check, and counts its success; raises
            CheckFailed. Without it, there are only the other calls to compare with.
          is_repeated: whether the call was refused before, and another one has succeeded since.
        """
        if not self._refused:
            self._first_refused_s = self._clock()
        self._refused += 1
        is_bounded = self._policy is OutagePolicy.FAIL
        successes, refused_at_s = self.successes, self._clock()
        outages, bursts = self._outages, self._bursts
        self._waiting += 1
        try:
            while self.successes == successes:
                if is_bounded and (self.successes or self._has_answered()):
                    break
                is_idle = self.in_flight == self._waiting
                if self._is_of_every_call(refused_at_s, can_ask=ask is not None):
                    self._every_call_is = True
                if self._every_call_is:
                    return refusal
                if ask and (is_idle or self._is_late()) and not await self._ask(ask):
                    break
                await asyncio.sleep(_POLL_S)
        finally:
            self._waiting -= 1
        is_burst = self._bursts > bursts and not is_repeated
        was_outage = not is_bounded and (self._outages > outages or is_burst)
        found = Unavailable(str(refusal)) if was_outage else AnswerRefused(str(refusal))
        found.detail = refusal.detail
        return found

    async def _ask(self, ask: Ask) -> bool:
        """Ask the checker, for all refused calls at once; return False if it cannot be asked."""
        if self._is_asking:
            return True
        self._is_asking = True
        try:
            await ask()
        except (Misconfigured, Unavailable) as error:
            is_refused = isinstance(error, Misconfigured)
            self._outages += is_refused
            if self._policy is OutagePolicy.FAIL:
                self._every_call_is = is_refused or self._is_late()
            elif self._policy is OutagePolicy.REDELIVER:
                self._every_call_is = is_refused and self._is_late()
            if not self._every_call_is:
                await asyncio.sleep(_ASK_AGAIN_S * 2**self._refused_questions)
                self._refused_questions = min(self._refused_questions + 1, _MAX_DOUBLINGS)
        except CheckFailed:
            self._every_call_is = self._policy is OutagePolicy.FAIL
            return self._every_call_is
        finally:
            self._is_asking = False
        return True

    def _is_late(self) -> bool:
        return self._clock() - self._first_refused_s >= _NO_SUCCESS_FOR_S

    def _is_of_every_call(self, refused_at_s: float, *, can_ask: bool) -> bool:
        """Return whether no call has ever succeeded, in spite of many calls or a long wait."""
        is_idle = self.in_flight == self._waiting
        has_many = self._refused >= _MANY and self._is_late()
        if self._policy is OutagePolicy.HOLD:
            is_long = self._clock() - refused_at_s >= _FIRST_SUCCESS_WITHIN_S
            has_answered = self.successes or self._has_answered()
            return not has_answered and (has_many or (is_idle and is_long))
        return not can_ask and (has_many or is_idle)
