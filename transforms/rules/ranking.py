"""Which facts are worth a second look: those that share most words with a claim."""

import heapq
import re
from collections.abc import Sequence
from typing import Protocol, TypeVar

from transforms.rules.limits import UNSPACED_SCRIPTS

_WORD = re.compile(rf"[{UNSPACED_SCRIPTS}]|[^\W{UNSPACED_SCRIPTS}]+")


class WithText(Protocol):
    """Whatever is a text, or a part of one."""

    @property
    def text(self) -> str:
        """The text."""


FactLike = TypeVar("FactLike", bound=WithText)


def best_facts(claims: Sequence[str], facts: Sequence[FactLike], most: int) -> tuple[FactLike, ...]:
    """Choose the facts nearest to any of the claims.

    Args:
      claims: the texts of the claims.
      facts: the facts, or parts of facts, to choose from.
      most: how many to keep, at least 1.

    Returns:
      At most that many, in their old order; of equals the earlier ones.
    """
    claim_words = [_words(claim) for claim in claims]
    nearness = [
        max(len(words & fact_words) / max(1, len(words)) for words in claim_words)
        for fact_words in (_words(fact.text) for fact in facts)
    ]
    chosen = heapq.nsmallest(most, range(len(facts)), key=lambda index: (-nearness[index], index))
    return tuple(facts[index] for index in sorted(chosen))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
