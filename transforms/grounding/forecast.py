"""Estimate the calls of a check without sending any."""

from hashlib import sha256
from typing import NamedTuple

from groundwatch.schemas.answer import Answer
from groundwatch.transforms.grounding.protocol import (
    build_request,
    encode_request,
)
from groundwatch.transforms.grounding.settings import CheckSettings
from groundwatch.transforms.rules.planning import plan_within

_KEY_BYTES = 16


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
    most_calls = settings.max_calls_per_answer
    calls = plan_within(answer.answer_text, answer.facts, settings.limits, most_calls)
    if calls is None:
        return None
    # The keys are those of the reply cache, but without the checker's address.
    requests = [build_request(call, answer.facts, settings, answer.query) for call in calls]
    return tuple(
        ForecastCall(_digest(encode_request(request)), request.characters) for request in requests
    )


def _digest(content: bytes) -> bytes:
    return sha256(content).digest()[:_KEY_BYTES]
