"""Find the sentence that is made of all where a claim is made of some only, or the other way."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.difference import ComparedClaim, ComparedFacts, Difference
from groundwatch.transforms.lexical.fact_sentences import (
    EXCLUSIVE_FORMS,
    UNIVERSAL_FORMS,
    ReadSentence,
    stem_of,
)
from groundwatch.transforms.lexical.modality import LIGHT, NEUTRAL
from groundwatch.transforms.lexical.negations import EXCLUSIVE, UNIVERSAL
from groundwatch.transforms.lexical.words import Token

_MAX_WORDS = 3
_MAX_GAP = 2
"""Function words between "only" and who may: "only on the Pro plan"."""

_MOST = 0.66
"""A sentence with this share of the other words is about the same."""

_VERBS = LIGHT - NEUTRAL


class _Group(NamedTuple):
    """What a sentence speaks of: "only members", "all plans", "everyone"."""

    text: str
    stems: AbstractSet[str]


def find_restrictions(own: ComparedClaim, facts: ComparedFacts) -> Iterator[Difference]:
    """Find who alone is meant in one of two statements that is otherwise made of all.

    Both have the other words in common: "Only members can book.", "Everyone can book a court."
    """
    is_exclusive = not EXCLUSIVE_FORMS.isdisjoint(own.words.forms)
    if is_exclusive != UNIVERSAL_FORMS.isdisjoint(own.words.forms):
        return
    contrary = [
        (number, sentences, place)
        for number, sentences in facts
        for place in sentences.of_some_or_all[is_exclusive]
    ]
    if not contrary:
        return
    group = _group(own, EXCLUSIVE if is_exclusive else UNIVERSAL)
    rest = own.places.keys() - group.stems if group else frozenset()
    if not group or not rest or own.negations:
        return
    for number, sentences, place in contrary:
        shared = rest & sentences.contents[place]
        if len(shared) < _MOST * len(rest):
            continue
        sentence = sentences.read(place)
        its_group = _group(sentence, UNIVERSAL if is_exclusive else EXCLUSIVE)
        if its_group is None or sentence.negations:
            continue
        some, everybody, of_some = (
            (group, its_group, own) if is_exclusive else (its_group, group, sentence)
        )
        if _are_comparable(some, everybody, of_some):
            yield Difference(ContradictionKind.NEGATION, group.text, its_group.text, number)
            return


def _are_comparable(some: _Group, everybody: _Group, exclusive: ReadSentence) -> bool:
    """Return whether "all" speaks of those of whom some are named, and not of something else."""
    if not some.stems or not some.stems <= exclusive.places.keys():
        return False
    return not everybody.stems or bool(
        everybody.stems & some.stems or everybody.stems.isdisjoint(exclusive.places)
    )


def _group(sentence: ReadSentence, words: AbstractSet[str]) -> _Group | None:
    """Read the group behind the first of some words, or before "only": "for members only"."""
    tokens = sentence.tokens
    for place, token in enumerate(tokens):
        if token.lower in words:
            nouns = _nouns(tokens[place + 1 :])
            if not nouns and words == EXCLUSIVE:
                nouns = _nouns(tokens[:place][::-1])
            start = min([token.start, *(each.start for each in nouns)])
            end = max([token.end, *(each.end for each in nouns)])
            stems = frozenset(stem_of(each.form) for each in nouns)
            return _Group(sentence.text[start:end], stems)
    return None


def _nouns(tokens: Sequence[Token]) -> list[Token]:
    """Return the content words at the beginning of tokens, behind few function words."""
    found: list[Token] = []
    gap = 0
    for token in tokens:
        if token.lower in _VERBS or len(found) == _MAX_WORDS:
            break
        if token.lower in NEUTRAL:
            continue
        if token.kind:
            found.append(token)
        elif found or gap == _MAX_GAP:
            break
        else:
            gap += 1
    return found
