"""Estimate the calls of a check without sending any."""

from hashlib import sha256
from typing import NamedTuple

from groundwatch.schemas.answer import Answer
from .planned_check import plan_check
from .protocol import encode_request
from .settings import CheckSettings

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
    planned = plan_check(answer, settings)
    if planned is None:
        return None
    # The keys are those of the reply cache, but without the checker's address.
    return tuple(
        ForecastCall(sha256(encode_request(each)).digest()[:_KEY_BYTES], each.characters)
        for each in planned.requests
    )
