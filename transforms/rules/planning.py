"""Plan the calls for an answer, so that none exceeds the service's limits."""

from collections.abc import Iterator, Sequence
from math import ceil

from groundwatch.schemas import Record
from groundwatch.schemas.answer import Fact
from groundwatch.transforms.lexical.reading.reasoning import without_reasoning
from .limits import CheckLimits
from .text_splitting import Measure, count_tokens, split_text


class AnswerPiece(Record, frozen=True, kw_only=True):
    """A part of an answer, and its first byte in the answer."""

    text: str
    start: int


class FactPiece(Record, frozen=True, kw_only=True):
    """A part of a fact, the fact's index, and the part's first byte in the fact."""

    text: str
    fact: int
    start: int


class PlannedCall(Record, frozen=True, kw_only=True):
    """One call: a piece of the answer and one group of fact pieces."""

    answer: AnswerPiece
    facts: tuple[FactPiece, ...]


def min_calls(answer_text: str, facts: Sequence[Fact], limits: CheckLimits) -> int:
    """Return a lower bound of the calls for an answer with text and facts with text.

    Much faster than planning the calls.
    """
    max_chars, max_tokens = limits.max_fact_chars, limits.max_answer_tokens
    fact_pieces = sum(
        1 if len(fact.text) <= max_chars else ceil(sum(map(len, fact.text.split())) / max_chars)
        for fact in facts
    )
    answer_pieces = sum(
        1 if len(text) <= max_tokens else ceil(count_tokens(text) / max_tokens)
        for _, text in without_reasoning(answer_text)
    )
    return answer_pieces * ceil(fact_pieces / limits.max_facts)


def plan_calls(
    answer_text: str, facts: Sequence[Fact], limits: CheckLimits
) -> tuple[PlannedCall, ...]:
    """Plan the calls for an answer with text and facts: each piece of it with each fact group.

    A model's reasoning is not checked.
    """
    answer_pieces = [
        AnswerPiece(text=text, start=first + start)
        for first, part in without_reasoning(answer_text)
        for text, start in _pieces(part, limits.max_answer_tokens, count_tokens)
    ]
    fact_pieces = [
        FactPiece(text=text, fact=index, start=start)
        for index, fact in enumerate(facts)
        for text, start in _pieces(fact.text, limits.max_fact_chars, len)
    ]
    size = limits.max_facts
    groups = [tuple(fact_pieces[i : i + size]) for i in range(0, len(fact_pieces), size)]
    return tuple(
        PlannedCall(answer=piece, facts=group) for piece in answer_pieces for group in groups
    )


def plan_within(
    answer_text: str, facts: Sequence[Fact], limits: CheckLimits, max_calls: int
) -> tuple[PlannedCall, ...] | None:
    """Plan calls as `plan_calls` does; return None if there are more than `max_calls`."""
    # Planning the calls of the largest answers takes seconds.
    if min_calls(answer_text, facts, limits) > max_calls:
        return None
    calls = plan_calls(answer_text, facts, limits)
    return calls if len(calls) <= max_calls else None


def _pieces(text: str, limit: int, measure: Measure) -> Iterator[tuple[str, int]]:
    """Split a text, and drop pieces of white space."""
    # No measure exceeds the length. Most texts are short, and measuring them takes time.
    if len(text) <= limit:
        if not text.isspace():
            yield text, 0
        return
    start = 0
    for piece in split_text(text, limit, measure):
        if not piece.isspace():
            yield piece, start
        start += len(piece.encode())
