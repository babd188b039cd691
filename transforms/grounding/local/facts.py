"""What claims are looked for in: the words of facts."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from math import inf
from typing import NamedTuple

from transforms.grounding.local.claims import ClaimWords, Pair
from transforms.grounding.local.tokens import form_of, spellings, tokenize
from transforms.rules.cache import FactCache, WantedForms, lazy_property

_WINDOW_POSITIONS = 60
"""Tokens that count as together; 40 and 100 rank as well, measured on RAGTruth's QA part."""

_PIECE_POSITIONS = 500
"""Of one piece, each form of a long fact would have a set of bits as long as the fact."""

_OVERLAP = _WINDOW_POSITIONS - 1
_WINDOWS = [
    ((1 << _WINDOW_POSITIONS) - 1) << position for position in range(_PIECE_POSITIONS + _OVERLAP)
]
"""For each position of a piece the windows that hold it."""


_MOST_LOOKUPS = 2_000_000
"""For all claims of a large answer together; a quarter of a second in the worst case."""


class FactWords:
    """The words of one fact.

    Args:
      positions: the forms of its tokens in order, None for one that is not looked for.
      pairs: the forms that stand side by side.

    Attributes:
      forms: the forms of its tokens.
      pairs: as given.
    """

    def __init__(self, positions: Sequence[str | None], pairs: frozenset[Pair]) -> None:
        self._positions = positions
        self.forms = frozenset(filter(None, positions))
        self.pairs = pairs

    @lazy_property
    def windows(self) -> tuple[dict[str, int], ...]:
        """For each piece of the fact the windows in it that hold a form, as a set of bits.

        Bit n is the window whose last token is the piece's nth. Pieces overlap, so that each
        window is whole in one.
        """
        starts = range(0, max(1, len(self._positions) - _OVERLAP), _PIECE_POSITIONS)
        return tuple([_windows(self._positions[start : start + len(_WINDOWS)]) for start in starts])


class Facts(NamedTuple):
    """The facts of a request: each by itself, and the forms and pairs of them all.

    Attributes:
      each: the facts.
      forms, pairs: those of all facts.
      most_lookups: how many windows of one claim's forms may be compared, about.
    """

    each: list[FactWords]
    forms: AbstractSet[str]
    pairs: AbstractSet[Pair]
    most_lookups: float = inf


def read_facts(texts: tuple[str, ...]) -> Facts:
    """Read the words of the facts of an answer; they are remembered."""
    return _FACTS[texts]


def read_facts_for(claims: Sequence[ClaimWords], texts: Sequence[str]) -> Facts:
    """Read from facts only the words of the claims of one answer, to bound time and memory.

    Args:
      claims: all claims that will be looked for.
      texts: all that a check sees of each fact.
    """
    content = frozenset[str]().union(*[claim.distinct for claim in claims])
    pairs = frozenset(pair for claim in claims for pair in claim.pairs)
    forms = content.union(*pairs)
    sought = WantedForms(form_of, forms)
    each = [
        FactWords(_only(content, found) if content < forms else found, _pairs_in(found, pairs))
        for found in map(sought.of, map(spellings, texts))
    ]
    # Each difference goes through what is missing yet, a union through all forms of a fact.
    missing = content
    for fact in each:
        missing = missing.difference(fact.forms)
    return Facts(
        each,
        forms=content - missing,
        pairs=frozenset().union(*[fact.pairs for fact in each]),
        most_lookups=_MOST_LOOKUPS / max(1, len(claims)),
    )


def _only(content: frozenset[str], forms: Sequence[str | None]) -> list[str | None]:
    return [form if form in content else None for form in forms]


def _pairs_in(forms: Sequence[str | None], pairs: frozenset[Pair]) -> frozenset[Pair]:
    return pairs.intersection(pairwise(forms))


def _read_facts(texts: tuple[str, ...]) -> Facts:
    each = list(map(_FACT_WORDS.__getitem__, texts))
    return Facts(
        each,
        forms=frozenset().union(*[fact.forms for fact in each]),
        pairs=frozenset().union(*[fact.pairs for fact in each]),
    )


def _read_fact(text: str) -> FactWords:
    forms = [form for form, _ in tokenize(text)]
    return FactWords(forms, frozenset(pairwise(forms)))


def _windows(forms: Sequence[str | None]) -> dict[str, int]:
    windows: dict[str, int] = {}
    for form, of_position in zip(forms, _WINDOWS, strict=False):
        if form is not None:
            windows[form] = windows.get(form, 0) | of_position
    return windows


_FACT_WORDS = FactCache(_read_fact)
_FACTS = FactCache(_read_facts)
