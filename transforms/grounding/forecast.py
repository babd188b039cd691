"""Estimate the calls of a check without sending any."""

from hashlib import sha256

from schemas import Record
from schemas.answer import Answer
from transforms.grounding.protocol import build_request, encode_request
from transforms.grounding.settings import CheckSettings
from transforms.rules.planning import (
    PlannedCall,
    billed_characters,
    max_recheck_chars,
    plan_within,
)

_KEY_BYTES = 16


class ForecastCall(Record, frozen=True, kw_only=True):
    """A call of the first pass.

    Attributes:
      key: equal for calls of equal content, of which only the first is billed.
      characters: billed characters of answer and facts.
    """

    key: bytes
    characters: int


class Forecast(Record, frozen=True, kw_only=True):
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
    """Plan the calls of an answer as the check does.

    Args:
      answer: with text and at least one fact.
      settings: of the check.

    Returns:
      The calls; None if the answer needs more calls than allowed.
    """
    most_calls = settings.max_calls_per_answer
    calls = plan_within(answer.answer_text, answer.facts, settings.limits, most_calls)
    if calls is None:
        return None
    rechecks = max_recheck_chars(calls, settings.limits)
    return Forecast(
        calls=tuple(_forecast_call(call, answer, settings) for call in calls),
        most_rechecks=rechecks[: most_calls - len(calls)],
    )


def _forecast_call(call: PlannedCall, answer: Answer, settings: CheckSettings) -> ForecastCall:
    # As in the reply cache, but without the checker's address.
    body = encode_request(build_request(call, answer.facts, settings))
    return ForecastCall(key=_digest(body), characters=billed_characters(call))


def _digest(content: bytes) -> bytes:
    return sha256(content).digest()[:_KEY_BYTES]
