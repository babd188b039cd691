"""Numbers of a claim that no fact tells, or tells in another unit or of another thing."""

from collections.abc import Iterator

from schemas.verdict import MismatchKind
from transforms.rules.mismatches.difference import NEAR_ENOUGH, Difference
from transforms.rules.mismatches.passages import Passage, Passages
from transforms.rules.mismatches.reading.quantities import Quantity
from transforms.rules.mismatches.sentence import Sentence
from transforms.rules.mismatches.sources import Sources

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
    passage = passages.nearest(claim, NEAR_ENOUGH)
    others = _others(claim, passage) if passage else []
    alike = [each for each in others if each.counts_like(quantity)] or others
    if passage is None or len(alike) != 1:
        return Difference(MismatchKind.NUMBER, quantity.text)
    return Difference(MismatchKind.NUMBER, quantity.text, alike[0].text, passage.fact)


def _others(claim: Sentence, passage: Passage) -> list[Quantity]:
    """The numbers of a fact's sentence that the claim does not state."""
    own = {each.value for each in claim.quantities}
    return [each for each in passage.sentence.quantities if each.value not in own]


def _in_another_unit(own: Quantity, claim: Sentence, passages: Passages) -> Difference | None:
    """Tell a number that the facts have, but never in its unit."""
    if own.unit is None:
        return None
    equal = [(each, where) for each, where in passages.quantities if each.value == own.value]
    if not equal or any(each.is_bare or each.counts_like(own) for each, _ in equal):
        return None
    nearest = passages.nearest(claim, NEAR_ENOUGH)
    for each, passage in equal:
        if each.unit and (each.unit.kind == own.unit.kind or passage is nearest):
            return Difference(MismatchKind.UNIT, own.text, each.text, passage.fact)
    return None


def _of_another_thing(own: Quantity, claim: Sentence, passages: Passages) -> Difference | None:
    """Tell a number that the facts have, but of another thing than the claim."""
    if own.is_bare:
        return None
    alike = [(each, where) for each, where in passages.quantities if each.counts_like(own)]
    equal = [each for each, _ in passages.quantities if each.value == own.value]
    if not alike or any(each.is_bare or each.counts_like(own) for each in equal):
        return None
    passage = passages.nearest(claim, NEAR_ENOUGH)
    instead = [
        each for each in (_others(claim, passage) if passage else ()) if each.counts_like(own)
    ]
    if passage is None or len(instead) != 1:
        return None
    return Difference(MismatchKind.NUMBER, own.text, instead[0].text, passage.fact)
