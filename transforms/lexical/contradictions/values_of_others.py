"""Find the values that facts give to something else than a claim does: another plan's price."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from operator import itemgetter
from typing import NamedTuple

from groundwatch.transforms.lexical.facts.entries import Entry, is_compared
from groundwatch.transforms.lexical.facts.fact_sentences import FactSentences, stems_of
from groundwatch.transforms.lexical.language.words import VALUE
from groundwatch.transforms.lexical.values.value import NUMBER, Value, contradiction_kind
from .difference import ComparedClaim, ComparedFacts, Difference

_MAX_WORDS = 8
"""Of an entry; a longer one tells a story, and does not stand beside others like it."""

_MAX_VALUES = 3
"""Of a claim; one with more lists several entries."""

_SHARE, _MIN_SHARED = 0.6, 2
"""An entry with this share of a claim's words, and so many of them, is about the same."""

_NEAR = 3
"""Entries of several things stand within so many sentences."""

_NUMBER = re.compile(r"\d[\d.,:]*")
_MAX_VALUE_WORDS = 3
"""Of content: a number with its unit, or a date."""

_LEAST = 10
"""A smaller number without a unit is a count, or the number of a thing."""


class _Holder(NamedTuple):
    """An entry that has a claim's value, behind its fact and the number of that."""

    number: int
    fact: FactSentences
    entry: Entry


def find_values_of_others(own: ComparedClaim, facts: ComparedFacts) -> Iterator[Difference]:
    """Find values that only entries about something else have, beside one about the same.

    "Pro has 10 GB" gives to Pro what "Basic 10 GB, Pro 50 GB" gives to Basic.
    """
    with_numbers = [
        (number, fact, place)
        for number, fact in facts
        for place in fact.with_signs(VALUE)
        if not own.numbers.isdisjoint(fact.contents[place])
    ]
    is_listed = any(_may_have_entries_beside(own, *each[1:]) for each in with_numbers)
    values = list(filter(is_compared, own.values)) if is_listed else []
    stated = [each for each in own.values_of_its_own if each in values and _says_much(each)]
    if not stated or len(values) > _MAX_VALUES:
        return
    written = " ".join(own.text[each.start : each.end] for each in values)
    words = own.stems - stems_of(written)
    for value in stated:
        holders = [
            _Holder(number, fact, entry)
            for number, fact, place in with_numbers
            for entry in fact.entries(place)
            if value.equals(entry.value)
        ]
        about_it = [
            (len(words & entry.words), entry.value, entry.text, number)
            for number, entry in _entries_beside(holders, words)
            if value.kind == entry.value.kind
            and value.measures_like(entry.value)
            and not any(map(entry.value.equals, values))
            and _are_of_others([each.entry for each in holders], entry, words)
        ]
        if about_it:
            _, other, text, number = max(about_it, key=itemgetter(0))
            kind = contradiction_kind(value, other)
            yield Difference(kind, own.text[value.start : value.end], text, number)


def _may_have_entries_beside(own: ComparedClaim, fact: FactSentences, place: int) -> bool:
    """Return whether a sentence has several numbers, or one near has more words; a fast test."""
    if len(_NUMBER.findall(fact.texts[place])) > 1:
        return True
    contents = fact.contents
    if len(contents[place]) > _MAX_WORDS + _MAX_VALUE_WORDS:
        return False
    shared = len(own.stems & contents[place])
    near = range(max(0, place - _NEAR), min(len(contents), place + _NEAR + 1))
    return any(
        fact.signs[each] & VALUE and len(own.stems & contents[each]) > shared for each in near
    )


def _says_much(value: Value) -> bool:
    is_plain = value.kind == NUMBER and not value.units
    return not is_plain or max(value.raw, default=0) >= _LEAST


def _entries_beside(
    holders: Sequence[_Holder], words: AbstractSet[str]
) -> Iterator[tuple[int, Entry]]:
    """Yield the entries near a holder in sentences that may have more of a claim's words."""
    if not holders or min(len(each.entry.words) for each in holders) > _MAX_WORDS:
        return
    most = max(len(words & each.entry.words) for each in holders)
    for number, fact, entry in holders:
        for place in range(entry.sentence - _NEAR, entry.sentence + _NEAR + 1):
            is_own = place == entry.sentence
            if is_own or (
                0 <= place < len(fact.texts)
                and fact.signs[place] & VALUE
                and len(words & fact.contents[place]) > most
            ):
                for each in fact.entries(place):
                    yield number, each


def _are_of_others(holders: Sequence[Entry], entry: Entry, words: AbstractSet[str]) -> bool:
    """Return whether an entry is about what a claim's words say, and none of the holders is."""
    shared = words & entry.words
    if not shared or len(entry.words) > _MAX_WORDS:
        return False
    is_whole = shared == entry.words
    if not is_whole and len(shared) < max(_MIN_SHARED, _SHARE * len(words)):
        return False
    if not all(_is_of_another(each, entry, words) for each in holders):
        return False
    if all(words & each.words < shared for each in holders):
        return True
    # "Adults pay 12 euros, children 6": the second entry has the predicate of the first.
    [holder, *others] = holders
    is_in_front = holder.sentence == entry.sentence and holder.value.start < entry.value.start
    return is_whole and is_in_front and not others


def _is_of_another(holder: Entry, entry: Entry, words: AbstractSet[str]) -> bool:
    """Return whether a claim has what the entry names, and not what the holder names there."""
    sides = ((holder.before, entry.before), (holder.behind, entry.behind))
    return any((its & words) - holder.words and other - words - entry.words for other, its in sides)
