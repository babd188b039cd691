"""Find out what becomes of a message before any call."""

from collections.abc import Iterator

from pipeline.settings.config import Config
from schemas import Record
from schemas.answer import Answer
from schemas.message import Message
from schemas.verdict import Verdict
from transforms.formats import ParseFailure, parse_answers
from transforms.grounding.forecast import Forecast, forecast_check
from transforms.rules.routing import route
from transforms.rules.sampling import is_in_sample


class Outcome(Record, frozen=True, kw_only=True):
    """What becomes of an answer without a call.

    Attributes:
      record_id: the answer's id, None where it cannot be read: a failure.
      fault: where that answer stands and what is wrong with it.
      is_sampled_out: whether the answer is left out.
      verdict: its verdict without a call, None where a check is needed.
      forecast: the calls of its check.
    """

    record_id: str | None = None
    fault: str = ""
    is_sampled_out: bool = False
    verdict: Verdict | None = None
    forecast: Forecast | None = None


def outcomes_of(message: Message, config: Config) -> Iterator[Outcome]:
    """Take the answers of a message as far as the main job takes them without a call.

    Args:
      message: in any input format.
      config: the main job's.

    Yields:
      One outcome for each answer, at least one.
    """
    parsed = parse_answers(
        message, input_format=config.input_format, facts_from_steps=config.facts_from_steps
    )
    for answer in parsed:
        if isinstance(answer, ParseFailure):
            yield Outcome(fault=f"{answer.message.place}: {answer.error}")
        elif is_in_sample(answer.record_id, answer.engine, config.sampling):
            yield _routed(answer, config)
        else:
            yield Outcome(record_id=answer.record_id, is_sampled_out=True)


def _routed(answer: Answer, config: Config) -> Outcome:
    decision = route(answer, config.moved_reasons)
    if decision:
        return Outcome(record_id=answer.record_id, verdict=decision.verdict)
    forecast = forecast_check(answer, config.check)
    verdict = None if forecast else Verdict.UNSCORABLE
    return Outcome(record_id=answer.record_id, verdict=verdict, forecast=forecast)
