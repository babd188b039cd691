"""Numbers of a claim that no fact tells, or tells in another unit or of another thing."""

from collections.abc import Iterator

from schemas.verdict import ContradictionKind
from transforms.contradictions.difference import Difference
from transforms.contradictions.passages import Passage, Passages
from transforms.contradictions.quantities import Quantity
from transforms.contradictions.sentence import Sentence
from transforms.contradictions.sources import Sources

_SMALL = 10
"""Up to so much a number in words is often the generator's own count: two ways."""


def compare_numbers(claim: Sentence, sources: Sources, passages: Passages) -> Iterator[Difference]:
    """Find numbers that differ from the facts'."""
    for quantity in claim.quantities:
        if sources.has_phrase(quantity.phrase):
            continue
        if not sources.tells_number(quantity.value, passages):
            if not _is_own_count(quantity):
                yield _untold(quantity, claim, passages)
            continue
        difference = _in_another_unit(quantity, claim, passages) or _of_another_thing(
            quantity, claim, passages
        )
        if difference:
            yield difference


def _is_own_count(quantity: Quantity) -> bool:
    is_small = isinstance(quantity.value, float) and quantity.value <= _SMALL
    return is_small and not quantity.is_in_digits and quantity.unit is None


def _untold(quantity: Quantity, claim: Sentence, passages: Passages) -> Difference:
    """Look what the nearest sentence tells instead: of the same thing, or its only number."""
    passage = passages.nearest(claim)
    others = _others(claim, passage) if passage else []
    alike = [each for each in others if each.counts_like(quantity)] or others
    if passage is None or len(alike) != 1:
        return Difference(ContradictionKind.NUMBER, quantity.text)
    return Difference(ContradictionKind.NUMBER, quantity.text, alike[0].text, passage.fact)


def _others(claim: Sentence, passage: Passage) -> list[Quantity]:
    """The numbers of a fact's sentence that the claim does not state."""
    return [each for each in passage.sentence.quantities if each.value not in claim.values]


def _in_another_unit(own: Quantity, claim: Sentence, passages: Passages) -> Difference | None:
    """Find a number that the facts have, but never in its unit."""
    tally = passages.tallies.get(own.value)
    if own.unit is None or tally is None or tally.is_bare or tally.counts_like(own):
        return None
    nearest = passages.nearest(claim)
    occurrences = [
        tally.by_sentence.get(nearest.sentence) if nearest else None,
        *(each for unit, each in tally.by_unit.items() if unit.kind == own.unit.kind),
    ]
    first = min(filter(None, occurrences), key=lambda each: each.place, default=None)
    if first is None:
        return None
    return Difference(ContradictionKind.UNIT, own.text, first.quantity.text, first.passage.fact)


def _of_another_thing(own: Quantity, claim: Sentence, passages: Passages) -> Difference | None:
    """Tell a number that the facts have, but of another thing than the claim."""
    tally = passages.tallies.get(own.value)
    if own.is_bare or (tally and (tally.is_bare or tally.counts_like(own))):
        return None
    passage = passages.nearest(claim)
    instead = [
        each for each in (_others(claim, passage) if passage else ()) if each.counts_like(own)
    ]
    if passage is None or len(instead) != 1:
        return None
    return Difference(ContradictionKind.NUMBER, own.text, instead[0].text, passage.fact)
