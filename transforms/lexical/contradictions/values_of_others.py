"""Find the values that facts give to something else than a claim does: another plan's price."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from heapq import nlargest
from math import inf
from typing import NamedTuple

from groundwatch.transforms.lexical.facts.fact_sentences import Entry, FactSentences, stems_of
from groundwatch.transforms.lexical.language.words import VALUE, ClaimWords
from groundwatch.transforms.lexical.values.read_values import IN_ORDER
from groundwatch.transforms.lexical.values.value import Value, contradiction_kind
from .difference import ComparedClaim, ComparedFacts, Difference

_MAX_WORDS = 8
"""Of an entry; a longer one is prose, and does not stand beside others like it."""

_MAX_VALUES = 3
"""Of a claim; one with more lists several entries."""

_SHARE, _MIN_SHARED = 0.6, 2
"""An entry with this share of a claim's words, and so many of them, is about the same."""

_BESIDE = range(-3, 4)
"""How many sentences behind an entry one about another thing stands; in front of it below 0."""

_MAX_COMPARED = 8
"""So many entries with most of a claim's words are compared with the holders of its value."""

_DIGITS = re.compile(r"\d[\d.,:]*")
_MAX_VALUE_WORDS = 3
"""Of content: a number with its unit, or a date."""


class _Placed(NamedTuple):
    """An entry, and where it stands: the number of its fact, and that of its sentence there."""

    fact: int
    place: int
    entry: Entry


def find_values_of_others(claim: ComparedClaim, facts: ComparedFacts) -> Iterator[Difference]:
    """Find values that only entries about something else have, beside one about the same.

    "Pro has 10 GB" gives to Pro what "Basic 10 GB, Pro 50 GB" gives to Basic. Where a claim lists
    several entries, each of them is compared as well.
    """
    found = list(_find_in(claim, facts))
    parts = [each.part for each in claim.entries] if not found and claim.words.numbers[1:] else []
    for part in parts[1:] and parts:
        found += _find_in(ComparedClaim(ClaimWords.of(part), claim.premises), facts)
    yield from found


def _find_in(claim: ComparedClaim, facts: ComparedFacts) -> Iterator[Difference]:
    with_numbers = [
        (number, fact, place)
        for number, fact in facts
        for place in fact.with_signs(VALUE)
        if not claim.numbers.isdisjoint(fact.contents[place])
    ]
    if not any(_may_stand_beside_another(claim, fact, place) for _, fact, place in with_numbers):
        return
    values = [each for each in claim.values if not (each.is_label or each.units == IN_ORDER)]
    stated = list(filter(values.__contains__, claim.stated_values))
    words = claim.stems - stems_of(" ".join(claim.text[each.start : each.end] for each in values))
    if not (stated and words) or len(values) > _MAX_VALUES:
        return
    held = []
    for value in stated:
        holders = [
            _Placed(number, place, entry)
            for number, fact, place in with_numbers
            for entry in fact.read(place).entries
            if value.equals(entry.value)
        ]
        if _may_be_others(holders, words):
            held.append((value, holders))
    about_it = list(_entries_about(words, values, facts)) if held else []
    for value, holders in held:
        places = {(number, place) for number, place, _ in holders}
        beside = [
            each
            for each in about_it
            if not places.isdisjoint((each.fact, each.place + near) for near in _BESIDE)
            and value.kind == each.entry.value.kind
            and value.measures_like(each.entry.value)
        ]
        nearest = nlargest(_MAX_COMPARED, beside, key=lambda each: len(words & each.entry.words))
        if found := next((each for each in nearest if _is_meant(each, holders, words)), None):
            other = found.entry
            kind = contradiction_kind(value, other.value)
            yield Difference(kind, claim.text[value.start : value.end], other.text, found.fact)


def _may_stand_beside_another(claim: ComparedClaim, fact: FactSentences, place: int) -> bool:
    """Return whether a sentence has several numbers, or one near has more words; a fast test."""
    if len(_DIGITS.findall(fact.texts[place])) > 1:
        return True
    contents = fact.contents
    if len(contents[place]) > _MAX_WORDS + _MAX_VALUE_WORDS:
        return False
    shared = len(claim.stems & contents[place])
    near = (place + each for each in _BESIDE if 0 <= place + each < len(contents))
    return any(
        fact.signs[each] & VALUE and len(claim.stems & contents[each]) > shared for each in near
    )


def _may_be_others(holders: Sequence[_Placed], words: AbstractSet[str]) -> bool:
    """Return whether holders may be about something else: one is short, and none names all."""
    shortest = min((len(each.entry.words) for each in holders), default=inf)
    return shortest <= _MAX_WORDS and not any(words <= each.entry.words for each in holders)


def _entries_about(
    words: AbstractSet[str], values: Sequence[Value], facts: ComparedFacts
) -> Iterator[_Placed]:
    """Yield the entries about a claim's words, without its values, in the nearest sentences."""
    for number, fact in facts:
        for _, place in fact.near(words, 1 / len(words), VALUE):
            for entry in fact.read(place).entries:
                if _is_about(words, entry) and not any(map(entry.value.equals, values)):
                    yield _Placed(number, place, entry)


def _is_about(words: AbstractSet[str], entry: Entry) -> bool:
    """Return whether an entry is about what a claim's words say."""
    shared, its = len(words & entry.words), len(entry.words)
    is_enough = shared == its or shared >= max(_MIN_SHARED, _SHARE * len(words))
    return shared > 0 and its <= _MAX_WORDS and is_enough


def _is_meant(placed: _Placed, holders: Sequence[_Placed], words: AbstractSet[str]) -> bool:
    """Return whether a claim is about an entry, and about no holder of the claim's value."""
    entry = placed.entry
    if not all(_names_another(each.entry, entry, words) for each in holders):
        return False
    shared = words & entry.words
    if all((words & each.entry.words) < shared for each in holders):
        return True
    # "Adults pay 12 euros, children 6": the second entry has the predicate of the first.
    return len(holders) == 1 and shared == entry.words and _follows(placed, holders[0])


def _follows(later: _Placed, earlier: _Placed) -> bool:
    """Return whether an entry stands behind another one in the same sentence."""
    is_same_sentence = (later.fact, later.place) == (earlier.fact, earlier.place)
    return is_same_sentence and earlier.entry.value.start < later.entry.value.start


def _names_another(holder: Entry, entry: Entry, words: AbstractSet[str]) -> bool:
    """Return whether a claim has what the entry names, and not what the holder names there."""
    sides = ((holder.before, entry.before), (holder.behind, entry.behind))
    return any((its & words) - holder.words and other - words - entry.words for other, its in sides)
