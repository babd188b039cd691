"""What becomes of a message before any call."""

from pipeline.config import Config
from schemas.answer import Answer
from schemas.message import Message
from schemas.record import Record
from schemas.verdict import Verdict
from transforms.formats import UnreadableAnswer, parse_answer
from transforms.grounding.forecast import Forecast, forecast_check
from transforms.rules.routing import route
from transforms.rules.sampling import is_in_sample


class Outcome(Record, frozen=True, kw_only=True):
    """How far a message comes without a call.

    Attributes:
      record_id: the answer's id, None where the message is not an answer: a failure.
      fault: where that message stands and what is wrong with it.
      is_sampled_out: whether the answer is left out.
      verdict: what is said of it without a call, None where a check is needed.
      forecast: the calls of its check.
    """

    record_id: str | None = None
    fault: str = ""
    is_sampled_out: bool = False
    verdict: Verdict | None = None
    forecast: Forecast | None = None


def outcome_of(message: Message, config: Config) -> Outcome:
    """Take a message as far as the main job takes it without a call.

    Args:
      message: in any input format.
      config: the main job's.
    """
    try:
        answer = parse_answer(
            message,
            input_format=config.input_format,
            facts_from_steps=config.facts_from_steps,
        )
    except UnreadableAnswer as error:
        return Outcome(fault=f"{message.place}: {error}")
    if not is_in_sample(answer.record_id, answer.engine, config.sampling):
        return Outcome(record_id=answer.record_id, is_sampled_out=True)
    return _routed(answer, config)


def _routed(answer: Answer, config: Config) -> Outcome:
    decision = route(answer, config.moved_reasons)
    if decision:
        return Outcome(record_id=answer.record_id, verdict=decision.verdict)
    forecast = forecast_check(answer, config.check)
    verdict = None if forecast else Verdict.UNSCORABLE
    return Outcome(record_id=answer.record_id, verdict=verdict, forecast=forecast)
