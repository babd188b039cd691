"""Find values that the facts have, where the most similar sentence has another value.

They only tag an answer. As a part of the score, they gained nothing on labeled sets.
"""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import partial
from typing import NamedTuple

from schemas.verdict import ContradictionKind
from transforms.contradictions.antonyms import ANTONYMS
from transforms.contradictions.comparison import Comparison
from transforms.contradictions.numbers import Quantity, plain_value
from transforms.contradictions.parsed_sentence import NUMBER, OPPOSITE, ParsedSentence
from transforms.contradictions.passages import Difference, NearSentence
from transforms.contradictions.tokenized_text import form_of
from transforms.rules.phrases import STOP_WORDS

_MIN_WORDS = 4  # beside the value; with fewer, sentences on other topics are similar


class _Shares(NamedTuple):
    """Which share of a claim's other words makes a sentence similar to it.

    With `other`, a sentence without the claim's value contradicts the claim by another value. With
    `same`, a sentence with the claim's value confirms it.
    """

    other: float
    same: float


_NUMBER = _Shares(0.65, 0.65)
_NUMBER_OF_SAME_THING = _Shares(0.5, 0.55)
_YEAR = _Shares(0.5, 0.65)
_ANY_NUMBER = _Shares(0.5, 0.65)
_NAME = _Shares(0.8, 0.45)
_ANTONYM = _Shares(0.8, 0.5)

_FindValue = Callable[[ParsedSentence], str | None]


def find_swapped_values(comparison: Comparison) -> Iterator[Difference]:
    """Find numbers, years, names and antonyms that a similar sentence contradicts."""
    features = comparison.claim.features
    names = {form_of(each) for each in features.capitals if each and each not in STOP_WORDS}
    if not (features.kinds & (NUMBER | OPPOSITE) or names):
        return
    content = comparison.claim.content
    antonyms = content & comparison.sentences.opposites if features.kinds & OPPOSITE else ()
    if not (features.kinds & NUMBER or names or antonyms) or not comparison.near:
        return
    near = comparison.near
    lacking = content.difference(content.intersection(*[each.content for each in near]))
    if any(_others(comparison, {form}, _ANY_NUMBER) for form in lacking if form[0].isdigit()):
        yield from _years(comparison)
        yield from _numbers(comparison)
    most = max(each.shared for each in near)
    if most >= _NAME.other * (len(content) - len(names)) and not lacking.isdisjoint(names):
        yield from _names(comparison)
    for form in sorted(lacking.intersection(antonyms)):
        yield from _antonym(comparison, form)


def _years(comparison: Comparison) -> Iterator[Difference]:
    def other(sentence: ParsedSentence) -> str | None:
        years = (date for date in sentence.dates if date.year)
        return next((date.text for date in years if date.year not in values), None)

    values = comparison.claim.values
    for date in comparison.claim.dates:
        if date.year:
            others = _others(comparison, {str(date.year)}, _YEAR)
            yield from _first(ContradictionKind.DATE, date.text, others, other)


def _numbers(comparison: Comparison) -> Iterator[Difference]:
    claim = comparison.claim
    for quantity in claim.quantities:
        value, text = quantity.value, quantity.text
        own = {form for form in claim.content if form[0].isdigit() and plain_value(form) == value}
        for shares, like in ((_NUMBER, None), (_NUMBER_OF_SAME_THING, quantity)):
            others = _others(comparison, own, shares)
            find = partial(_other_number, claim=claim, like=like)
            if found := list(_first(ContradictionKind.NUMBER, text, others, find)):
                yield from found
                break


def _other_number(
    sentence: ParsedSentence, claim: ParsedSentence, like: Quantity | None
) -> str | None:
    numbers = (
        each.text
        for each in sentence.quantities
        if each.value not in claim.values and (like is None or like.counts_like(each))
    )
    return next(numbers, None)


def _names(comparison: Comparison) -> Iterator[Difference]:
    def other(sentence: ParsedSentence) -> str | None:
        names = (
            name.text
            for name in sentence.names
            if any(token.form not in content for token in name.tokens)
        )
        return next(names, None)

    content = comparison.claim.content
    for name in comparison.claim.names:
        others = _others(comparison, {token.form for token in name.tokens}, _NAME)
        yield from _first(ContradictionKind.NAME, name.text, others, other)


def _antonym(comparison: Comparison, form: str) -> Iterator[Difference]:
    def other(sentence: ParsedSentence) -> str | None:
        found = sorted(opposites & sentence.content)
        return sentence.spelling(found[0]) if found else None

    claim, opposites = comparison.claim, ANTONYMS[form]
    if opposites.isdisjoint(claim.content):
        others = _others(comparison, {form}, _ANTONYM)
        text = claim.spelling(form) or ""
        yield from _first(ContradictionKind.ANTONYM, text, others, other)


def _others(comparison: Comparison, own: AbstractSet[str], shares: _Shares) -> list[NearSentence]:
    """Return the similar sentences without a value, most similar first; none if one confirms it."""
    words = len(comparison.claim.content) - len(own)
    if words < _MIN_WORDS or not own:
        return []
    others = []
    for near in comparison.near:
        if own.isdisjoint(near.content):
            if near.shared >= shares.other * words:
                others.append(near)
        elif near.shared - len(near.content & own) >= shares.same * words:
            return []
    return sorted(others, key=lambda near: near.shared, reverse=True)


def _first(
    kind: ContradictionKind, text: str, others: list[NearSentence], value_in: _FindValue
) -> Iterator[Difference]:
    for near in others:
        if value := value_in(near.sentence):
            yield Difference(kind, text, value, near.fact)
            return
