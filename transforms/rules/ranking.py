"""Choose the facts for a second look at claims that no single group of facts supports."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple, Protocol, TypeVar

from transforms.rules.limits import UNSPACED_SCRIPTS

_WORD = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\W{UNSPACED_SCRIPTS}]+")

_MOST_HOLDERS = 200
"""A word that stands in more facts does not tell which of them a claim needs."""

_MOST_CHOSEN = 4
"""Facts that are chosen for one claim; a claim rarely joins more."""

_LEAST_GAIN = 1e-9
"""What differences of the same weights leave by rounding is less."""


class WithText(Protocol):
    """Whatever is a text, or a part of one."""

    @property
    def text(self) -> str:
        """The text."""


FactLike = TypeVar("FactLike", bound=WithText)


class _Choice(NamedTuple):
    """A fact for a claim; the first of all choices is the best.

    Attributes:
      turn: 0 for the fact that shares most with the claim, 1 for the one that adds most to it, ...
      rest: the share of the claim's words, 0..1 by weight, that the fact does not add.
      fact: the fact's index.
    """

    turn: int
    rest: float
    fact: int


def best_facts(claims: Sequence[str], facts: Sequence[FactLike], most: int) -> tuple[FactLike, ...]:
    """Choose the facts that together hold most words of each claim.

    A claim's first fact is the one that shares most of its words, its next fact the one that shares
    most of the words that are left, and so on: a claim that joins two facts gets both. Every claim
    gets its first fact before any claim gets a second one. Rare words count more than frequent
    ones.

    Args:
      claims: the texts of the claims.
      facts: the facts, or parts of facts, to choose from.
      most: how many to keep, at least 1.

    Returns:
      At most that many, in their old order; of equals the earlier ones.
    """
    if len(facts) <= most:
        return tuple(facts)
    words_of = [sorted(_words(claim)) for claim in claims]
    holders = _holders(frozenset().union(*words_of), facts)
    choices = [
        choice for words in words_of for choice in _choices(words, holders, facts=len(facts))
    ]
    chosen = dict.fromkeys(choice.fact for choice in sorted(choices))
    ranked = [*chosen, *(index for index in range(len(facts)) if index not in chosen)]
    return tuple(facts[index] for index in sorted(ranked[:most]))


def _holders(words: frozenset[str], facts: Sequence[WithText]) -> dict[str, list[int]]:
    """Find the facts that hold each of some words; of a frequent word the first ones."""
    holders: dict[str, list[int]] = {word: [] for word in words}
    for index, fact in enumerate(facts):
        for word in words & _words(fact.text):
            if len(holders[word]) <= _MOST_HOLDERS:
                holders[word].append(index)
    return holders


def _choices(
    words: Sequence[str], holders: Mapping[str, Sequence[int]], facts: int
) -> Iterator[_Choice]:
    """Choose facts for one claim, each for the words that those before it lack.

    Args:
      words: the claim's, each once.
      holders: the facts that hold each word.
      facts: how many facts there are.

    Yields:
      First the facts that together hold most words, then all others that hold any.
    """
    weights = {word: log(1 + facts / max(1, len(holders[word]))) for word in words}
    left = {word: weights[word] for word in words if len(holders[word]) <= _MOST_HOLDERS}
    total = sum(weights.values())
    gains: dict[int, float] = {}
    for word, weight in left.items():
        for fact in holders[word]:
            gains[fact] = gains.get(fact, 0.0) + weight
    for fact, gain in gains.items():
        yield _Choice(_MOST_CHOSEN, 1 - gain / total, fact)
    for turn in range(_MOST_CHOSEN):
        best = max(gains, key=lambda fact: (gains[fact], -fact), default=None)
        if best is None or gains[best] < _LEAST_GAIN:
            return
        yield _Choice(turn, 1 - gains[best] / total, best)
        for word in [word for word in left if _holds(holders[word], best)]:
            weight = left.pop(word)
            for other in holders[word]:
                gains[other] -= weight


def _holds(holders: Sequence[int], fact: int) -> bool:
    place = bisect_left(holders, fact)
    return place < len(holders) and holders[place] == fact


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
