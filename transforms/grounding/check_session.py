"""Check answers on one event loop, in a thread of its own: plan the calls, merge the replies."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import mul

from schemas.answer import Answer
from schemas.checked_answer import Check, CheckedAnswer, Decision
from schemas.verdict import Verdict
from transforms.grounding.client import GroundingClient
from transforms.grounding.protocol import CheckReply, build_request
from transforms.grounding.rate_limiter import AdaptiveThrottle
from transforms.grounding.settings import SERVICE_CITATION_THRESHOLD, CheckSettings
from transforms.rules.merging import merge_rechecks, merge_replies
from transforms.rules.planning import (
    PlannedCall,
    PlannedRecheck,
    billed_characters,
    plan_rechecks,
    plan_within,
)
from transforms.rules.routing import OVER_LIMIT
from transforms.runtime import clock

Outcome = CheckedAnswer | Exception
Done = Callable[[Outcome], None]
_STOP_TIMEOUT_S = 5.0


class CheckSession:
    """Check answers in the background, so that a bundle does not wait for each.

    A detached check continues after its bundle. Submitting the same answer again returns its
    outcome, so that the check is neither sent nor paid for twice.

    Attributes:
      client: sends the calls.
    """

    def __init__(self, settings: CheckSettings, throttle: AdaptiveThrottle | None = None) -> None:
        self.client = GroundingClient(settings, throttle)
        self._settings = settings
        self._submitted: deque[tuple[Answer, Done]] = deque()
        self._is_woken = False
        self._tasks: set[asyncio.Task[CheckedAnswer]] = set()
        # By record id; changed on the loop's thread only.
        self._checks: dict[str, _CheckInFlight] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="check-grounding", daemon=True
        )
        self._thread.start()

    def submit(self, answer: Answer, done: Done) -> None:
        """Start the check of an answer, or attach to its detached check.

        `done` is called on the session's thread with the checked answer or the error.
        """
        self._submitted.append((answer, done))
        # Waking the loop is expensive. A second wake-up by another thread does no harm.
        if not self._is_woken:
            self._is_woken = True
            self._loop.call_soon_threadsafe(self._start_submitted)

    def detach(self, record_ids: Iterable[str]) -> None:
        """Detach checks from their bundle; after this returns, they do not call back."""
        detaching = self._detach(tuple(record_ids))
        asyncio.run_coroutine_threadsafe(detaching, self._loop).result()

    def has_ended(self, record_id: str) -> bool:
        """Return whether submitting a detached answer again returns an outcome at once."""
        check = self._checks.get(record_id)
        return check is None or check.outcome is not None

    def close(self) -> None:
        """Cancel all checks, close the connections and stop the thread."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(_STOP_TIMEOUT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_STOP_TIMEOUT_S)
        self._loop.close()

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.client.aclose()

    async def _detach(self, record_ids: Iterable[str]) -> None:
        self._start_submitted()
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
                task = self._loop.create_task(check_answer(answer, self.client, self._settings))
                self._tasks.add(task)
                task.add_done_callback(partial(self._finish, check))
            elif detached.outcome is None:
                detached.done = done
            else:
                del self._checks[answer.record_id]
                done(detached.outcome)

    def _finish(self, check: "_CheckInFlight", task: asyncio.Task[CheckedAnswer]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            return
        error = task.exception()
        outcome = error if isinstance(error, Exception) else task.result()
        if check.done is None:
            check.outcome = outcome
            return
        if self._checks.get(check.record_id) is check:
            del self._checks[check.record_id]
        check.done(outcome)


@dataclass(slots=True, eq=False)
class _CheckInFlight:
    """A check in flight, or a detached one, which has an outcome when it has ended."""

    record_id: str
    done: Done | None
    outcome: Outcome | None = None


async def check_answer(
    answer: Answer, client: GroundingClient, settings: CheckSettings
) -> CheckedAnswer:
    """Check an answer with text and facts, in as many calls as their length needs.

    One that needs too many calls gets the verdict UNSCORABLE. A failed call cancels the others.
    """
    limits, most_calls = settings.limits, settings.max_calls_per_answer
    calls = plan_within(answer.answer_text, answer.facts, limits, most_calls)
    if calls is None:
        decision = Decision(verdict=Verdict.UNSCORABLE, reason=OVER_LIMIT)
        return CheckedAnswer(answer=answer, decision=decision)
    started_s = time.monotonic()
    if len(calls) == 1:
        replies = [await client.check(build_request(calls[0], answer.facts, settings))]
    else:
        replies = await _send_all(calls, answer, client, settings)
    grounding = merge_replies(calls, [reply.response for reply in replies])
    threshold = settings.citation_threshold
    if threshold is None:
        threshold = SERVICE_CITATION_THRESHOLD
    # Second calls for claims that look ungrounded, within the answer's limit.
    rechecks = plan_rechecks(calls, grounding.claims, threshold, limits)[: most_calls - len(calls)]
    if rechecks:
        second_replies = await _send_all(rechecks, answer, client, settings)
        responses = [reply.response for reply in second_replies]
        grounding = merge_rechecks(grounding, rechecks, responses)
        replies += second_replies
    sent_calls: list[PlannedCall | PlannedRecheck] = [*calls, *rechecks]
    # Replies from the cache count no calls.
    sent = [reply.attempts for reply in replies]
    check = Check(
        checker=settings.checker_name,
        calls=sum(sent),
        attempts=sum(sent),
        characters=sum(map(mul, sent, map(billed_characters, sent_calls))),
        latency_ms=round((time.monotonic() - started_s) * 1000),
        checked_at_us=clock.now_us(),
        citation_threshold=settings.citation_threshold,
        cached=not any(sent),
        unknown_members=tuple(reply.unknown_members for reply in replies if reply.unknown_members),
    )
    return CheckedAnswer(answer=answer, grounding=grounding, check=check)


async def _send_all(
    calls: Sequence[PlannedCall | PlannedRecheck],
    answer: Answer,
    client: GroundingClient,
    settings: CheckSettings,
) -> list[CheckReply]:
    requests = [build_request(call, answer.facts, settings) for call in calls]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(client.check(request)) for request in requests]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]
