"""Check answers in the background or in place."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.wire.grounding_check import CheckRequest, CheckResponse
from groundwatch.transforms.lexical.check_claims import REVISION, check_grounding
from groundwatch.transforms.rules.checker_outages import CheckerStatus
from groundwatch.transforms.runtime import clock
from .client import GroundingClient, SentCalls
from .errors import Deferred, Interrupted
from .planned_check import PlannedCheck, finish_check, over_limit, plan_check
from .protocol import CheckReply
from .rate_limiter import AdaptiveThrottle
from .settings import CheckSettings

CheckOutcome = CheckedAnswer | Exception
Done = Callable[[CheckOutcome], None]
_STOP_TIMEOUT_S = 5.0
_BATCH_AFTER_S = 0.01
"""A batch of outcomes is handed over after this time, although it is not full."""


class CheckSession:
    """Check answers by words, on the caller's thread.

    That takes a millisecond and waits for nothing, so a thread, JSON and a cache would cost more.
    """

    def __init__(self, settings: CheckSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._is_stopped: Callable[[], bool] = lambda: False
        self._sent = SentCalls()

    def submit(self, answer: Answer, done: Done) -> None:
        """Start the check of an answer, or attach to its detached check.

        `done` is called with the checked answer or the error, at once or on another thread.
        """
        if self._is_stopped():
            done(Interrupted("the run was interrupted"))
            return
        planned = plan_check(answer, self._settings)
        if planned is None:
            done(over_limit(answer))
        else:
            self._check_planned(planned, done)

    def take_sent(self) -> SentCalls:
        """Return what has been sent since the last call, on any thread."""
        with self._lock:
            taken, self._sent = self._sent, SentCalls()
        return taken

    def statuses(self) -> tuple[CheckerStatus, ...]:
        """Return how the calls to each checker end, on any thread; words are always there."""
        return ()

    def start_batch(self, batch: int, *, is_retry: bool) -> None:
        """Start a batch: see `ReplyStore.start_batch`."""

    def flush(self) -> None:
        """Write to the reply store what has been sent."""

    def stop_when(self, is_stopped: Callable[[], bool]) -> None:
        """Send nothing when this is true: checks end in Interrupted, and calls in flight go on."""
        self._is_stopped = is_stopped

    def detach(self, record_ids: Iterable[str]) -> None:
        """Detach checks from their bundle; after this returns, they do not call back."""

    def has_ended(self, record_id: str) -> bool:  # noqa: ARG002 - in place all have
        """Return whether submitting a detached answer again returns an outcome at once."""
        return True

    def close(self) -> None:
        """Cancel all checks, and close all connections."""

    def _check_planned(self, planned: PlannedCheck, done: Done) -> None:
        started_s = time.monotonic()
        responses = map(check_grounding, planned.requests)
        done(self._finish_by_words(planned, responses, started_s))

    def _finish_by_words(
        self, planned: PlannedCheck, responses: Iterable[CheckResponse], started_s: float
    ) -> CheckedAnswer:
        replies = [
            CheckReply(response=response, attempts=1, revision=REVISION) for response in responses
        ]
        with self._lock:
            calls, retries, characters = self._sent
            characters += sum(request.characters for request in planned.requests)
            self._sent = SentCalls(calls + len(replies), retries, characters)
        return _finish(planned, replies, self._settings, started_s)


class BackgroundSession(CheckSession):
    """Check answers on one event loop, in a thread of its own, so that a bundle waits for none.

    A detached check continues after its bundle. Submitting the same answer again returns its
    outcome, so that the check is neither sent nor paid for twice.
    """

    def __init__(self, settings: CheckSettings, throttle: AdaptiveThrottle | None = None) -> None:
        super().__init__(settings)
        self._client = GroundingClient(settings, throttle)
        self._submitted: deque[tuple[Answer, Done]] = deque()
        self._is_woken = False
        self._tasks: set[asyncio.Task[None]] = set()
        # By record id; changed on the loop's thread only.
        self._checks: dict[str, _CheckInFlight] = {}
        self._ended: list[tuple[Done, CheckOutcome]] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="check-grounding", daemon=True
        )
        self._thread.start()

    def take_sent(self) -> SentCalls:
        return self._client.take_sent()

    def statuses(self) -> tuple[CheckerStatus, ...]:
        return (self._client.status,)

    def start_batch(self, batch: int, *, is_retry: bool) -> None:
        self._call_on_loop(partial(self._client.start_batch, batch, is_retry=is_retry))

    def flush(self) -> None:
        self._call_on_loop(self._client.flush)

    def stop_when(self, is_stopped: Callable[[], bool]) -> None:
        self._client.is_stopped = is_stopped

    def submit(self, answer: Answer, done: Done) -> None:
        """Start the check of an answer; `done` is called on the session's thread."""
        self._submitted.append((answer, done))
        # Waking the loop is expensive. A second wake-up by another thread does no harm.
        if not self._is_woken:
            self._is_woken = True
            self._loop.call_soon_threadsafe(self._start_submitted)

    def detach(self, record_ids: Iterable[str]) -> None:
        asyncio.run_coroutine_threadsafe(self._detach(tuple(record_ids)), self._loop).result()

    def has_ended(self, record_id: str) -> bool:
        check = self._checks.get(record_id)
        return check is None or check.outcome is not None

    def close(self) -> None:
        """Cancel all checks, close the connections and stop the thread."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(_STOP_TIMEOUT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_STOP_TIMEOUT_S)
        self._loop.close()

    def _call_on_loop(self, function: Callable[[], None]) -> None:
        async def call() -> None:
            function()

        asyncio.run_coroutine_threadsafe(call(), self._loop).result()

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()

    async def _detach(self, record_ids: Iterable[str]) -> None:
        self._start_submitted()
        self._hand_over()
        for record_id in record_ids:
            if check := self._checks.get(record_id):
                check.done = None

    def _start_submitted(self) -> None:
        # Reset first: a thread that submits after the queue is empty has to wake the loop again.
        self._is_woken = False
        while self._submitted:
            answer, done = self._submitted.popleft()
            detached = self._checks.get(answer.record_id)
            if detached is None or detached.done is not None:
                check = _CheckInFlight(answer.record_id, done)
                # Of two equal ids in flight only the first can be detached.
                self._checks.setdefault(answer.record_id, check)
                self._tasks.add(self._loop.create_task(self._check(check, answer)))
            elif detached.outcome is None:
                detached.done = done
            else:
                del self._checks[answer.record_id]
                done(detached.outcome)

    async def _check(self, check: "_CheckInFlight", answer: Answer) -> None:
        outcome: CheckOutcome
        try:
            outcome = await check_answer(answer, self._client, self._settings)
        except Exception as error:  # noqa: BLE001 - whoever submitted the answer handles it
            outcome = error
        self._tasks.discard(cast(asyncio.Task[None], asyncio.current_task()))
        self._end(check, outcome)

    def _end(self, check: "_CheckInFlight", outcome: CheckOutcome) -> None:
        if check.done is None:
            check.outcome = outcome
            return
        if self._checks.get(check.record_id) is check:
            del self._checks[check.record_id]
        self._ended.append((check.done, outcome))
        if len(self._ended) >= self._settings.outcomes_per_batch:
            self._hand_over()
        elif len(self._ended) == 1:
            self._loop.call_later(_BATCH_AFTER_S, self._hand_over)

    def _hand_over(self) -> None:
        ended, self._ended = self._ended, []
        try:
            self._client.flush()
        except OSError as error:
            ended = [(done, error) for done, _ in ended]
        for done, outcome in ended:
            done(outcome)


@dataclass(slots=True, eq=False)
class _CheckInFlight:
    """A check in flight, or a detached one, which has an outcome when it has ended."""

    record_id: str
    done: Done | None
    outcome: CheckOutcome | None = None


async def check_answer(
    answer: Answer, client: GroundingClient, settings: CheckSettings
) -> CheckedAnswer:
    """Check an answer with the calls of a client. A failed call cancels the others.

    A call that must wait for a later try does not: the others may be paid for, and are stored.
    """
    planned = plan_check(answer, settings)
    if planned is None:
        return over_limit(answer)
    started_s = time.monotonic()
    requests = list(zip(planned.requests, planned.earlier, strict=True))
    if len(requests) == 1:
        replies = [await client.check(*requests[0])]
    else:
        replies = await _send_all(requests, client)
    return _finish(planned, replies, settings, started_s)


def _finish(
    planned: PlannedCheck, replies: Sequence[CheckReply], settings: CheckSettings, started_s: float
) -> CheckedAnswer:
    latency_ms = round((time.monotonic() - started_s) * 1000)
    now_us = clock.now_us()
    return finish_check(planned, replies, settings, latency_ms=latency_ms, checked_at_us=now_us)


async def _send_all(
    requests: Iterable[tuple[CheckRequest, Callable[[], CheckRequest]]], client: GroundingClient
) -> list[CheckReply]:
    async def send(
        request: CheckRequest, earlier: Callable[[], CheckRequest]
    ) -> CheckReply | Deferred:
        try:
            return await client.check(request, earlier)
        except Deferred as error:
            return error

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(send(*each)) for each in requests]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    replies = []
    for task in tasks:
        reply = task.result()
        if isinstance(reply, Deferred):
            raise reply
        replies.append(reply)
    return replies
