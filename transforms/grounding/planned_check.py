"""Plan the calls of an answer's check, estimate them, and make one result of their replies."""

from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from operator import mul
from typing import NamedTuple

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import Check, CheckedAnswer, Decision
from groundwatch.schemas.verdict import Verdict
from groundwatch.schemas.wire.grounding_check import CheckRequest
from groundwatch.transforms.rules.merging import merge_replies
from groundwatch.transforms.rules.planning import PlannedCall, plan_within
from groundwatch.transforms.rules.routing import OVER_LIMIT
from .protocol import CheckReply, build_request, encode_request
from .settings import CheckSettings

_KEY_BYTES = 16


class PlannedCheck(NamedTuple):
    """The calls of an answer's check, as many as its length needs.

    Attributes:
      requests: one for each call; they may be sent at the same time.
      earlier: make the requests as 2.0.0 did, under which it stored what it paid for.
    """

    answer: Answer
    calls: Sequence[PlannedCall]
    requests: Sequence[CheckRequest]
    earlier: Sequence[Callable[[], CheckRequest]]


def plan_check(answer: Answer, settings: CheckSettings) -> PlannedCheck | None:
    """Plan the check of an answer with text and facts; None if it needs more calls than allowed."""
    most_calls = settings.max_calls_per_answer
    calls = plan_within(answer.answer_text, answer.facts, settings.limits, most_calls)
    if calls is None:
        return None
    requests = [build_request(call, answer.facts, settings, answer.query) for call in calls]
    earlier = [
        partial(build_request, call, answer.facts, settings, is_of_2_0_0=True) for call in calls
    ]
    return PlannedCheck(answer, calls, requests, earlier)


class ForecastCall(NamedTuple):
    """A call of a check.

    Attributes:
      key: equal for calls of equal content, of which only the first is billed.
      characters: billed characters of answer and facts.
    """

    key: bytes
    characters: int


Forecast = tuple[ForecastCall, ...]
"""The calls that an answer needs, at least one."""


def forecast_check(answer: Answer, settings: CheckSettings) -> Forecast | None:
    """Plan the calls of an answer as the check does; None if it needs more than allowed."""
    planned = plan_check(answer, settings)
    if planned is None:
        return None
    # The keys are those of the reply cache, but without the checker's address.
    return tuple(
        ForecastCall(sha256(encode_request(each)).digest()[:_KEY_BYTES], each.characters)
        for each in planned.requests
    )


def over_limit(answer: Answer) -> CheckedAnswer:
    """Decide an answer that needs more calls than allowed."""
    decision = Decision(verdict=Verdict.UNSCORABLE, reason=OVER_LIMIT)
    return CheckedAnswer(answer=answer, decision=decision)


def finish_check(
    planned: PlannedCheck,
    replies: Sequence[CheckReply],
    settings: CheckSettings,
    *,
    latency_ms: int,
    checked_at_us: int,
) -> CheckedAnswer:
    """Merge the replies to a check's requests, which are in the same order."""
    grounding = merge_replies(planned.calls, [reply.response for reply in replies])
    # Replies from the cache count no calls.
    sent = [reply.attempts for reply in replies]
    # A checker may have changed between the calls.
    revisions = dict.fromkeys(each.revision for each in replies if each.revision)
    check = Check(
        checker=settings.checker_name,
        calls=sum(sent),
        attempts=sum(sent),
        characters=sum(map(mul, sent, [each.characters for each in planned.requests])),
        latency_ms=latency_ms,
        checked_at_us=checked_at_us,
        citation_threshold=settings.citation_threshold,
        cached=not any(sent),
        unknown_members=tuple(reply.unknown_members for reply in replies if reply.unknown_members),
        revision=settings.revision or ", ".join(revisions) or None,
    )
    return CheckedAnswer(answer=planned.answer, grounding=grounding, check=check)
