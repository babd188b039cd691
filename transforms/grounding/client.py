"""Check requests with a checker: cached, limited, authorized and retried."""

import asyncio
import logging
import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

import httpx
import stamina
from msgspec.structs import replace

from groundwatch.schemas.wire.grounding_check import CheckRequest, GroundingFact
from groundwatch.transforms.rules.checker_outages import CheckerStatus
from groundwatch.transforms.runtime import clock, waiting
from . import errors, retry_policy
from .http_endpoint import HttpEndpoint
from .protocol import CheckReply, HttpReply, check_path, encode_request, interpret_reply
from .rate_limiter import AdaptiveThrottle, ConcurrencyLimiter, open_quota
from .refusals import Refusals
from .reply_cache import ReplyCache, ReplyStore
from .retry_policy import retry_wait_s
from .settings import CheckSettings, OutagePolicy
from .transport import concurrent_calls, open_transport

_MOST_REASONS = 5
_KNOWN = "Lamps glow at night."
"""An answer, and its only fact, that any checker can check."""
_log = logging.getLogger(__name__)

# stamina logs each retry by default, thousands of lines in an outage.
stamina.instrumentation.set_on_retry_hooks(())


CALLS_IN_FLIGHT: set[object] = set()
"""The calls of this process that wait for a reply, over all clients."""


class SentCalls(NamedTuple):
    """All requests that a client has sent, the repeated ones, and the billed characters in them."""

    calls: int = 0
    retries: int = 0
    characters: int = 0


class GroundingClient:
    """Send checks, many at a time.

    Delivery: a failed call is retried, which is harmless but billed.

    Args:
      settings: the checker's address, limits and retries.
      throttle: of a run, delays calls while the checker fails.
      transport: carries the requests; None chooses by `settings`.

    Attributes:
      is_stopped: while it returns True no request is sent; calls that would end in Interrupted.

    Raises:
      Misconfigured: the credentials do not exist, or the proxy cannot be used.
      OSError: the reply store cannot be opened.
    """

    def __init__(
        self,
        settings: CheckSettings,
        throttle: AdaptiveThrottle | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        path, per_minute = check_path(settings), settings.requests_per_minute
        self.is_stopped: Callable[[], bool] = lambda: False
        self._settings = settings
        self._endpoint = HttpEndpoint(path, settings, transport or open_transport(settings))
        self._slots = ConcurrencyLimiter(concurrent_calls(settings), settings.most_late_calls)
        self._quota = None if per_minute is None else open_quota(per_minute)
        self._throttle = throttle
        self._authority = None
        if settings.account:
            # Google's library, which others do not need, takes .15 s to import.
            from .credentials import Authority  # noqa: PLC0415

            self._authority = Authority(settings.account)
        self._store = self._cache = None
        if settings.reply_store:
            self._store = ReplyStore(settings.reply_store, settings.outcomes_per_batch)
        if settings.pays_once:
            model = settings.scorer and f"{settings.scorer_weight:g}*{settings.scorer}"
            in_process = settings.checker if settings.is_object else model
            address = f"{settings.endpoint}{path}{in_process or ''}"
            self._cache = ReplyCache(address, settings.cache_bytes, self._store)
        self._holds = settings.outage is OutagePolicy.HOLD
        # Outside a run a refused call, which may be the only one, is not worth a second one.
        self._asks = settings.outage is not OutagePolicy.FAIL or throttle is not None
        has_paid = self._store.has_paid if self._store else lambda: settings.has_answered
        self._refusals = Refusals(settings.outage, has_paid)
        self._status = CheckerStatus(checker=settings.checker)
        # Calls that the checker asked to wait, in this order, until they end.
        self._asked_to_wait: dict[_Call, errors.Unavailable] = {}
        self._failing_since_s: float | None = None
        # What was logged since the last success.
        self._reported: set[str] = set()
        self._succeeded: CheckRequest | None = None
        self._probe: asyncio.Task[None] | None = None
        self._probe_not_before_s = 0.0
        self._sent = SentCalls()
        self._sent_lock = threading.Lock()

    async def check(
        self, request: CheckRequest, earlier: Callable[[], CheckRequest] | None = None
    ) -> CheckReply:
        """Check one request, which is within the service's limits; return a valid reply.

        `earlier` makes the same request as 2.0.0 did, which may have paid for it.

        Raises:
          CheckFailed: after the last attempt; its class says how to handle it.
        """
        body = encode_request(request)
        if self._cache is None:
            return await self._send(request, body)
        return await self._cache.get(request, body, partial(self._send, request, body), earlier)

    @property
    def status(self) -> CheckerStatus:
        """How the calls end, on any thread: a call that has to wait fails until it is answered."""
        for call, error in list(self._asked_to_wait.items()):
            since_us = call.first_failed_at_us or clock.now_us()
            if self._status.failing_since_us is None:
                return replace(
                    self._status, failing_since_us=since_us, cause=error.cause, problem=str(error)
                )
            earlier_us = min(since_us, self._status.failing_since_us)
            return replace(self._status, failing_since_us=earlier_us)
        return self._status

    def take_sent(self) -> SentCalls:
        """Return what has been sent since the last call, on any thread."""
        with self._sent_lock:
            if min(self._sent) < 0:  # More unsent requests were subtracted than sent since.
                return SentCalls()
            taken, self._sent = self._sent, SentCalls()
        return taken

    def start_batch(self, batch: int, *, is_retry: bool) -> None:
        """Start a batch: see `ReplyStore.start_batch`."""
        if self._store:
            self._store.start_batch(batch, is_retry=is_retry)

    def flush(self) -> None:
        """Write to the reply store what has been sent."""
        if self._store:
            self._store.flush()

    async def aclose(self) -> None:
        """Close all connections and the reply store."""
        if self._probe:
            self._probe.cancel()
        await self._endpoint.aclose()
        if self._store:
            self._store.close()

    async def _send(self, request: CheckRequest, body: bytes) -> CheckReply:
        """Send a request until it succeeds or the retry policy ends."""
        retries = self._settings.retries
        deadline_s = time.monotonic() + retries.total_s
        call = _Call(request, body, deadline_s, self._refusals.successes)
        self._refusals.in_flight += 1
        try:
            try:
                return await self._attempt(call)
            except errors.Unavailable as error:
                failure = error
            async for attempt in stamina.retry_context(
                on=partial(self._backoff, call),
                attempts=None if self._holds else retries.max_attempts,
                timeout=None,
            ):
                with attempt:
                    if attempt.num == 1:
                        # Most calls succeed at once, without the cost of a retry context.
                        raise failure
                    reply = await self._attempt(call)
        except errors.CheckFailed as error:
            error.attempts = max(call.attempts, 1)
            error.first_failed_at_us = call.first_failed_at_us
            error.__context__ = None  # It may quote the reply, and so the answer.
            raise
        finally:
            self._refusals.in_flight -= 1
            self._asked_to_wait.pop(call, None)
        return reply

    def _backoff(self, call: "_Call", error: Exception) -> bool | float:
        """Return the wait before the next attempt, False for none: stamina's backoff hook."""
        attempts, jitter = max(call.attempts, 1), random.random()  # noqa: S311 - not a secret
        if not self._holds:
            left_s = call.deadline_s - time.monotonic() - self._shorter_by_s()
            return retry_wait_s(retry_policy.LIMITED, error, attempts, jitter, left_s)
        if isinstance(error, errors.Unavailable) and error.retry_after_s:
            self._asked_to_wait.setdefault(call, error)
        # With HOLD an attempt counts only if the checker answered another call since the last one.
        if self._refusals.successes > call.successes_seen:
            call.successes_seen = self._refusals.successes
            call.failed_alone += 1
        if call.failed_alone >= self._settings.retries.max_answer_attempts:
            return False
        return retry_wait_s(retry_policy.HOLD, error, attempts, jitter, math.inf)

    def _shorter_by_s(self) -> float:
        """Return by how many seconds retries end earlier, since no call has succeeded yet."""
        retries = self._settings.retries
        if retries.first_s is None or self._refusals.successes:
            return 0.0
        return max(0.0, retries.total_s - retries.first_s)

    async def _attempt(self, call: "_Call") -> CheckReply:
        """Send a request once, when quota and throttle allow it, and once more for a new token."""
        await self._wait_for_limits(call)
        call.attempts += 1
        started_at_us = clock.now_us()
        try:
            reply = await self._post_with_token(call)
        except errors.Unavailable as error:
            self._note_failure(call, error)
            raise
        except errors.Misconfigured as refusal:
            ask = partial(self._ask, call.request) if self._asks else None
            found = await self._refusals.classify(refusal, ask, is_repeated=call.is_refused)
            call.is_refused = True
            if isinstance(found, errors.Misconfigured):
                self._fail_since(started_at_us, found, is_refused=True)
            raise found from None
        except errors.Rejected:
            self._note_success()
            raise
        self._note_success()
        self._succeeded = call.request
        if self._throttle:
            self._throttle.succeeded()
        return reply

    async def _wait_for_limits(self, call: "_Call") -> None:
        if self._quota:
            # Waiting for the quota is not the checker's fault: it does not use up the call's time.
            started_s = time.monotonic()
            await self._quota.acquire()
            call.deadline_s += time.monotonic() - started_s
        if self._throttle:
            deadline_s = math.inf if self._holds else call.deadline_s
            if not await self._throttle.wait(deadline_s, is_retry=call.attempts > 0):
                raise call.failure or errors.Unavailable("throttled until its time was up")

    async def _post_with_token(self, call: "_Call") -> CheckReply:
        """Send a request, and once more if its token has expired."""
        token = await self._authority.headers(None) if self._authority else {}
        try:
            return await self._post(call, token)
        except errors.Unauthenticated:
            if not (token and self._authority):
                raise
        return await self._post(call, await self._authority.headers(token))

    async def _post(self, call: "_Call", token: Mapping[str, str]) -> CheckReply:
        """Send a request within the limits, and validate the reply."""
        async with self._slots.slot():
            reply = await self._exchange(call, token)
        checker, now = self._settings.checker, datetime.now(UTC)
        return interpret_reply(reply, call.request, now, checker=checker, attempts=call.sent)

    async def _exchange(self, call: "_Call", token: Mapping[str, str]) -> HttpReply:
        self._count(call, 1)
        CALLS_IN_FLIGHT.add(call)
        try:
            return await self._endpoint.post(call.body, token)
        except errors.Unavailable as failure:
            if not failure.was_sent:
                self._count(call, -1)
            raise
        finally:
            CALLS_IN_FLIGHT.discard(call)

    def _count(self, call: "_Call", by: int) -> None:
        """Count a request that is about to be sent, or subtract one that could not be sent."""
        characters = call.request.characters
        if by > 0 and self.is_stopped():
            raise errors.Interrupted("the run was interrupted")
        if self._store and by < 0:
            self._store.refund(characters)
        elif self._store and not self._store.spend(characters, self._settings.budget):
            raise errors.OverBudget("the run's budget of calls or cost is used up")
        is_retry = call.sent + min(by, 0) > 0
        call.sent += by
        with self._sent_lock:
            calls, retries, before = self._sent
            self._sent = SentCalls(calls + by, retries + by * is_retry, before + by * characters)

    def _note_success(self) -> None:
        if self._reported:
            self._reported.clear()
            _log.warning("the checker %s replies again", self._settings.checker)
        self._failing_since_s = None
        if not self._status.has_succeeded:
            self._status = CheckerStatus(checker=self._settings.checker, has_succeeded=True)
        self._refusals.succeeded()

    def _fail_since(
        self, at_us: int, error: errors.CheckFailed, *, is_refused: bool = False
    ) -> None:
        since_us = self._status.failing_since_us
        self._status = CheckerStatus(
            checker=self._settings.checker,
            failing_since_us=at_us if since_us is None else since_us,
            cause=error.cause,
            problem=str(error),
            is_refused=is_refused,
        )

    def _note_failure(self, call: "_Call", error: errors.Unavailable) -> None:
        """Count a failed attempt, and give up if no call has succeeded for too long."""
        call.failure = error
        now_us = clock.now_us()
        call.first_failed_at_us = call.first_failed_at_us or now_us
        self._fail_since(now_us, error)
        if self._throttle:
            self._throttle.failed(is_overload=error.is_overload)
        now_s = time.monotonic()
        failing_since_s = self._failing_since_s or call.started_s
        # Who waits for the first reply only a short time is told by the error.
        is_short = self._shorter_by_s() > 0
        if not is_short and now_s - failing_since_s > waiting.AFTER_S:
            self._report(error)
        if self._failing_since_s is None:
            self._failing_since_s = now_s
        elif self._holds:
            self._probe_if_due(call.request, now_s)
        elif now_s - self._failing_since_s > self._settings.retries.give_up_after_s:
            raise errors.GaveUp(
                f"nothing has succeeded for {now_s - self._failing_since_s:.0f} s; give the same"
                " command again when the checker answers: it pays for no check twice"
            ) from None

    def _report(self, error: errors.CheckFailed) -> None:
        """Log that the checker is waited for, once for each of the first reasons."""
        reason = str(error)
        if reason not in self._reported and len(self._reported) < _MOST_REASONS:
            self._reported.add(reason)
            _log.warning("waiting for the checker %s: %s", self._settings.checker, reason)

    def _probe_if_due(self, failed: CheckRequest, now_s: float) -> None:
        """Ask the checker with an answer that it can check, if no call has succeeded for a while.

        If it replies, it is not away: the calls that fail are at fault, and their attempts count.
        """
        retries, is_running = self._settings.retries, self._probe and not self._probe.done()
        since_s = now_s if self._failing_since_s is None else self._failing_since_s
        is_early = now_s < self._probe_not_before_s or now_s - since_s < retries.probe_after_s
        if is_running or is_early:
            return
        self._probe_not_before_s = now_s + retries.probe_every_s
        self._probe = asyncio.create_task(self._send_probe(failed))

    async def _send_probe(self, failed: CheckRequest) -> None:
        # While it fails, too, everything waits.
        with suppress(errors.CheckFailed):
            await self._attempt(self._known_call(failed))

    async def _ask(self, refused: CheckRequest) -> None:
        """Call the checker with an answer that it can check: see `Refusals.classify`."""
        call = self._known_call(refused)
        await self._wait_for_limits(call)
        started_at_us = clock.now_us()
        try:
            with suppress(errors.Rejected):
                await self._post_with_token(call)
        except errors.Misconfigured as error:
            self._fail_since(started_at_us, error)
            if self._holds:
                self._report(error)
            raise
        self._note_success()

    def _known_call(self, failed: CheckRequest) -> "_Call":
        known = replace(failed, answer_candidate=_KNOWN, facts=(GroundingFact(fact_text=_KNOWN),))
        request = self._succeeded or known
        return _Call(request, encode_request(request), math.inf, self._refusals.successes)


@dataclass(eq=False)
class _Call:
    """The attempts of one request.

    Attributes:
      deadline_s: when attempts end, on the monotonic clock.
      successes_seen: successful calls of the client when last compared.
      failed_alone: failed attempts since each of which another call succeeded.
      sent: requests that were sent for the attempts.
      is_refused: whether an attempt was refused (403 and the like), and another call succeeded.
    """

    request: CheckRequest
    body: bytes
    deadline_s: float
    successes_seen: int
    failed_alone: int = 0
    attempts: int = 0
    sent: int = 0
    is_refused: bool = False
    failure: errors.Unavailable | None = None
    first_failed_at_us: int | None = None
    started_s: float = field(default_factory=time.monotonic)
