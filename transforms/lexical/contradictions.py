"""Find what contradicts a fact: a claim that stands nearly verbatim in one of its sentences.

It differs only in a number, a date or a unit, or in that it denies what the sentence states.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.denials import (
    DENIED,
    SIMILAR,
    find_denial,
    part_about_the_same,
)
from groundwatch.transforms.lexical.fact_sentences import (
    FactSentences,
    ReadSentence,
    sentences_of,
    stem_of,
)
from groundwatch.transforms.lexical.matching import match_in_order
from groundwatch.transforms.lexical.modality import NEUTRAL
from groundwatch.transforms.lexical.negations import (
    NEGATING,
    negating_words,
)
from groundwatch.transforms.lexical.restrictions import find_restrictions, may_be_restricted
from groundwatch.transforms.lexical.value import Value, contradiction_kind
from groundwatch.transforms.lexical.values import VALUE_WORDS
from groundwatch.transforms.lexical.words import (
    NEGATION,
    VALUE,
    ClaimWords,
    form_of,
)

_SIMILAR = 0.5
"""A sentence with this share of a claim's words is about the same, and may confirm its values."""

_NEAR = 0.8
"""One with this share stands for the claim."""

_MAYBE_NEAR = 0.6
"""The same, without words that may be a part of a value or a negation."""

_SAME, _MAX_LENGTH = 0.9, 1.5
"""In another order, a sentence has this share of a claim's words, and is not much longer."""

_MAX_SENTENCES = _MAX_FACTS = 8
"""Of the sentences and facts with most of a claim's words, so many are compared. This bounds the
time."""

_VALUE_STEMS = frozenset(
    map(stem_of, map(form_of, chain.from_iterable(map(str.split, VALUE_WORDS))))
)
_MAYBE_NO_WORDS = _VALUE_STEMS.union(map(stem_of, map(form_of, NEGATING | NEUTRAL | {"longer"})))
_NO_WORDS = (*"$€£¥%", "May", "dos ", "Dos ", "due ", "Due ")
"""Parts of values that are no content tokens."""

_MAX_CLAIM_TOKENS = 128
_MIN_WORDS = 2
_MANY_WORDS = 4


class Difference(NamedTuple):
    """A contradiction between a claim and a fact, with the values of both."""

    kind: ContradictionKind
    claim_value: str
    fact_value: str
    fact: int


class _Near(NamedTuple):
    share: float
    fact: int
    sentence: ReadSentence


def find_differences(
    claim: ClaimWords, facts: Sequence[str], candidates: Sequence[int]
) -> list[Difference]:
    """Find where a claim differs from the sentence of the candidates in which it nearly stands."""
    if len(claim.forms) > _MAX_CLAIM_TOKENS or not candidates:
        return []
    bare = claim.text.strip(" .!*_")
    if any(_stands_in(bare, facts[number]) for number in candidates[:_MAX_FACTS]):
        return []
    read = [(number, sentences_of(facts[number])) for number in candidates[:_MAX_FACTS]]
    own = ReadSentence(claim.text, claim.signs)
    if may_be_restricted(claim):
        for denial, number in find_restrictions(own, read):
            return [Difference(ContradictionKind.NEGATION, *denial, number)]
    if not _may_differ(claim, [sentences for _, sentences in read]):
        return []
    near = _near(own, read)
    differences: list[Difference] = []
    if claim.signs & VALUE:
        differences += _other_values(own, near, [each for _, each in read])
    return differences or list(_denials(own, near))


def _near(own: ReadSentence, facts: Iterable[tuple[int, FactSentences]]) -> list[_Near]:
    """Return the sentences with most of a claim's words, the nearest first."""
    words = frozenset(own.places)
    if not words:
        return []
    near = [
        _Near(share, number, sentences.read(place))
        for number, sentences in facts
        for share, place in sentences.near(words, _SIMILAR)
    ]
    near.sort(key=lambda each: -each.share)
    return near[:_MAX_SENTENCES]


def _may_differ(claim: ClaimWords, facts: Iterable[FactSentences]) -> bool:
    """Return whether a near sentence has other values or negations; a fast test."""
    stems = frozenset(map(stem_of, claim.distinct.difference(claim.numbers)))
    words = stems - _MAYBE_NO_WORDS or stems
    if not words:
        return False
    values = (stems & _VALUE_STEMS).union(claim.numbers)
    spelled = [each for each in _NO_WORDS if each in claim.text]
    # A claim without negations and values can only be what a sentence denies.
    relevant = 0 if claim.signs & NEGATION else NEGATION | claim.signs & VALUE
    is_bare = words == stems and not claim.signs & (NEGATION | VALUE)
    share = DENIED if is_bare else _MAYBE_NEAR
    for each in facts:
        for _, place in each.near(words, share, relevant):
            signs, text = each.signs[place], each.texts[place]
            if (claim.signs | signs) & NEGATION and (
                not claim.signs & signs & NEGATION
                or negating_words(claim.text) != negating_words(text)
            ):
                return True
            if claim.signs & signs & VALUE and not (
                values <= each.contents[place] and all(map(text.__contains__, spelled))
            ):
                return True
    return False


def _stands_in(claim: str, fact: str) -> bool:
    place = fact.find(claim)
    if place < 0:
        return False
    before = fact[:place].rstrip(" ")
    return not before or before[-1] in ".!?\n:"


def _other_values(
    own: ReadSentence, near: Sequence[_Near], facts: Iterable[FactSentences]
) -> Iterator[Difference]:
    """Find values in whose place the sentence in which a claim nearly stands has another."""
    explicit = [value for value in own.values if not value.is_implied]
    closest = [each for each in near if each.share >= _NEAR]
    for value in explicit:
        for each in closest:
            if any(map(value.equals, each.sentence.values)):
                break
            other = next(_in_place_of(value, own, each.sentence), None)
            if (
                other
                and _unconfirmed(explicit, each.sentence) == 1
                and _is_replaced(own, each, value, other)
            ):
                is_known = any(fact.has_value(value) for fact in facts)
                if is_known and not _is_swapped(own, each, near, value):
                    break
                kind = contradiction_kind(value, other)
                yield Difference(kind, _text(own, value), _text(each.sentence, other), each.fact)
                break


def _unconfirmed(values: Sequence[Value], sentence: ReadSentence) -> int:
    return sum(not any(map(value.equals, sentence.values)) for value in values)


def _in_place_of(value: Value, own: ReadSentence, sentence: ReadSentence) -> Iterator[Value]:
    for other in sentence.values:
        is_free = not other.is_implied and not any(map(other.equals, own.values))
        if is_free and value.measures_like(other):
            yield other


def _is_replaced(own: ReadSentence, near: _Near, value: Value, other: Value) -> bool:
    """Return whether the other value stands in the same words."""
    words = len(own.content)
    matched = match_in_order(own, near.sentence)
    if matched.words >= _NEAR * words and matched.is_compact:
        return (
            words >= _MANY_WORDS
            or (matched.words == words >= _MIN_WORDS)
            or (matched.words == words == len(near.sentence.content))
            or (contradiction_kind(value, other) == ContradictionKind.UNIT)
        )
    is_short = len(near.sentence.content) <= _MAX_LENGTH * words + 1
    return words >= _MANY_WORDS and near.share >= _SAME and is_short


def _is_swapped(own: ReadSentence, near: _Near, all_near: Sequence[_Near], value: Value) -> bool:
    """Return whether only sentences about something else have the claim's value."""
    words = len(own.content)
    matched = match_in_order(own, near.sentence)
    return (
        near.share == 1
        and (words >= _MIN_WORDS or words == len(near.sentence.content))
        and matched.words == words
        and matched.is_compact
        and all(
            each.share < 1 or not any(map(value.equals, each.sentence.values)) for each in all_near
        )
    )


def _denials(own: ReadSentence, near: Sequence[_Near]) -> Iterator[Difference]:
    """Find what the nearest sentence about the same denies."""
    similar = [each for each in near if each.share >= SIMILAR]
    if not any((own.signs | each.sentence.signs) & NEGATION for each in similar):
        return
    for each in similar:
        if part := part_about_the_same(own, each.sentence):
            if found := find_denial(own, each.sentence, part):
                yield Difference(ContradictionKind.NEGATION, *found, each.fact)
            return


def _text(sentence: ReadSentence, value: Value) -> str:
    return sentence.text[value.start : value.end]
