"""What claims are looked for in: the words of facts."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from transforms.grounding.local.claims import Pair
from transforms.grounding.local.tokens import tokenize
from transforms.rules.memory import FactMemory

_WINDOW_POSITIONS = 60
"""Tokens that count as together; 40 and 100 rank as well, measured on RAGTruth's QA part."""

_ALL_POSITIONS = (1 << _WINDOW_POSITIONS) - 1

_PIECE_POSITIONS = 500
"""Of one piece, each form of a long fact would have a set of bits as long as the fact."""


class FactWords(NamedTuple):
    """The words of one fact.

    Attributes:
      forms: the forms of its tokens.
      windows: for each piece of the fact the windows in it that hold a form, as a set of bits;
        bit n is the window whose last token is the piece's nth.
      pairs: the forms that stand side by side.
    """

    forms: frozenset[str]
    windows: tuple[dict[str, int], ...]
    pairs: frozenset[Pair]


class Facts(NamedTuple):
    """The facts of a request: each by itself, and the forms and pairs of them all."""

    each: list[FactWords]
    forms: AbstractSet[str]
    pairs: AbstractSet[Pair]


def read_facts(texts: tuple[str, ...]) -> Facts:
    """Read the words of the facts of an answer; they are remembered."""
    return _FACTS[texts]


def _read_facts(texts: tuple[str, ...]) -> Facts:
    each = list(map(_FACT_WORDS.__getitem__, texts))
    return Facts(
        each,
        forms=frozenset().union(*[fact.forms for fact in each]),
        pairs=frozenset().union(*[fact.pairs for fact in each]),
    )


def _read_fact(text: str) -> FactWords:
    forms = [form for form, _ in tokenize(text)]
    return FactWords(frozenset(forms), tuple(_windows(forms)), frozenset(pairwise(forms)))


def _windows(forms: list[str]) -> Iterator[dict[str, int]]:
    """Find the windows of each piece; pieces overlap, so that each window is whole in one."""
    overlap = _WINDOW_POSITIONS - 1
    for start in range(0, max(1, len(forms) - overlap), _PIECE_POSITIONS):
        windows: dict[str, int] = {}
        for position, form in enumerate(forms[start : start + _PIECE_POSITIONS + overlap]):
            windows[form] = windows.get(form, 0) | _ALL_POSITIONS << position
        yield windows


_FACT_WORDS = FactMemory(_read_fact)
_FACTS = FactMemory(_read_facts)
