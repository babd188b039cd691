"""Choose the facts for a second check of claims that no single group of facts supports."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple, Protocol, TypeVar

from transforms.rules.limits import UNSPACED_SCRIPTS

_WORD = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\W{UNSPACED_SCRIPTS}]+")

_MAX_HOLDERS = 200
"""A word in more facts does not discriminate between them."""

_MAX_CHOSEN = 4
"""Facts that are chosen for one claim; a claim rarely combines more."""

_MIN_GAIN = 1e-9
"""Rounding leaves less than this of equal weights."""


class WithText(Protocol):
    """A text, or a part of one."""

    @property
    def text(self) -> str:
        """The text."""


FactLike = TypeVar("FactLike", bound=WithText)


class _Choice(NamedTuple):
    """A fact for a claim; choices are sorted, the best first.

    Attributes:
      turn: 0 for the fact that shares most with the claim, 1 for the one that adds most to it, ...
      rest: the share of the claim's words, 0..1 by weight, that the fact does not add.
      fact: the fact's index.
    """

    turn: int
    rest: float
    fact: int


def best_facts(
    claims: Sequence[str], facts: Sequence[FactLike], max_facts: int
) -> tuple[FactLike, ...]:
    """Choose the facts that together contain most words of each claim.

    A claim's first fact shares most of its words, its next fact most of the remaining words, and so
    on: a claim that combines two facts gets both. Every claim gets its first fact before any claim
    gets a second one. Rare words have more weight than frequent ones.

    Args:
      claims: the texts of the claims.
      facts: the facts, or parts of facts.
      max_facts: how many to keep, at least 1.

    Returns:
      At most that many, in their order; of equal facts the first ones.
    """
    if len(facts) <= max_facts:
        return tuple(facts)
    words_of = [sorted(_words(claim)) for claim in claims]
    holders = _holders(frozenset().union(*words_of), facts)
    choices = [
        choice for words in words_of for choice in _choices(words, holders, facts=len(facts))
    ]
    chosen = dict.fromkeys(choice.fact for choice in sorted(choices))
    ranked = [*chosen, *(index for index in range(len(facts)) if index not in chosen)]
    return tuple(facts[index] for index in sorted(ranked[:max_facts]))


def _holders(words: frozenset[str], facts: Sequence[WithText]) -> dict[str, list[int]]:
    """Return the facts that contain each word; of a frequent word the first ones."""
    holders: dict[str, list[int]] = {word: [] for word in words}
    for index, fact in enumerate(facts):
        for word in words & _words(fact.text):
            if len(holders[word]) <= _MAX_HOLDERS:
                holders[word].append(index)
    return holders


def _choices(
    words: Sequence[str], holders: Mapping[str, Sequence[int]], facts: int
) -> Iterator[_Choice]:
    """Choose facts for the distinct words of one claim, each for the words that others lack."""
    weights = {word: log(1 + facts / max(1, len(holders[word]))) for word in words}
    left = {word: weights[word] for word in words if len(holders[word]) <= _MAX_HOLDERS}
    total = sum(weights.values())
    gains: dict[int, float] = {}
    for word, weight in left.items():
        for fact in holders[word]:
            gains[fact] = gains.get(fact, 0.0) + weight
    for fact, gain in gains.items():
        yield _Choice(_MAX_CHOSEN, 1 - gain / total, fact)
    for turn in range(_MAX_CHOSEN):
        best = max(gains, key=lambda fact: (gains[fact], -fact), default=None)
        if best is None or gains[best] < _MIN_GAIN:
            return
        yield _Choice(turn, 1 - gains[best] / total, best)
        for word in [word for word in left if _contains(holders[word], best)]:
            weight = left.pop(word)
            for other in holders[word]:
                gains[other] -= weight


def _contains(holders: Sequence[int], fact: int) -> bool:
    place = bisect_left(holders, fact)
    return place < len(holders) and holders[place] == fact


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
