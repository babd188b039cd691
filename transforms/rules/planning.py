"""Plan the calls for an answer, so that none exceeds the service's limits."""

import heapq
import re
from collections.abc import Iterator, Mapping, Sequence
from math import ceil, log
from typing import TypeVar

from schemas import Record
from schemas.answer import Fact
from schemas.checked_answer import Claim
from transforms.rules.limits import UNSPACED_SCRIPTS, CheckLimits, Measure, count_tokens, split_text
from transforms.rules.sentences import Sentence, split_sentences

_WORD = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\W{UNSPACED_SCRIPTS}]+")
_MAX_HOLDERS = 200  # a word in more facts does not discriminate between them
_MAX_CHOSEN = 4  # facts that are chosen for one claim; a claim rarely combines more
_MIN_GAIN = 1e-9  # rounding leaves less than this of equal weights

_Choice = tuple[int, float, int]
"""The turn of a fact for a claim, the share of the claim's words that it does not add, the fact."""

_Sentence = TypeVar("_Sentence", Claim, Sentence)


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


class PlannedRecheck(Record, frozen=True, kw_only=True):
    """A second call for claims that looked ungrounded, with the best facts of all groups."""

    claims: tuple[Claim, ...]
    facts: tuple[FactPiece, ...]

    @property
    def answer(self) -> AnswerPiece:
        """The claims as one text, a line each."""
        return AnswerPiece(text="\n".join(claim.text for claim in self.claims), start=0)


def billed_characters(call: PlannedCall | PlannedRecheck) -> int:
    """Count the characters of answer and facts in a call, the unit of the service's bill."""
    return len(call.answer.text) + sum(len(piece.text) for piece in call.facts)


def min_calls(answer_text: str, facts: Sequence[Fact], limits: CheckLimits) -> int:
    """Return a lower bound of the calls for an answer, much faster than planning them."""
    most = limits.max_fact_chars
    fact_pieces = sum(
        1 if len(fact.text) <= most else ceil(sum(map(len, fact.text.split())) / most)
        for fact in facts
    )
    is_short = len(answer_text) <= limits.max_answer_tokens
    answer_pieces = 1 if is_short else ceil(count_tokens(answer_text) / limits.max_answer_tokens)
    return answer_pieces * ceil(fact_pieces / limits.max_facts)


def plan_calls(
    answer_text: str, facts: Sequence[Fact], limits: CheckLimits
) -> tuple[PlannedCall, ...]:
    """Plan the calls for an answer with text and facts: each piece of it with each fact group."""
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
    """Plan calls as `plan_calls` does; return None if there are more than `max_calls`."""
    # Planning the calls of the largest answers takes seconds.
    if min_calls(answer_text, facts, limits) > max_calls:
        return None
    calls = plan_calls(answer_text, facts, limits)
    return calls if len(calls) <= max_calls else None


def plan_rechecks(
    calls: Sequence[PlannedCall],
    claims: Sequence[Claim],
    citation_threshold: float,
    limits: CheckLimits,
) -> tuple[PlannedRecheck, ...]:
    """Plan a second pass for the claims that no single group of facts supports, but two may."""
    facts, size = _fact_pieces(calls), limits.max_facts
    if len(facts) <= size:
        return ()
    ungrounded = [
        claim
        for claim in claims
        if claim.required_score is not None
        and claim.required_score < citation_threshold
        and _fits(claim.text, limits)
    ]
    groups = _groups(ungrounded, limits.max_answer_tokens)
    return tuple(
        PlannedRecheck(claims=group, facts=best_facts([each.text for each in group], facts, size))
        for group in groups
    )


def max_recheck_chars(calls: Sequence[PlannedCall], limits: CheckLimits) -> tuple[int, ...]:
    """Return upper bounds of the characters of each recheck, if no sentence is grounded."""
    facts = _fact_pieces(calls)
    if len(facts) <= limits.max_facts:
        return ()
    fact_chars = sum(heapq.nlargest(limits.max_facts, (len(piece.text) for piece in facts)))
    # Sentences of the pieces, since no checker receives more of the answer at once.
    pieces = {call.answer.start: call.answer.text for call in calls}.values()
    sentences = (sentence for piece in pieces for sentence in split_sentences(piece))
    fitting = [sentence for sentence in sentences if _fits(sentence.text, limits)]
    groups = _groups(fitting, limits.max_answer_tokens)
    return tuple(fact_chars - 1 + sum(len(each.text) + 1 for each in group) for group in groups)


def best_facts(
    claims: Sequence[str], facts: Sequence[FactPiece], max_facts: int
) -> tuple[FactPiece, ...]:
    """Choose the facts that together contain most words of each claim.

    A claim's first fact shares most of its words, its next fact most of the remaining words, and so
    on. Every claim gets its first fact before any claim gets a second one. Rare words have more
    weight than frequent ones. Of equal facts, the first ones are chosen.
    """
    if len(facts) <= max_facts:
        return tuple(facts)
    words_of = [sorted(_words(claim)) for claim in claims]
    # The facts that contain each word; of a frequent word the first ones.
    holders: dict[str, dict[int, None]] = {word: {} for words in words_of for word in words}
    for index, piece in enumerate(facts):
        for word in holders.keys() & _words(piece.text):
            if len(holders[word]) <= _MAX_HOLDERS:
                holders[word][index] = None
    choices = [choice for words in words_of for choice in _choices(words, holders, len(facts))]
    chosen = dict.fromkeys(fact for _, _, fact in sorted(choices))
    ranked = [*chosen, *(index for index in range(len(facts)) if index not in chosen)]
    return tuple(facts[index] for index in sorted(ranked[:max_facts]))


def _choices(
    words: Sequence[str], holders: Mapping[str, Mapping[int, None]], facts: int
) -> Iterator[_Choice]:
    """Choose facts for the distinct words of one claim, each for the words that others lack."""
    weights = {word: log(1 + facts / max(1, len(holders[word]))) for word in words}
    left = {word: weights[word] for word in words if len(holders[word]) <= _MAX_HOLDERS}
    total = sum(weights.values())
    gains: dict[int, float] = {}
    for word, weight in left.items():
        for fact in holders[word]:
            gains[fact] = gains.get(fact, 0.0) + weight
    for fact, gain in gains.items():
        yield _MAX_CHOSEN, 1 - gain / total, fact
    for turn in range(_MAX_CHOSEN):
        best = max(gains, key=lambda fact: (gains[fact], -fact), default=None)
        if best is None or gains[best] < _MIN_GAIN:
            return
        yield turn, 1 - gains[best] / total, best
        for word in [word for word in left if best in holders[word]]:
            weight = left.pop(word)
            for other in holders[word]:
                gains[other] -= weight


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _fact_pieces(calls: Sequence[PlannedCall]) -> list[FactPiece]:
    """Return the pieces of all groups of facts, each once."""
    pieces = {(piece.fact, piece.start): piece for call in calls for piece in call.facts}
    return list(pieces.values())


def _fits(claim_text: str, limits: CheckLimits) -> bool:
    """Return whether a call can contain a claim; cut within a word, it may count more tokens."""
    return 0 < count_tokens(claim_text) <= limits.max_answer_tokens


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


def _groups(claims: Sequence[_Sentence], max_tokens: int) -> Iterator[tuple[_Sentence, ...]]:
    """Group claims as long as one call can contain them."""
    group: list[_Sentence] = []
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
