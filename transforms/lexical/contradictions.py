"""Find what contradicts a fact: a claim that stands nearly verbatim in one of its sentences.

It differs only in a number, a date or a unit, or in that it denies what the sentence states.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.fact_sentences import (
    FactSentences,
    ReadSentence,
    is_kana,
    sentences_of,
    stem_of,
)
from groundwatch.transforms.lexical.negations import (
    BEHIND,
    NEGATING,
    NEUTRAL,
    QUALIFIERS,
    negating_words,
)
from groundwatch.transforms.lexical.values import VALUE_WORDS, Value, contradiction_kind
from groundwatch.transforms.lexical.words import (
    NEGATION,
    VALUE,
    ClaimWords,
    Token,
    form_of,
    word_from,
)

_SIMILAR = 0.5
"""A sentence with this share of a claim's words is about the same, and may confirm its values."""

_NEAR = 0.8
"""One with this share stands for the claim."""

_MAYBE_NEAR = 0.6
"""The same, without words that may be a part of a value or a negation."""

_DENIED = 0.85
_SAME, _MAX_LENGTH = 0.9, 1.5
"""In another order, a sentence has this share of a claim's words, and is not much longer."""

_REACH = 2
"""A negation so many tokens away from a claim's words negates them."""

_MAX_SENTENCES = _MAX_FACTS = 8
"""Of the sentences and facts with most of a claim's words, so many are compared. This bounds the
time."""

_VALUE_STEMS = frozenset(
    map(stem_of, map(form_of, chain.from_iterable(map(str.split, VALUE_WORDS))))
)
_MAYBE_NO_WORDS = _VALUE_STEMS.union(map(stem_of, map(form_of, NEGATING | NEUTRAL)))
_NO_WORDS = (*"$€£¥%", "May", "dos ", "Dos ", "due ", "Due ")
"""Parts of values that are no content tokens."""

_MAX_CLAIM_TOKENS = 128
_MIN_WORDS = 2
_MANY_WORDS = 4
_BREAKS = frozenset(',;:.!?()[]"\u201c\u201d\u3001\u3002\uff0c\uff1b')


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
    if not _may_differ(claim, [sentences for _, sentences in read]):
        return []
    own = ReadSentence(claim.text, claim.signs)
    words = frozenset(own.places)
    if not words:
        return []
    near = [
        _Near(share, number, sentences.read(place))
        for number, sentences in read
        for share, place in sentences.near(words, _SIMILAR)
    ]
    near.sort(key=lambda each: -each.share)
    del near[_MAX_SENTENCES:]
    if not near or near[0].share < _NEAR:
        return []
    found: list[Difference] = []
    if claim.signs & VALUE:
        found += _other_values(own, near, [each for _, each in read])
    return found or list(_denial(own, near))


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
    share = _DENIED if is_bare else _MAYBE_NEAR
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
    matched = _align(own, near.sentence)
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
    matched = _align(own, near.sentence)
    return (
        near.share == 1
        and (words >= _MIN_WORDS or words == len(near.sentence.content))
        and matched.words == words
        and matched.is_compact
        and all(
            each.share < 1 or not any(map(value.equals, each.sentence.values)) for each in all_near
        )
    )


def _denial(own: ReadSentence, near: Sequence[_Near]) -> Iterator[Difference]:
    """Find a sentence that states what the claim denies, or the other way round."""
    for each in near:
        sentence = each.sentence
        if each.share < _DENIED:
            return
        part = _about_the_same(own, sentence)
        if part is None:
            continue
        start, end = part
        within = [span for span in sentence.negations if start <= span[0] < end]
        if len(within) % 2 == len(own.negations) % 2:
            return
        inside = [token for token in sentence.tokens if start <= token.start < end]
        is_same = _negates_only(own, sentence) and _negates_only(sentence, own, within)
        if is_same and _qualifiers(own.tokens) == _qualifiers(inside):
            if len(own.negations) > len(within):
                claim_value, word = _negated(own, own.negations)
                fact_value = _spelled(sentence, word) or sentence.text[start:end]
            else:
                fact_value, word = _negated(sentence, within)
                claim_value = _spelled(own, word) or own.text
            yield Difference(ContradictionKind.NEGATION, claim_value, fact_value, each.fact)
        return


def _about_the_same(own: ReadSentence, sentence: ReadSentence) -> tuple[int, int] | None:
    """Return where a sentence says something about the same as a claim, if it does."""
    words = len(own.content)
    whole = 0, len(sentence.text)
    if words < _MIN_WORDS:
        return whole if _without_negations(own) == _without_negations(sentence) else None
    matched = _align(own, sentence)
    if matched.words >= _DENIED * words and matched.is_compact:
        part = _reach(sentence, matched)
    elif own.places.keys() == sentence.places.keys():
        part = whole
    elif words > _MIN_WORDS and (together := _all_together(own, sentence)):
        part = _reach(sentence, together)
    else:
        return None
    return part if _says_values_there(own, sentence, *part) else None


def _says_values_there(own: ReadSentence, sentence: ReadSentence, start: int, end: int) -> bool:
    """Return whether a sentence has a claim's values in or next to a part of it, if it has them."""
    equal = [each for value in own.values for each in sentence.values if value.equals(each)]
    last = max([end, *(each.end for each in equal)])
    beside = sum(start <= each.start < last for each in sentence.content)
    return beside <= len(own.content) + max(1, len(own.content) // 4)


def _without_negations(sentence: ReadSentence) -> list[str]:
    taken = [range(*span) for span in sentence.negations]
    return [each.lower for each in sentence.tokens if not any(each.start in span for span in taken)]


def _negates_only(
    one: ReadSentence, other: ReadSentence, negations: Sequence[tuple[int, int]] | None = None
) -> bool:
    """Return whether the other sentence has the words that one negates."""
    for _, end in one.negations if negations is None else negations:
        word = word_from(one.content, end)
        if word and stem_of(word.form) not in other.places:
            return False
    return True


class _Matched(NamedTuple):
    """How many words of a claim a sentence has in order, and the first and last of them there."""

    words: int
    first: int
    last: int

    @property
    def is_compact(self) -> bool:
        """Whether the sentence says little between the words of the claim."""
        return self.last + 1 - self.first <= self.words + max(1, self.words // 4)


def _align(own: ReadSentence, sentence: ReadSentence) -> _Matched:
    """Match a claim's words with those of a sentence, in order."""
    matched, first, last = 0, 0, -1
    for token in own.content:
        places = sentence.places.get(stem_of(token.form), ())
        place = bisect_left(places, last + 1)
        if place < len(places):
            last = places[place]
            first = first if matched else last
            matched += 1
    return _Matched(matched, first, max(last, 0))


def _all_together(own: ReadSentence, sentence: ReadSentence) -> _Matched | None:
    """Match all of a claim's words, in whatever order a sentence has them close together."""
    places = [sentence.places.get(stem_of(token.form), (-1,))[0] for token in own.content]
    matched = _Matched(len(places), min(places), max(places))
    return matched if matched.first >= 0 and matched.is_compact else None


def _reach(sentence: ReadSentence, matched: _Matched) -> tuple[int, int]:
    """Extend a span to the negations around it: "do not", and "nicht" at the end."""
    first, last = sentence.content[matched.first], sentence.content[matched.last]
    start, end = first.start, last.end
    before = [each for each in sentence.tokens if each.end <= start][-_REACH:]
    for token in reversed(before):
        if not _BREAKS.isdisjoint(sentence.text[token.end : start]):
            break
        start = token.start
    for token in [each for each in sentence.tokens if each.start >= end]:
        gap = sentence.text[end : token.start]
        if not (is_kana(token.form) or token.lower in BEHIND) or not _BREAKS.isdisjoint(gap):
            break
        end = token.end
    return start, end


def _qualifiers(tokens: Iterable[Token]) -> list[str]:
    return sorted(token.lower for token in tokens if token.lower in QUALIFIERS)


def _negated(
    sentence: ReadSentence, negations: Sequence[tuple[int, int]]
) -> tuple[str, str | None]:
    """Return the text from the first negation to the word that it negates, and the word's stem."""
    first, behind = negations[0]
    text, content = sentence.text, sentence.content
    if word := word_from(content, behind):
        return text[first : word.end], stem_of(word.form)
    if word := next((each for each in reversed(content) if each.end <= first), None):
        return text[word.start : behind], stem_of(word.form)
    return text[first:behind], None


def _spelled(sentence: ReadSentence, stem: str | None) -> str | None:
    found = (token for token in sentence.content if stem_of(token.form) == stem)
    return next((sentence.text[token.start : token.end] for token in found), None)


def _text(sentence: ReadSentence, value: Value) -> str:
    return sentence.text[value.start : value.end]
