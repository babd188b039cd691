"""What claims are looked for in: the words of facts."""

from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from transforms.grounding.local.claims import Pair
from transforms.grounding.local.tokens import tokenize
from transforms.rules.memory import REMEMBERED_FACTS, remembered_together

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
    """The facts of a request: each by itself, and the forms and pairs of them all."""

    each: list[FactWords]
    forms: AbstractSet[str]
    pairs: AbstractSet[Pair]


@remembered_together
def read_facts(texts: tuple[str, ...]) -> Facts:
    """Read the words of the facts of an answer."""
    each = list(map(_read_fact, texts))
    return Facts(
        each,
        forms=frozenset().union(*[fact.forms for fact in each]),
        pairs=frozenset().union(*[fact.pairs for fact in each]),
    )


@lru_cache(maxsize=REMEMBERED_FACTS)
def _read_fact(text: str) -> FactWords:
    forms = [form for form, _ in tokenize(text)]
    windows: dict[str, int] = {}
    for position, form in enumerate(forms):
        windows[form] = windows.get(form, 0) | _ALL_POSITIONS << position
    return FactWords(frozenset(forms), windows, frozenset(pairwise(forms)))
