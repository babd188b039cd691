"""Apply the steps without Beam, in the order of `pipeline/build.py`.

Deduplicate is left to callers that want it: it needs the record ids of all messages.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.schemas.enriched_answer import EnrichedAnswer
from groundwatch.schemas.message import Message, ParseOptions
from groundwatch.schemas.verdict import Verdict
from .formats.parser import ParseFailure, parse_answers
from .rules.routing import route
from .rules.sampling import SamplingRule, is_in_sample
from .rules.tagging import tag_answer
from .rules.thresholds import Thresholds


class SampledOut(Exception):
    """An answer that is not in the sample."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.record_id)
        self.answer = answer


Routed = CheckedAnswer | ParseFailure | SampledOut
R = TypeVar("R")


def route_answers(
    message: Message,
    parsing: ParseOptions = ParseOptions(),  # noqa: B008 - it is frozen
    sampling: SamplingRule = SamplingRule(),  # noqa: B008 - it is frozen
    moved_reasons: Mapping[str, Verdict] = {},
) -> Iterator[Routed]:
    """Parse the answers of a message, sample and route them."""
    for answer in parse_answers(message, parsing):
        if isinstance(answer, ParseFailure):
            yield answer
        elif not is_in_sample(answer.record_id, answer.engine, sampling):
            yield SampledOut(answer)
        else:
            yield CheckedAnswer(answer=answer, decision=route(answer, moved_reasons))


def enrich_answers(
    routed: Iterable[R],
    check: Callable[[Iterable[R]], Iterable[Routed | Exception]],
    thresholds: Thresholds,
) -> Iterator[EnrichedAnswer | ParseFailure | Exception]:
    """Check answers and tag them; pass everything else.

    `check` checks those without a decision, in any order, and passes everything else, too.
    """
    for outcome in check(routed):
        if isinstance(outcome, CheckedAnswer):
            yield tag_answer(outcome, thresholds)
        else:
            yield outcome
