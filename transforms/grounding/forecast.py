"""Which calls a check will take, told without one."""

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
      key: equal for calls of equal content, of which only the first is paid for.
      characters: of answer and facts, the unit of the service's bill.
    """

    key: bytes
    characters: int


class Forecast(Record, frozen=True, kw_only=True):
    """The calls that an answer needs.

    Attributes:
      calls: the first pass, at least one call.
      most_rechecks: the most characters of each call that a second pass can have; how many of
        them are made depends on the first pass's replies.
    """

    calls: tuple[ForecastCall, ...]
    most_rechecks: tuple[int, ...] = ()

    @property
    def key(self) -> bytes:
        """Equal for answers of equal calls, whose second passes are equal, too."""
        return _digest(b"".join(call.key for call in self.calls))


def forecast_check(answer: Answer, settings: CheckSettings) -> Forecast | None:
    """Plan an answer's calls as the check does, and send none.

    Args:
      answer: with text and at least one fact.
      settings: the limits that the calls keep, and what else stands in them.

    Returns:
      The calls; None where the answer needs more than it may have.
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
    # What the cache of replies goes by, but for the checker's address, which all have in common.
    body = encode_request(build_request(call, answer.facts, settings))
    return ForecastCall(key=_digest(body), characters=billed_characters(call))


def _digest(content: bytes) -> bytes:
    return sha256(content).digest()[:_KEY_BYTES]
