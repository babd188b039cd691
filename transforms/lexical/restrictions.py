"""Find the sentence that is made of all where a claim is made of some only, or the other way."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groundwatch.transforms.lexical.denials import Denial
from groundwatch.transforms.lexical.fact_sentences import FactSentences, ReadSentence, stem_of
from groundwatch.transforms.lexical.modality import LIGHT, NEUTRAL
from groundwatch.transforms.lexical.negations import EXCLUSIVE, UNIVERSAL
from groundwatch.transforms.lexical.words import NEGATION, ClaimWords, Token, form_of

_MAX_WORDS = 3
_MAX_GAP = 2
"""Function words between "only" and who may: "only on the Pro plan"."""

_VERBS = LIGHT - NEUTRAL
_FORMS = frozenset(map(form_of, EXCLUSIVE | UNIVERSAL))


class _Group(NamedTuple):
    """Of whom or what a sentence speaks: "only members", "all plans", "everyone"."""

    text: str
    stems: AbstractSet[str]


def may_be_restricted(claim: ClaimWords) -> bool:
    """Return whether a claim may speak of all, or of some only; a fast test."""
    return not _FORMS.isdisjoint(claim.forms)


def find_restrictions(
    own: ReadSentence, facts: Iterable[tuple[int, FactSentences]]
) -> Iterator[tuple[Denial, int]]:
    """Find who alone is meant in one of two statements that is otherwise made of all.

    Both have the other words in common: "Only members can book.", "Everyone can book a court."
    """
    some, everybody = _group(own, EXCLUSIVE), _group(own, UNIVERSAL)
    group = some or everybody
    if not group or (some and everybody) or own.negations:
        return
    rest = own.places.keys() - group.stems
    if not rest:
        return
    for number, sentences in facts:
        # Words that restrict have the sign of a negation.
        for _, place in sentences.near(rest, 1.0, 0 if some else NEGATION):
            sentence = sentences.read(place)
            its_some, its_all = _group(sentence, EXCLUSIVE), _group(sentence, UNIVERSAL)
            if sentence.negations or (its_some and its_all):
                continue
            if some and its_all and _are_comparable(some, its_all, own):
                yield Denial(some.text, its_all.text), number
            elif everybody and its_some and _are_comparable(its_some, everybody, sentence):
                yield Denial(everybody.text, its_some.text), number


def _are_comparable(some: _Group, everybody: _Group, exclusive: ReadSentence) -> bool:
    """Return whether "all" speaks of those of whom some are named, and not of something else."""
    if not some.stems or not some.stems <= exclusive.places.keys():
        return False
    return not everybody.stems or bool(
        everybody.stems & some.stems or everybody.stems.isdisjoint(exclusive.places)
    )


def _group(sentence: ReadSentence, words: AbstractSet[str]) -> _Group | None:
    """Read the group behind the first of some words, or before it: "for members only"."""
    tokens = sentence.tokens
    for place, token in enumerate(tokens):
        if token.lower in words:
            nouns = _nouns(tokens[place + 1 :])
            if not nouns and words is EXCLUSIVE:
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
