"""What a claim denies and a fact states, or the other way round."""

from collections.abc import Iterator
from functools import cache

from schemas.verdict import ContradictionKind
from transforms.contradictions.difference import Difference
from transforms.contradictions.passages import Passages
from transforms.contradictions.sentence import Sentence
from transforms.contradictions.sources import Sources

_ALIKE = 0.6
"""The share of a claim's words that a sentence must have, if one denial is the difference."""


def compare_denials(claim: Sentence, sources: Sources, passages: Passages) -> Iterator[Difference]:
    """Find a word that one denies and the other does not, in sentences that are much alike."""
    if claim.denied:
        yield from _denied_by_claim(claim, passages)
    elif (suspected := sources.suspected(claim)) and not claim.may_deny:
        yield from _denied_by_fact(claim, suspected, passages)


def _denied_by_claim(claim: Sentence, passages: Passages) -> Iterator[Difference]:
    passage = passages.nearest(claim, _ALIKE)
    # A sentence that denies anything may say the same in other words.
    if passage is None or passage.sentence.may_deny:
        return
    for form, denial in claim.denied.items():
        if stated := passage.sentence.spelling(form):
            if not passages.denies(form):
                yield Difference(ContradictionKind.NEGATION, denial, stated, passage.fact)
            return


def _denied_by_fact(
    claim: Sentence, suspected: frozenset[str], passages: Passages
) -> Iterator[Difference]:
    is_stated = cache(passages.states)
    for sentence, fact in passages.all:
        for form in filter(sentence.denies, sorted(suspected)):
            if sentence.resembles(claim, _ALIKE) and not is_stated(form):
                stated, denial = claim.spelling(form) or "", sentence.denied[form]
                yield Difference(ContradictionKind.NEGATION, stated, denial, fact)
                return
