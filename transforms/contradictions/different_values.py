"""Find values of a claim that no fact has, or that the facts have for something else."""

from collections.abc import Iterator
from functools import partial

from schemas.verdict import ContradictionKind
from transforms.contradictions.comparison import Comparison
from transforms.contradictions.dates import may_agree
from transforms.contradictions.numbers import Quantity
from transforms.contradictions.passages import Difference

_SMALL = 10  # the generator often counts up to here itself: "two ways"


def find_dates(comparison: Comparison) -> Iterator[Difference]:
    """Find dates that agree with no date of a fact; a part of a date agrees with the whole."""
    for date in comparison.claim.dates:
        if comparison.facts.has_phrase(date.text.lower()) or any(
            any(map(date.agrees_with, sentence.dates))
            for _, sentence in comparison.sentences.with_text(partial(may_agree, date))
        ):
            continue
        nearest = comparison.nearest
        dates = nearest.sentence.dates if nearest else []
        closest = max(dates, key=date.shared_parts, default=None)
        other = (closest.text, nearest.fact) if nearest and closest else ()
        yield Difference(ContradictionKind.DATE, date.text, *other)


def find_numbers(comparison: Comparison) -> Iterator[Difference]:
    """Find numbers that no fact has, or that the facts have with another unit or thing."""
    for quantity in comparison.claim.quantities:
        if comparison.facts.has_phrase(quantity.phrase):
            continue
        is_small = isinstance(quantity.value, float) and quantity.value <= _SMALL
        if comparison.facts.has_number(quantity.value, comparison.sentences):
            yield from _other_use(comparison, quantity)
        elif not is_small or quantity.is_in_digits or quantity.unit:
            other = _other_quantity(comparison, quantity, or_any=True)
            yield Difference(ContradictionKind.NUMBER, quantity.text, *other)


def _other_use(comparison: Comparison, own: Quantity) -> Iterator[Difference]:
    """Find a number that the facts have, but never with its unit or the thing it counts."""
    uses = comparison.sentences.uses_of(own.value)
    units = [unit for unit, _ in uses if unit]
    is_same = any(map(own.unit.may_equal, units)) if own.unit else (None, own.counted) in uses
    if is_same or (None, None) in uses:
        return
    if own.unit and units:
        nearest, kind = comparison.nearest, own.unit.kind
        near = nearest.sentence.quantities if nearest else []
        if nearest and (alike := [each for each in near if each.unit and each.value == own.value]):
            yield Difference(ContradictionKind.UNIT, own.text, alike[0].text, nearest.fact)
            return
        if found := [use for (unit, _), use in uses.items() if unit and unit.kind == kind]:
            yield Difference(
                ContradictionKind.UNIT, own.text, found[0].quantity.text, found[0].fact
            )
            return
    if (own.unit or own.counted) and (value := _other_quantity(comparison, own)):
        yield Difference(ContradictionKind.NUMBER, own.text, *value)


def _other_quantity(
    comparison: Comparison, own: Quantity, *, or_any: bool = False
) -> tuple[str, int | None] | tuple[()]:
    """Find the one other number of the same thing in the nearest sentence, or its only one."""
    nearest = comparison.nearest
    values = {each.value for each in comparison.claim.quantities}
    quantities = nearest.sentence.quantities if nearest else []
    others = [each for each in quantities if each.value not in values]
    alike = [each for each in others if each.counts_like(own)] or (others if or_any else [])
    return (alike[0].text, nearest.fact) if nearest and len(alike) == 1 else ()


def find_names(comparison: Comparison) -> Iterator[Difference]:
    """Find names that no fact has, if the nearest sentence has another one in that place."""
    claim, facts = comparison.claim, comparison.facts
    forms = {token.form for token in claim.tokens}
    for name in claim.names:
        if not facts.lacks_any(token.lower for token in name.tokens):
            continue
        nearest = comparison.nearest
        others = (
            other
            for other in (nearest.sentence.names if nearest else ())
            if any(token.form not in forms for token in other.tokens)
        )
        other = next(filter(name.is_like, others), None)
        if nearest and other:
            yield Difference(ContradictionKind.NAME, name.text, other.text, nearest.fact)
