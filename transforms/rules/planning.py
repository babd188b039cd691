"""Which calls an answer needs, so that none exceeds what the service takes."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from schemas import Record
from schemas.answer import Fact
from schemas.checked_answer import Claim
from transforms.rules.limits import CheckLimits, count_tokens
from transforms.rules.ranking import WithText, best_facts
from transforms.rules.sentences import split_sentences
from transforms.rules.splitting import Measure, split_text

ClaimLike = TypeVar("ClaimLike", bound=WithText)


class AnswerPiece(Record, frozen=True, kw_only=True):
    """A part of an answer, and the byte of the answer at which it begins."""

    text: str
    start: int


class FactPiece(Record, frozen=True, kw_only=True):
    """A part of a fact: the fact's index, and the byte of the fact at which the part begins."""

    text: str
    fact: int
    start: int


class PlannedCall(Record, frozen=True, kw_only=True):
    """One call: a piece of the answer against one group of fact pieces."""

    answer: AnswerPiece
    facts: tuple[FactPiece, ...]


class PlannedRecheck(Record, frozen=True, kw_only=True):
    """A second look at claims that seemed ungrounded, with the best facts of all groups."""

    claims: tuple[Claim, ...]
    facts: tuple[FactPiece, ...]

    @property
    def answer(self) -> AnswerPiece:
        """The claims as one text, a line each."""
        return AnswerPiece(text=_lines(self.claims), start=0)


def billed_characters(call: PlannedCall | PlannedRecheck) -> int:
    """Count the characters of answer and facts in a call, the unit of the service's bill."""
    return len(call.answer.text) + sum(len(piece.text) for piece in call.facts)


def fewest_calls(answer_text: str, facts: Sequence[Fact], limits: CheckLimits) -> int:
    """Tell how many calls an answer needs at least, at a fraction of the cost of planning them.

    Args:
      answer_text: the answer.
      facts: what it is checked against.
      limits: what the service takes in one call.
    """
    answer_pieces = _ceil_div(count_tokens(answer_text), limits.max_answer_tokens)
    fact_pieces = sum(_fewest_pieces(fact.text, limits.max_fact_chars) for fact in facts)
    return answer_pieces * _ceil_div(fact_pieces, limits.max_facts)


def plan_calls(
    answer_text: str, facts: Sequence[Fact], limits: CheckLimits
) -> tuple[PlannedCall, ...]:
    """Lay out the calls for one answer: every piece of it against every group of facts.

    Args:
      answer_text: the answer, not white space alone.
      facts: what it is checked against, at least one.
      limits: what the service takes in one call.

    Returns:
      At least one call, in the order of the answer.
    """
    answer_pieces = [
        AnswerPiece(text=text, start=start)
        for text, start in _pieces(answer_text, limits.max_answer_tokens, count_tokens)
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
    """Lay out the calls for one answer as `plan_calls` does, unless they are too many.

    Planning the calls of the largest answers takes seconds, so what can be told without is.

    Returns:
      The calls, at most `max_calls`; None where the answer needs more.
    """
    if fewest_calls(answer_text, facts, limits) > max_calls:
        return None
    calls = plan_calls(answer_text, facts, limits)
    return calls if len(calls) <= max_calls else None


def plan_rechecks(
    calls: Sequence[PlannedCall],
    claims: Sequence[Claim],
    citation_threshold: float,
    limits: CheckLimits,
) -> tuple[PlannedRecheck, ...]:
    """Lay out a second pass for claims that no single group of facts supports.

    A claim may need facts of two groups; what the first pass says of it is only a lower bound.

    Args:
      calls: the first pass.
      claims: its claims, merged.
      citation_threshold: 0..1; a required claim below it looks ungrounded.
      limits: what the service takes in one call.

    Returns:
      No call at all where the first pass had one group of facts, or supports every claim.
    """
    facts = _fact_pieces(calls)
    if len(facts) <= limits.max_facts:
        return ()
    doubtful = [claim for claim in claims if _is_doubtful(claim, citation_threshold, limits)]
    return tuple(
        PlannedRecheck(
            claims=group,
            facts=best_facts([claim.text for claim in group], facts, limits.max_facts),
        )
        for group in _groups(doubtful, limits.max_answer_tokens)
    )


def most_rechecks(calls: Sequence[PlannedCall], limits: CheckLimits) -> tuple[int, ...]:
    """Bound the second pass before the first: every sentence of the answer is doubtful.

    Args:
      calls: the first pass.
      limits: what the service takes in one call.

    Returns:
      The most characters that each call of it can hold.
    """
    facts = _fact_pieces(calls)
    if len(facts) <= limits.max_facts:
        return ()
    fact_chars = sum(heapq.nlargest(limits.max_facts, (len(piece.text) for piece in facts)))
    # Sentences of the pieces, since no checker sees more of the answer at once.
    pieces = {call.answer.start: call.answer.text for call in calls}.values()
    sentences = (sentence for piece in pieces for sentence in split_sentences(piece))
    doubtful = [sentence for sentence in sentences if _fits(sentence.text, limits)]
    return tuple(
        len(_lines(group)) + fact_chars for group in _groups(doubtful, limits.max_answer_tokens)
    )


def _fact_pieces(calls: Sequence[PlannedCall]) -> list[FactPiece]:
    """The pieces of all groups of facts, each once."""
    pieces = {(piece.fact, piece.start): piece for call in calls for piece in call.facts}
    return list(pieces.values())


def _is_doubtful(claim: Claim, citation_threshold: float, limits: CheckLimits) -> bool:
    score = claim.required_score
    return score is not None and score < citation_threshold and _fits(claim.text, limits)


def _fits(claim_text: str, limits: CheckLimits) -> bool:
    """Tell whether a call can hold a claim; cut out of a word, it may count more than its piece."""
    return 0 < count_tokens(claim_text) <= limits.max_answer_tokens


def _lines(claims: Iterable[WithText]) -> str:
    return "\n".join(claim.text for claim in claims)


def _fewest_pieces(text: str, max_chars: int) -> int:
    if len(text) <= max_chars:
        return 1
    said_chars = sum(map(len, text.split()))
    return _ceil_div(said_chars, max_chars)


def _ceil_div(amount: int, by: int) -> int:
    return -(-amount // by)


def _pieces(text: str, limit: int, measure: Measure) -> Iterator[tuple[str, int]]:
    """Cut a text, leaving out pieces of white space alone."""
    start = 0
    for piece in split_text(text, limit, measure):
        if not piece.isspace():
            yield piece, start
        start += len(piece.encode())


def _groups(claims: Sequence[ClaimLike], max_tokens: int) -> Iterator[tuple[ClaimLike, ...]]:
    """Put claims together as long as one call can hold them."""
    group: list[ClaimLike] = []
    size = 0
    for claim in claims:
        tokens = count_tokens(claim.text)
        if group and size + tokens > max_tokens:
            yield tuple(group)
            group, size = [], 0
        group.append(claim)
        size += tokens
    if group:
        yield tuple(group)
