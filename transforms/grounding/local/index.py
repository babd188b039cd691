"""Where the words of an answer stand in its facts."""

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from transforms.grounding.local.claims import ClaimWords, Pair
from transforms.grounding.local.tokens import tokenize

_GAP = 1_000
"""Positions between two facts, so that nothing is found across them."""

_MAX_PLACES = 64
"""Places kept of one form: enough to find a dense stretch, few enough to bound the work."""

_REMEMBERED_FACTS = 256
"""More than one request holds: a popular source, or a long answer's, comes again and again."""

Place = tuple[int, str]
"""A position and the form that stands there."""


class Index(NamedTuple):
    """What one fact, or all of them together, hold of an answer's words.

    Attributes:
      places: the first places of each content form that is there, in order.
      pairs: the pairs of forms that stand side by side.
    """

    places: dict[str, list[Place]]
    pairs: set[Pair]


class FactIndex(NamedTuple):
    """The facts of a request: laid end to end with gaps, and each by itself."""

    together: Index
    each: list[Index]


def index_facts(facts: Iterable[str], claims: Iterable[ClaimWords]) -> FactIndex:
    """Find the words of the claims in the facts."""
    forms: set[str] = set()
    pairs: set[Pair] = set()
    for claim in claims:
        forms |= claim.distinct
        pairs.update(claim.pairs)
    each = []
    start = 0
    for fact in facts:
        fact_forms = _forms_of(fact)
        found_pairs = pairs.intersection(pairwise(fact_forms))
        each.append(Index(_places(fact_forms, forms, start), found_pairs))
        start += len(fact_forms) + _GAP
    return FactIndex(_joined(each), each)


@lru_cache(maxsize=_REMEMBERED_FACTS)
def _forms_of(fact: str) -> tuple[str, ...]:
    return tuple([token.form for token in tokenize(fact)])


def _places(fact_forms: tuple[str, ...], wanted: set[str], start: int) -> dict[str, list[Place]]:
    places = defaultdict(list)
    for position, form in enumerate(fact_forms, start):
        if form in wanted:
            places[form].append((position, form))
    if max(map(len, places.values()), default=0) > _MAX_PLACES:
        return {form: found[:_MAX_PLACES] for form, found in places.items()}
    return places


def _joined(indexes: list[Index]) -> Index:
    if len(indexes) == 1:
        return indexes[0]
    places: dict[str, list[Place]] = {}
    pairs: set[Pair] = set()
    for index in indexes:
        pairs |= index.pairs
        for form, found in index.places.items():
            known = places.get(form)
            places[form] = (known + found)[:_MAX_PLACES] if known else found
    return Index(places, pairs)
