"""What claims are looked for in: the words of facts."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from transforms.grounding.local.claims import Pair
from transforms.grounding.local.tokens import tokenize
from transforms.rules.memory import REMEMBERED_FACTS

_WINDOW_POSITIONS = 60
"""Tokens that count as together; 40 and 100 rank as well, measured on RAGTruth's QA part."""

_ALL_POSITIONS = (1 << _WINDOW_POSITIONS) - 1


class FactWords(NamedTuple):
    """The words of one fact.

    Attributes:
      forms: the forms of its tokens.
      windows: the windows that hold a form, as a set of bits; bit n is the window whose last
        token is the fact's nth.
      pairs: the forms that stand side by side.
    """

    forms: frozenset[str]
    windows: dict[str, int]
    pairs: frozenset[Pair]


class Facts(NamedTuple):
    """The facts of a request: each by itself, and the pairs of them all."""

    each: list[FactWords]
    pairs: AbstractSet[Pair]


def read_facts(texts: Iterable[str]) -> Facts:
    """Read the words of facts."""
    each = list(map(_read_fact, texts))
    return Facts(each, frozenset().union(*[fact.pairs for fact in each]))


@lru_cache(maxsize=REMEMBERED_FACTS)
def _read_fact(text: str) -> FactWords:
    forms = [form for form, _ in tokenize(text)]
    windows: dict[str, int] = {}
    for position, form in enumerate(forms):
        windows[form] = windows.get(form, 0) | _ALL_POSITIONS << position
    return FactWords(frozenset(forms), windows, frozenset(pairwise(forms)))
