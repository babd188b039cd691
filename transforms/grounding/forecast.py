"""Estimate the calls of a check without sending any."""

from hashlib import sha256
from typing import NamedTuple

from schemas.answer import Answer
from transforms.grounding.protocol import build_request, encode_request
from transforms.grounding.settings import CheckSettings
from transforms.rules.planning import billed_characters, max_recheck_chars, plan_within

_KEY_BYTES = 16


class ForecastCall(NamedTuple):
    """A call of the first pass.

    Attributes:
      key: equal for calls of equal content, of which only the first is billed.
      characters: billed characters of answer and facts.
    """

    key: bytes
    characters: int


class Forecast(NamedTuple):
    """The calls that an answer needs.

    Attributes:
      calls: the first pass, at least one call.
      most_rechecks: most characters of each possible call of the second pass; how many of them
        are sent depends on the replies of the first pass.
    """

    calls: tuple[ForecastCall, ...]
    most_rechecks: tuple[int, ...] = ()

    @property
    def key(self) -> bytes:
        """Equal for answers with equal calls; their second passes are then equal too."""
        return _digest(b"".join(call.key for call in self.calls))


def forecast_check(answer: Answer, settings: CheckSettings) -> Forecast | None:
    """Plan the calls of an answer as the check does; None if it needs more than allowed."""
    most_calls, limits = settings.max_calls_per_answer, settings.limits
    calls = plan_within(answer.answer_text, answer.facts, limits, most_calls)
    if calls is None:
        return None
    # The keys are those of the reply cache, but without the checker's address.
    requests = (encode_request(build_request(call, answer.facts, settings)) for call in calls)
    keys = map(_digest, requests)
    return Forecast(
        calls=tuple(map(ForecastCall, keys, map(billed_characters, calls))),
        most_rechecks=max_recheck_chars(calls, limits)[: most_calls - len(calls)],
    )


def _digest(content: bytes) -> bytes:
    return sha256(content).digest()[:_KEY_BYTES]
