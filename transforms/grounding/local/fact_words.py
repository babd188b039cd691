"""Read the words of facts, and where they are close together."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import NamedTuple

from transforms.grounding.local.claim_words import ClaimWords, Pair
from transforms.grounding.local.tokens import form_of, spellings, tokenize
from transforms.rules.cache import FactCache, WantedForms

_WINDOW_POSITIONS = 60
"""Tokens within this distance count as close; 40 and 100 rank as well on RAGTruth-QA."""

_PIECE_POSITIONS = 500
"""Without pieces, each form of a long fact would have a bit set as long as the fact."""

_OVERLAP = _WINDOW_POSITIONS - 1
_WINDOWS = [
    ((1 << _WINDOW_POSITIONS) - 1) << position for position in range(_PIECE_POSITIONS + _OVERLAP)
]
"""The windows that contain each position of a piece."""

_MAX_LOOKUPS = 2_000_000
"""For all claims of a large answer together; a quarter of a second in the worst case."""


class FactWords:
    """The words of one fact.

    Args:
      positions: the forms of its tokens in order, None for one that is not wanted.
      pairs: the adjacent forms.

    Attributes:
      forms: the forms of its tokens.
      pairs: as given.
    """

    def __init__(self, positions: Sequence[str | None], pairs: frozenset[Pair]) -> None:
        self._positions = positions
        self.forms = frozenset(filter(None, positions))
        self.pairs = pairs

    @cached_property
    def windows(self) -> tuple[dict[str, int], ...]:
        """For each piece of the fact, the windows that contain a form, as a bit set.

        Bit n is the window whose last token is the piece's nth. Pieces overlap, so that each
        window is complete in one piece.
        """
        starts = range(0, max(1, len(self._positions) - _OVERLAP), _PIECE_POSITIONS)
        return tuple([_windows(self._positions[start : start + len(_WINDOWS)]) for start in starts])


class Facts(NamedTuple):
    """The words of the facts of a request.

    Attributes:
      each: the facts.
      forms, pairs: those of all facts.
      max_lookups: about how many windows may be compared for one claim.
    """

    each: list[FactWords]
    forms: AbstractSet[str]
    pairs: AbstractSet[Pair]
    max_lookups: float = inf


def read_facts_for(claims: Sequence[ClaimWords], texts: Sequence[str]) -> Facts:
    """Read only those words of facts that the claims of the answer have: less time and memory."""
    content = frozenset[str]().union(*[claim.distinct for claim in claims])
    pairs = frozenset(pair for claim in claims for pair in claim.pairs)
    forms = content.union(*pairs)
    wanted = WantedForms(form_of, forms)
    each = [
        FactWords(
            [form if form in content else None for form in found] if content < forms else found,
            pairs.intersection(pairwise(found)),
        )
        for found in map(wanted.of, map(spellings, texts))
    ]
    # Each difference iterates over the missing forms, a union would over all forms of a fact.
    missing = content
    for fact in each:
        missing = missing.difference(fact.forms)
    return Facts(
        each,
        forms=content - missing,
        pairs=frozenset().union(*[fact.pairs for fact in each]),
        max_lookups=_MAX_LOOKUPS / max(1, len(claims)),
    )


def _read_facts(texts: tuple[str, ...]) -> Facts:
    each = list(map(_fact_words, texts))
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


_fact_words = FactCache(_read_fact).__getitem__
read_facts = FactCache(_read_facts).__getitem__
"""Return the words of the facts of an answer, given as texts; they are cached."""
