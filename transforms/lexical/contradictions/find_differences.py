"""Find what contradicts a fact: a claim that stands nearly verbatim in one of its sentences.

It differs in a number, a date or a unit, or denies what the sentence states.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.facts.fact_sentences import (
    VALUE_STEMS,
    FactSentences,
    ReadSentence,
    sentences_of,
    stem_of,
)
from groundwatch.transforms.lexical.language.modality import NEUTRAL
from groundwatch.transforms.lexical.language.negations import (
    CONTRACTED,
    NEGATING,
    NEGATING_IN_CJK,
    negating_words,
)
from groundwatch.transforms.lexical.language.words import (
    NEGATION,
    VALUE,
    ClaimWords,
    form_of,
    read_words,
)
from groundwatch.transforms.lexical.values.value import Value
from .denials import DENIED, SIMILAR, find_denial, part_about_the_same
from .difference import ComparedClaim, ComparedFacts, Difference
from .differing_values import NEAR, Near, find_other_units, find_other_values

_SIMILAR = 0.5
"""A sentence with this share of a claim's words is about the same, and may confirm its values."""

_MAX_SENTENCES = _MAX_FACTS = 8
"""Of the sentences and facts with most of a claim's words, so many are compared. This bounds the
time."""

_NO_WORDS = NEGATING | CONTRACTED | NEGATING_IN_CJK | NEUTRAL | {"longer"}
_MAYBE_NO_WORDS = VALUE_STEMS.union(map(stem_of, map(form_of, _NO_WORDS)))
_MAX_CLAIM_TOKENS = 128
_TITLE = re.compile(r"\s\([A-Z\u00c0-\u00de][^()\d]{2,60}\)[\s.!]{0,3}\Z")
"""What stands in brackets behind a statement, with a capital, may be the title of its source."""


def find_differences(
    claim: ClaimWords, facts: Sequence[str], candidates: Sequence[int], premises: Sequence[Value]
) -> list[Difference]:
    """Find where a claim differs from the candidates among the facts, by the first search.

    The values of the question are premises, which no fact contradicts.
    """
    if len(claim.forms) > _MAX_CLAIM_TOKENS or not candidates:
        return []
    bare = claim.text.strip(" .!*_")
    if any(_stands_in(bare, facts[number]) for number in candidates[:_MAX_FACTS]):
        return []
    own = ComparedClaim(claim, premises)
    read = [(number, sentences_of(facts[number])) for number in candidates[:_MAX_FACTS]]
    found = list(_differences_from_near(own, read)) or list(find_other_units(own, read))
    title = None if found or ")" not in claim.text[-4:] else _TITLE.search(claim.text)
    if not title:
        return found
    stated = claim.text[: title.start()]
    return find_differences(ClaimWords(stated, read_words(stated)), facts, candidates, premises)


def _differences_from_near(claim: ComparedClaim, facts: ComparedFacts) -> Iterator[Difference]:
    """Find what a claim changes or denies of the sentences with most of its words."""
    sentences = [each for _, each in facts]
    if _may_differ(claim, sentences):
        near = _near(claim, facts)
        changed = list(find_other_values(claim, near, sentences)) if claim.signs & VALUE else []
        yield from changed or _denials(claim, near)


def _near(own: ReadSentence, facts: ComparedFacts) -> list[Near]:
    """Return the sentences with most of a claim's words, the nearest first."""
    words = frozenset(own.places)
    if not words:
        return []
    near = [
        Near(share, number, sentences.read(place))
        for number, sentences in facts
        for share, place in sentences.near(words, _SIMILAR)
    ]
    near.sort(key=lambda each: -each.share)
    return near[:_MAX_SENTENCES]


def _may_differ(claim: ComparedClaim, facts: Iterable[FactSentences]) -> bool:
    """Return whether a near sentence has other values or negations; a fast test."""
    stems = claim.stems
    words = stems - _MAYBE_NO_WORDS or stems
    if not words:
        return False
    # A claim without negations and values can only be what a sentence denies.
    relevant = 0 if claim.signs & NEGATION else NEGATION | claim.signs & VALUE
    is_bare = words == stems and not claim.signs & (NEGATION | VALUE)
    maybe = len(stems) - len(words)
    similar, near = (_least_share(share, len(words), maybe) for share in (SIMILAR, NEAR))
    for each in facts:
        for share, place in each.near(words, DENIED if is_bare else similar, relevant):
            signs = each.signs[place]
            if (claim.signs | signs) & NEGATION and (
                not claim.signs & signs & NEGATION
                or negating_words(claim.text) != negating_words(each.texts[place])
            ):
                return True
            is_near = share >= near and claim.signs & signs & VALUE
            if is_near and not claim.has_values_of(each, place):
                return True
    return False


def _least_share(share: float, words: int, maybe: int) -> float:
    """Return which share of words a sentence has at least that has a share of these and of others.

    The others may be words, and may be parts of values and negations.
    """
    return share - (1 - share) * maybe / words


def _stands_in(claim: str, fact: str) -> bool:
    place = fact.find(claim)
    if place < 0:
        return False
    before = fact[:place].rstrip(" ")
    return not before or before[-1] in ".!?\n:"


def _denials(own: ReadSentence, near: Sequence[Near]) -> Iterator[Difference]:
    """Find what the nearest sentence about the same denies."""
    similar = [each for each in near if each.share >= SIMILAR]
    if not any((own.signs | each.sentence.signs) & NEGATION for each in similar):
        return
    for each in similar:
        if part := part_about_the_same(own, each.sentence):
            if found := find_denial(own, each.sentence, part):
                yield Difference(ContradictionKind.NEGATION, *found, each.fact)
            return
