"""The one client of the check: cached, paced, authorised, tried again."""

import asyncio
import math
import random
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from operator import add, sub
from typing import NamedTuple, Self

import stamina

from schemas.wire.grounding_check import CheckRequest
from transforms.grounding import retry_policy
from transforms.grounding.connections import Connections
from transforms.grounding.credentials import Authority
from transforms.grounding.errors import (
    CheckFailed,
    GaveUp,
    Misconfigured,
    OverBudget,
    Rejected,
    Unauthenticated,
    Unavailable,
)
from transforms.grounding.protocol import check_path, encode_request, interpret_reply
from transforms.grounding.rate_limiter import Pace, Throttle
from transforms.grounding.refusals import Refusals
from transforms.grounding.reply import CheckReply
from transforms.grounding.reply_cache import ReplyCache
from transforms.grounding.reply_store import ReplyStore
from transforms.grounding.settings import Budget, CheckSettings, OutagePolicy
from transforms.grounding.transport import Transport
from transforms.grounding.unknown_members import unknown_members

_HELD_REFUSAL_S = 60.0
"""For so long a worker waits for a call that is answered, before a refusal stops it."""

# Else it logs a line for each retry, of which an outage brings thousands.
stamina.instrumentation.set_on_retry_hooks(())


class Sent(NamedTuple):
    """What a client has sent.

    Attributes:
      calls: requests, failed and repeated ones included.
      retries: those that repeat another one.
      characters: of the answers and facts in all of them, the unit of the service's bill.
    """

    calls: int = 0
    retries: int = 0
    characters: int = 0

    def plus(self, other: "Sent") -> "Sent":
        """Add up."""
        return Sent(*map(add, self, other))

    def since(self, earlier: "Sent") -> "Sent":
        """Tell what has been sent since; nothing while requests without a connection are undone."""
        new = Sent(*map(sub, self, earlier))
        return new if min(new) >= 0 else Sent()


class GroundingClient:
    """Sends checks and waits for replies, many at a time.

    Delivery: a call is repeated after a fault, and asking twice is harmless but billed.

    Attributes:
      sent: what has been sent.

    Args:
      settings: where to, how often, how long.
      throttle: holds calls back while the service refuses; None never does.
      transport: takes the requests in place of sockets, or of the embedded checker.

    Raises:
      Misconfigured: the settings name credentials that are not there.
      OSError: the file of replies cannot be opened.
    """

    def __init__(
        self,
        settings: CheckSettings,
        throttle: Throttle | None = None,
        transport: Transport | None = None,
    ) -> None:
        self.sent = Sent()
        self._retries = settings.retries
        self._connections = Connections(settings, transport)
        self._pace = Pace(settings.requests_per_minute, throttle)
        self._store = ReplyStore(settings.reply_store) if settings.reply_store else None
        self._cache = _cache(settings, self._store)
        self._budget = settings.budget
        self._authority = Authority(settings.account) if settings.account else None
        self._failing_since_s: float | None = None
        self._checker = settings.checker
        self._holds = settings.outage is OutagePolicy.HOLD
        self._refusals = Refusals(_HELD_REFUSAL_S if self._holds else 0.0)

    async def check(self, request: CheckRequest) -> CheckReply:
        """Ask about one piece of an answer.

        Args:
          request: within the service's limits.

        Returns:
          The reply, valid for the request.

        Raises:
          CheckFailed: after the last attempt; its class says what is to be done.
        """
        body = encode_request(request)
        if self._cache is None:
            return await self._send(request, body)
        return await self._cache.get(request, body, partial(self._send, request, body))

    def begin(self, owner: int, *, again: bool) -> None:
        """Work for a part of the run from now on: see `ReplyStore.begin`."""
        if self._store:
            self._store.begin(owner, again=again)

    def flush(self) -> None:
        """Write to the file of replies what has been sent; between two parts of the run."""
        if self._store:
            self._store.flush()

    async def aclose(self) -> None:
        """Close all connections, and the file of replies."""
        await self._connections.aclose()
        if self._store:
            self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def _send(self, request: CheckRequest, body: bytes) -> CheckReply:
        self._refusals.started()
        try:
            if self._holds:
                return await self._send_until_known(request, body)
            return await self._send_in_time(request, body)
        finally:
            self._refusals.ended()

    async def _send_until_known(self, request: CheckRequest, body: bytes) -> CheckReply:
        """Try until it succeeds, or the checker has answered others between enough attempts."""
        patience = _Patience(math.inf)
        successes, unanswered = self._refusals.successes, 0
        while True:
            try:
                reply = await self._attempt(request, body, patience)
            except Unavailable as error:
                failure = error
            else:
                return reply
            if self._refusals.successes > successes:
                successes = self._refusals.successes
                unanswered += 1
            if unanswered >= self._retries.max_answer_attempts:
                failure.attempts = max(patience.attempts, 1)
                failure.first_failed_at_us = patience.first_failed_at_us
                raise failure
            jitter = random.random()  # noqa: S311 - no secret
            wait_s = retry_policy.hold_backoff_s(patience.attempts, failure.retry_after_s, jitter)
            await asyncio.sleep(wait_s)

    async def _send_in_time(self, request: CheckRequest, body: bytes) -> CheckReply:
        """Try until it succeeds, or it is no use, or attempts or time are used up."""
        patience = _Patience(self._retries.total_s)
        try:
            return await self._attempt(request, body, patience)
        except Unavailable as error:
            failure = error
        try:
            async for attempt in stamina.retry_context(
                on=patience.backoff, attempts=self._retries.max_attempts, timeout=None
            ):
                with attempt:
                    if attempt.num == 1:
                        # Most calls succeed at once: they are spared stamina's own work.
                        raise failure
                    reply = await self._attempt(request, body, patience)
        except CheckFailed as error:
            error.attempts = max(patience.attempts, 1)
            error.first_failed_at_us = patience.first_failed_at_us
            error.__context__ = None  # It may quote the reply, and with it the answer.
            raise
        return reply

    async def _attempt(
        self, request: CheckRequest, body: bytes, patience: "_Patience"
    ) -> CheckReply:
        # A place in the quota may be long in coming, which is no fault of the service's.
        patience.deadline_s += await self._pace.take_from_quota()
        if not await self._pace.leave(patience.deadline_s, is_retry=patience.attempts > 0):
            raise patience.failure or Unavailable("held back until its time was up")
        patience.attempts += 1
        try:
            reply = await self._authorised(request, body, patience)
        except Unavailable as error:
            patience.note(error)
            self._pace.failed(is_overload=error.is_overload)
            self._note_failure()
            raise
        except Rejected:
            self._note_success()
            raise
        self._note_success()
        self._pace.succeeded()
        return reply

    async def _authorised(
        self, request: CheckRequest, body: bytes, patience: "_Patience"
    ) -> CheckReply:
        if self._authority is None:
            return await self._answered(request, body, {}, patience)
        headers = await self._authority.headers()
        try:
            return await self._exchange(request, body, headers, patience)
        except Unauthenticated:
            headers = await self._authority.headers(rejected=headers)
        except Misconfigured as refusal:
            raise await self._refusals.judge(refusal) from None
        return await self._answered(request, body, headers, patience)

    async def _answered(
        self, request: CheckRequest, body: bytes, headers: Mapping[str, str], patience: "_Patience"
    ) -> CheckReply:
        """Exchange, and find out whether a refusal is of this call or of every one."""
        try:
            return await self._exchange(request, body, headers, patience)
        except Misconfigured as refusal:
            raise await self._refusals.judge(refusal) from None

    async def _exchange(
        self, request: CheckRequest, body: bytes, headers: Mapping[str, str], patience: "_Patience"
    ) -> CheckReply:
        characters = request.characters
        before_sending = partial(self._count, characters, patience)
        try:
            raw = await self._connections.post(body, headers, before_sending)
        except Unavailable as error:
            if not error.was_sent:
                self._uncount(characters, patience)
            raise
        now = datetime.now(UTC)
        response = interpret_reply(
            raw.status, raw.retry_after, raw.body, request, now, checker=self._checker
        )
        unknown = unknown_members(raw.body)
        return CheckReply(response=response, attempts=patience.sent, unknown_members=unknown)

    def _count(self, characters: int, patience: "_Patience") -> None:
        """Count a request that is about to leave, if the run may still send one."""
        budget = self._budget
        if self._store and budget == Budget():
            self._store.count(characters)
        elif self._store and not self._store.take(
            characters, budget.max_calls, budget.max_characters
        ):
            raise OverBudget("the run's limit of calls or cost is reached")
        patience.sent += 1
        self.sent = self.sent.plus(Sent(1, int(patience.sent > 1), characters))

    def _uncount(self, characters: int, patience: "_Patience") -> None:
        """Take back a request that could not leave, since there was no connection."""
        if self._store:
            self._store.give_back(characters)
        self.sent = self.sent.plus(Sent(-1, -int(patience.sent > 1), -characters))
        patience.sent -= 1

    def _note_success(self) -> None:
        self._failing_since_s = None
        self._refusals.succeeded()

    def _note_failure(self) -> None:
        """Give up when nothing at all has succeeded for too long."""
        now_s = time.monotonic()
        if self._failing_since_s is None:
            self._failing_since_s = now_s
        elif now_s - self._failing_since_s > self._retries.give_up_after_s:
            raise GaveUp(
                f"nothing has succeeded for {now_s - self._failing_since_s:.0f} s; give the same"
                " command again when the checker answers: it pays for no check twice"
            ) from None


def _cache(settings: CheckSettings, store: ReplyStore | None) -> ReplyCache | None:
    if not settings.pays_once:
        return None
    address = f"{settings.endpoint}{check_path(settings)}{settings.scorer or ''}"
    return ReplyCache(address, settings.cache_bytes, store)


class _Patience:
    """How often one call was tried and sent, how that last failed, and when trying ends."""

    def __init__(self, total_s: float) -> None:
        self.deadline_s = time.monotonic() + total_s
        self.attempts = 0
        self.sent = 0
        self.failure: Unavailable | None = None
        self.first_failed_at_us: int | None = None

    def note(self, failure: Unavailable) -> None:
        self.failure = failure
        if self.first_failed_at_us is None:
            self.first_failed_at_us = time.time_ns() // 1000

    def backoff(self, error: Exception) -> bool | float:
        jitter = random.random()  # noqa: S311 - no secret hangs on it
        left_s = self.deadline_s - time.monotonic()
        return retry_policy.backoff(error, max(self.attempts, 1), jitter, left_s)
