"""The sentences of facts that a claim is compared with."""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from transforms.contradictions.dates import Date, may_agree
from transforms.contradictions.numbers import Quantity
from transforms.contradictions.parsed_sentence import ParsedSentence
from transforms.contradictions.units import Unit
from transforms.rules.cache import FactCache
from transforms.rules.sentences import locate_sentences

_MIN_SHARE = 0.5
"""A sentence with this share of a claim's content words is about the same topic."""

_MAX_PARSED = 64
"""Sentences that are parsed to find the nearest one: many may share equally many words."""


class Passage(NamedTuple):
    """A sentence of a fact, and the index of the fact."""

    sentence: ParsedSentence
    fact: int


class Occurrence(NamedTuple):
    """A quantity of a fact, and its sentence, which has the index `place`."""

    place: int
    quantity: Quantity
    passage: Passage


class NumberUses:
    """What the facts count with one number.

    Attributes:
      is_bare: whether it occurs without a unit or a thing that it counts.
      counted: the forms of the things that it counts.
      by_unit: its first occurrence with each unit.
      by_sentence: its first occurrence with a unit in each sentence.
    """

    def __init__(self) -> None:
        self.is_bare = False
        self.counted: set[str] = set()
        self.by_unit: dict[Unit, Occurrence] = {}
        self.by_sentence: dict[ParsedSentence, Occurrence] = {}

    def add(self, occurrence: Occurrence) -> None:
        """Add an occurrence; they come in order."""
        quantity = occurrence.quantity
        if quantity.unit:
            self.by_unit.setdefault(quantity.unit, occurrence)
            self.by_sentence.setdefault(occurrence.passage.sentence, occurrence)
        elif quantity.counted:
            self.counted.add(quantity.counted)
        else:
            self.is_bare = True

    def counts_like(self, own: Quantity) -> bool:
        """Return whether the number occurs with a quantity's unit, or what it counts."""
        if own.unit:
            return any(map(own.unit.may_equal, self.by_unit))
        return own.counted in self.counted


class Passages:
    """The sentences of some facts.

    Args:
      read: returns the sentences, in order; called at the first use.
    """

    def __init__(self, read: Callable[[], list[Passage]]) -> None:
        self._read = read
        self._last: tuple[ParsedSentence, Passage | None, int] | None = None

    @cached_property
    def all(self) -> list[Passage]:
        """The sentences, in order."""
        return self._read()

    @cached_property
    def number_uses(self) -> dict[float | str, NumberUses]:
        """What each number of the sentences counts."""
        uses: dict[float | str, NumberUses] = {}
        for place, passage in enumerate(self.all):
            for quantity in passage.sentence.quantities:
                uses.setdefault(quantity.value, NumberUses()).add(
                    Occurrence(place, quantity, passage)
                )
        return uses

    def has_date(self, date: Date) -> bool:
        """Return whether a sentence has a date that agrees with another."""
        return any(
            may_agree(date, sentence.text) and any(map(date.agrees_with, sentence.dates))
            for sentence, _ in self.all
        )

    def affirms(self, form: str) -> bool:
        """Return whether a sentence has a word and does not negate it."""
        return any(
            form in sentence.lower and form in sentence.content and form not in sentence.negated
            for sentence, _ in self.all
        )

    def negates(self, form: str) -> bool:
        """Return whether a sentence negates a word."""
        return any(sentence.negates(form) for sentence, _ in self.all)

    def nearest(self, claim: ParsedSentence, min_share: float = _MIN_SHARE) -> Passage | None:
        """Find the sentence that shares most content words with a claim.

        Args:
          claim: the claim.
          min_share: 0.5..1, the share of the claim's content words that the sentence must have.

        Returns:
          The first of several; None if all share too few words.
        """
        # The dates, numbers and names of a claim are compared with the same sentence.
        if self._last is None or self._last[0] is not claim:
            self._last = (claim, *self._nearest(claim))
        _, passage, shared = self._last
        return passage if shared >= _min_shared(claim, min_share) else None

    def _nearest(self, claim: ParsedSentence) -> tuple[Passage | None, int]:
        """Return the nearest sentence, and the number of words that it shares with a claim."""
        # A search for the forms as substrings finds at least all of them, in a tenth of the time.
        upper_bounds = [
            sum(map(sentence.lower.__contains__, claim.content)) for sentence, _ in self.all
        ]
        ranked = sorted(range(len(upper_bounds)), key=upper_bounds.__getitem__, reverse=True)
        best, most = None, _min_shared(claim, _MIN_SHARE) - 1
        for place in ranked[:_MAX_PARSED]:
            if upper_bounds[place] <= most:
                break
            shared = len(claim.content & self.all[place].sentence.content)
            if shared > most:
                best, most = self.all[place], shared
        return best, most


def _min_shared(claim: ParsedSentence, min_share: float) -> int:
    return max(1, math.ceil(min_share * len(claim.content)))


def passages_of(facts: Sequence[tuple[int, str]]) -> Passages:
    """Return the sentences of facts, each given with its index."""
    return Passages(
        lambda: [
            Passage(sentence, number) for number, fact in facts for sentence in sentences_of(fact)
        ]
    )


sentences_of = FactCache[str, tuple[ParsedSentence, ...]](
    lambda fact: tuple(ParsedSentence(text) for _, text in locate_sentences(fact))
).__getitem__
"""Return the parsed sentences of a fact."""
