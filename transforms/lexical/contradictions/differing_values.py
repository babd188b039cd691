"""Find the values in whose place the sentence in which a claim nearly stands has others."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.facts.fact_sentences import FactSentences, ReadSentence
from groundwatch.transforms.lexical.values.limits import Limit, limit_of
from groundwatch.transforms.lexical.values.value import Value, contradiction_kind
from .difference import ComparedClaim, Difference
from .matching import match_in_order

NEAR = 0.8
"""A sentence with this share of a claim's words stands for the claim."""

_SAME, _MAX_LENGTH = 0.9, 1.5
"""In another order, a sentence has this share of a claim's words, and is not much longer."""

_MIN_WORDS = 2
_MANY_WORDS = 4


_OF_READER = frozenset(
    """
    you your sie ihr ihre ihren ihrem du dein deine vous votre vos usted su sus tu seu sua suo u uw
    """.split()  # noqa: SIM905 - a table of words reads best as text
)


class Near(NamedTuple):
    """A sentence of a fact with a share of a claim's words."""

    share: float
    fact: int
    sentence: ReadSentence


def find_other_values(
    claim: ComparedClaim, near: Sequence[Near], facts: Iterable[FactSentences]
) -> Iterator[Difference]:
    """Find values in whose place the sentence in which a claim nearly stands has another.

    A premise is one only where the claim says no other word than the sentence.
    """
    stated = list(filter(_may_replace, claim.stated_values))
    closest = [each for each in near if each.share >= NEAR]
    for value in filter(_may_replace, claim.values):
        is_premise = value not in stated
        for each in closest:
            if any(map(value.equals, each.sentence.values)):
                break
            other = next(_in_place_of(value, claim, each.sentence), None)
            if (
                other
                and _unconfirmed(stated, each.sentence) == (not is_premise)
                and _is_replaced(claim, each, value, other)
                and (not is_premise or _is_statement_of(claim, each, other))
            ):
                is_known = any(fact.has_value(value) for fact in facts)
                if is_known and not _is_swapped(claim, each, near, value):
                    break
                kind = contradiction_kind(value, other)
                yield Difference(kind, _text(claim, value), _text(each.sentence, other), each.fact)
                break


def find_other_units(
    claim: ComparedClaim, near: Sequence[Near], facts: Iterable[FactSentences]
) -> Iterator[Difference]:
    """Find numbers that a similar sentence has in another unit or rate, and no fact in this one."""
    for value in claim.stated_values:
        found = (
            Difference(ContradictionKind.UNIT, _text(claim, value), _text(sentence, other), number)
            for _, number, sentence in near
            for other in _in_place_of(value, claim, sentence)
            if value.has_number_of(other)
            and contradiction_kind(value, other) == ContradictionKind.UNIT
        )
        difference = None if value.is_implied else next(found, None)
        if difference and not any(fact.has_value(value) for fact in facts):
            yield difference


def find_opposite_limits(claim: ComparedClaim, near: Sequence[Near]) -> Iterator[Difference]:
    """Find limits of a claim where a sentence with all its other words has the opposite: "up to 4".

    Where one of them denies something, both may say the same.
    """
    for value in () if claim.negations else claim.stated_values:
        if not (limit := limit_of(claim.text, value)):
            continue
        words = _words_beside(limit, claim)
        for _, number, sentence in near:
            equal = list(filter(value.equals, sentence.values))
            if len(equal) != 1 or sentence.negations:
                continue
            matched = match_in_order(claim, sentence)
            if matched.words < max(words, 1) or not matched.is_compact:
                continue
            other = limit_of(sentence.text, equal[0])
            if (
                other
                and other.is_most != limit.is_most
                and (words >= _MIN_WORDS or words == _words_beside(other, sentence))
            ):
                texts = _text(claim, limit), _text(sentence, other)
                yield Difference(ContradictionKind.NUMBER, *texts, number)
            break


def _words_beside(limit: Limit, sentence: ReadSentence) -> int:
    return sum(not limit.start <= token.start < limit.end for token in sentence.content)


def _unconfirmed(values: Sequence[Value], sentence: ReadSentence) -> int:
    return sum(not any(map(value.equals, sentence.values)) for value in values)


def _in_place_of(value: Value, claim: ReadSentence, sentence: ReadSentence) -> Iterator[Value]:
    for other in sentence.values:
        is_free = _may_replace(other) and not any(map(other.equals, claim.values))
        if is_free and value.measures_like(other):
            yield other


def _may_replace(value: Value) -> bool:
    """Return whether a value may replace another; "a day" may, beside another time."""
    return bool(value.units) or not value.is_implied


def _is_replaced(claim: ReadSentence, near: Near, value: Value, other: Value) -> bool:
    """Return whether the other value stands in the same words."""
    words = len(claim.content)
    matched = match_in_order(claim, near.sentence)
    if matched.words >= NEAR * words and matched.is_compact:
        return (
            words >= _MANY_WORDS
            or (matched.words == words >= _MIN_WORDS)
            or (matched.words == words == len(near.sentence.content))
            or (contradiction_kind(value, other) == ContradictionKind.UNIT)
        )
    is_short = len(near.sentence.content) <= _MAX_LENGTH * words + 1
    return words >= _MANY_WORDS and near.share >= _SAME and is_short


def _is_statement_of(claim: ReadSentence, near: Near, other: Value) -> bool:
    """Return whether a claim is what a sentence says of a value that is no limit and no range.

    What it says of the reader, "your 6 kg cat", is another case of it.
    """
    if any(each.lower in _OF_READER for each in claim.tokens):
        return False
    words = len(claim.content)
    is_whole = near.share == 1 and match_in_order(claim, near.sentence).words == words
    is_exact = not other.last and limit_of(near.sentence.text, other) is None
    return is_whole and words >= _MIN_WORDS and is_exact


def _is_swapped(claim: ReadSentence, near: Near, all_near: Sequence[Near], value: Value) -> bool:
    """Return whether only sentences about something else have the claim's value."""
    words = len(claim.content)
    matched = match_in_order(claim, near.sentence)
    return (
        near.share == 1
        and (words >= _MIN_WORDS or words == len(near.sentence.content))
        and matched.words == words
        and matched.is_compact
        and all(
            each.share < 1 or not any(map(value.equals, each.sentence.values)) for each in all_near
        )
    )


def _text(sentence: ReadSentence, value: Value | Limit) -> str:
    return sentence.text[value.start : value.end]
