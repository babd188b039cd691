"""Check one answer: plan its calls, send them, merge the replies."""

import asyncio
import time
from collections.abc import Sequence
from operator import mul
from typing import TypeVar

from schemas.answer import Answer
from schemas.checked_answer import Check, CheckedAnswer, Decision, Grounding
from schemas.verdict import Verdict
from transforms.grounding.client import GroundingClient
from transforms.grounding.protocol import build_request
from transforms.grounding.reply import CheckReply
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

Planned = TypeVar("Planned", PlannedCall, PlannedRecheck)


async def check_answer(
    answer: Answer, client: GroundingClient, settings: CheckSettings
) -> CheckedAnswer:
    """Check one answer, in as many calls as its length and its facts need.

    Args:
      answer: with text and at least one fact.
      client: sends the calls.
      settings: the limits of the calls.

    Returns:
      The answer with its check; or with the verdict UNSCORABLE if it needs too many calls.

    Raises:
      CheckFailed: a call failed; the others are cancelled.
    """
    calls = plan_within(
        answer.answer_text, answer.facts, settings.limits, settings.max_calls_per_answer
    )
    if calls is None:
        decision = Decision(verdict=Verdict.UNSCORABLE, reason=OVER_LIMIT)
        return CheckedAnswer(answer=answer, decision=decision)
    started_s = time.monotonic()
    replies = await _send(calls, answer, client, settings)
    grounding = merge_replies(calls, [reply.response for reply in replies])
    rechecks = _plan_rechecks(calls, grounding, settings)
    if rechecks:
        second_replies = await _send(rechecks, answer, client, settings)
        responses = [reply.response for reply in second_replies]
        grounding = merge_rechecks(grounding, rechecks, responses)
        replies += second_replies
    check = _describe([*calls, *rechecks], replies, settings, time.monotonic() - started_s)
    return CheckedAnswer(answer=answer, grounding=grounding, check=check)


def _plan_rechecks(
    calls: Sequence[PlannedCall], grounding: Grounding, settings: CheckSettings
) -> tuple[PlannedRecheck, ...]:
    """Plan second calls for claims that look ungrounded, within the answer's limit."""
    threshold = settings.citation_threshold
    rechecks = plan_rechecks(
        calls,
        grounding.claims,
        SERVICE_CITATION_THRESHOLD if threshold is None else threshold,
        settings.limits,
    )
    return rechecks[: settings.max_calls_per_answer - len(calls)]


def _describe(
    calls: Sequence[PlannedCall | PlannedRecheck],
    replies: Sequence[CheckReply],
    settings: CheckSettings,
    seconds: float,
) -> Check:
    """Describe the check; replies from the cache count no calls."""
    sent = [reply.attempts for reply in replies]
    characters = map(billed_characters, calls)
    return Check(
        checker=settings.checker_name,
        calls=sum(sent),
        attempts=sum(sent),
        characters=sum(map(mul, sent, characters)),
        latency_ms=round(seconds * 1000),
        checked_at_us=clock.now_us(),
        citation_threshold=settings.citation_threshold,
        cached=not any(sent),
        unknown_members=tuple(reply.unknown_members for reply in replies if reply.unknown_members),
    )


async def _send(
    calls: Sequence[Planned], answer: Answer, client: GroundingClient, settings: CheckSettings
) -> list[CheckReply]:
    requests = [build_request(call, answer.facts, settings) for call in calls]
    if len(requests) == 1:
        return [await client.check(requests[0])]
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(client.check(request)) for request in requests]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return [task.result() for task in tasks]
