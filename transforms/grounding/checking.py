"""Checking one answer: plan its calls, send them, merge the replies."""

import asyncio
import time
from collections.abc import Sequence
from typing import TypeVar

from schemas.answer import Answer
from schemas.checked import Check, CheckedAnswer, Decision
from schemas.verdict import Verdict
from transforms.grounding.client import CheckReply, GroundingClient
from transforms.grounding.protocol import build_request
from transforms.grounding.settings import SERVICE_CITATION_THRESHOLD, CheckSettings
from transforms.rules.merging import merge_rechecks, merge_replies
from transforms.rules.planning import PlannedCall, PlannedRecheck, plan_calls, plan_rechecks
from transforms.rules.verdicts import OVER_LIMIT

Planned = TypeVar("Planned", PlannedCall, PlannedRecheck)


async def check_answer(
    answer: Answer, client: GroundingClient, settings: CheckSettings
) -> CheckedAnswer:
    """Check one answer, in as many calls as its length and its facts need.

    Args:
      answer: with text and at least one fact.
      client: sends the calls.
      settings: the limits the calls keep.

    Returns:
      The answer with its check; or decided UNSCORABLE, unchecked, where it needs too many calls.

    Raises:
      CheckFailed: when some call failed for good; the others are cancelled.
    """
    calls = plan_calls(answer.answer_text, answer.facts, settings.limits)
    if len(calls) > settings.max_calls_per_answer:
        return CheckedAnswer(
            answer=answer, decision=Decision(verdict=Verdict.UNSCORABLE, reason=OVER_LIMIT)
        )
    started_s = time.monotonic()
    replies = await _send(calls, answer, client, settings)
    grounding = merge_replies(calls, [reply.response for reply in replies])
    threshold = settings.citation_threshold
    rechecks = plan_rechecks(
        calls,
        grounding.claims,
        SERVICE_CITATION_THRESHOLD if threshold is None else threshold,
        settings.limits,
    )[: settings.max_calls_per_answer - len(calls)]
    if rechecks:
        second_replies = await _send(rechecks, answer, client, settings)
        replies += second_replies
        responses = [reply.response for reply in second_replies]
        grounding = merge_rechecks(grounding, rechecks, responses)
    check = Check(
        checker=settings.checker,
        calls=len(replies),
        attempts=sum(reply.attempts for reply in replies),
        characters=_characters(calls) + _characters(rechecks),
        latency_ms=round((time.monotonic() - started_s) * 1000),
        checked_at_us=time.time_ns() // 1000,
        citation_threshold=threshold,
    )
    return CheckedAnswer(answer=answer, grounding=grounding, check=check)


def _characters(calls: Sequence[PlannedCall | PlannedRecheck]) -> int:
    return sum(
        len(call.answer.text) + sum(len(piece.text) for piece in call.facts) for call in calls
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
