"""The sentences of facts that a claim is compared with."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from transforms.contradictions.dates import Date, may_agree
from transforms.contradictions.difference import NEAR_ENOUGH
from transforms.contradictions.quantities import Quantity
from transforms.contradictions.sentence import Sentence
from transforms.contradictions.units import Unit
from transforms.rules.cache import FactCache, lazy_property
from transforms.rules.sentences import locate_sentences

_MOST_READ = 64
"""So many sentences are read at most to find the nearest: there may be many equal ones."""


class Passage(NamedTuple):
    """A sentence of a fact, and the index of the fact."""

    sentence: Sentence
    fact: int


class Occurrence(NamedTuple):
    """A quantity of a fact, and its sentence.

    Attributes:
      place: the index of the sentence among the passages.
      quantity: the quantity.
      passage: the sentence.
    """

    place: int
    quantity: Quantity
    passage: Passage


class Tally:
    """The things and units that the facts count with one number.

    Attributes:
      is_bare: whether it stands somewhere without anything that it counts.
      counted: the forms of the things that it counts.
      by_unit: where it stands first with each unit.
      by_sentence: where it stands first with any unit in each sentence.
    """

    def __init__(self) -> None:
        self.is_bare = False
        self.counted: set[str] = set()
        self.by_unit: dict[Unit, Occurrence] = {}
        self.by_sentence: dict[Sentence, Occurrence] = {}

    def add(self, occurrence: Occurrence) -> None:
        """Count a place at which the number stands."""
        quantity = occurrence.quantity
        if quantity.unit:
            self.by_unit.setdefault(quantity.unit, occurrence)
            self.by_sentence.setdefault(occurrence.passage.sentence, occurrence)
        elif quantity.counted:
            self.counted.add(quantity.counted)
        else:
            self.is_bare = True

    def counts_like(self, own: Quantity) -> bool:
        """Whether the number stands somewhere with a quantity's unit, or what it counts."""
        if own.unit:
            return any(map(own.unit.is_same, self.by_unit))
        return own.counted in self.counted


class Passages:
    """The sentences of some facts.

    Args:
      read: returns the sentences, in order; called when they are first needed.
    """

    def __init__(self, read: Callable[[], list[Passage]]) -> None:
        self._read = read
        self._last: tuple[Sentence, Passage | None, int] | None = None

    @lazy_property
    def all(self) -> list[Passage]:
        """The sentences, in order."""
        return self._read()

    @lazy_property
    def tallies(self) -> dict[float | str, Tally]:
        """What each number of the sentences counts."""
        tallies: dict[float | str, Tally] = {}
        for place, passage in enumerate(self.all):
            for quantity in passage.sentence.quantities:
                tally = tallies.setdefault(quantity.value, Tally())
                tally.add(Occurrence(place, quantity, passage))
        return tallies

    def tells_date(self, date: Date) -> bool:
        """Whether any sentence has a date that agrees with one."""
        return any(
            may_agree(date, sentence.text) and any(map(date.agrees_with, sentence.dates))
            for sentence, _ in self.all
        )

    def states(self, form: str) -> bool:
        """Whether any sentence has a word and does not deny it."""
        return any(
            form in sentence.lower
            and form in sentence.statement.content
            and form not in sentence.denied
            for sentence, _ in self.all
        )

    def denies(self, form: str) -> bool:
        """Whether any sentence denies a word."""
        return any(sentence.denies(form) for sentence, _ in self.all)

    def nearest(self, claim: Sentence, least: float = NEAR_ENOUGH) -> Passage | None:
        """Find the sentence that shares most words with a claim.

        Args:
          claim: the claim.
          least: the share of the claim's words that the sentence must have, `NEAR_ENOUGH` or more.

        Returns:
          The first of equals; None if all share too few.
        """
        # A claim's dates, numbers and names are compared with the same sentence one by one.
        if self._last is None or self._last[0] is not claim:
            self._last = (claim, *self._nearest(claim))
        _, passage, shared = self._last
        return passage if shared >= _least_shared(claim, least) else None

    def _nearest(self, claim: Sentence) -> tuple[Passage | None, int]:
        """Find the nearest sentence, and the number of words that it shares with a claim."""
        content = claim.statement.content
        # Looking for the forms in the letters alone never misses one, and takes a tenth.
        at_most = [sum(map(sentence.lower.__contains__, content)) for sentence, _ in self.all]
        ranked = sorted(range(len(at_most)), key=at_most.__getitem__, reverse=True)
        best, most = None, _least_shared(claim, NEAR_ENOUGH) - 1
        for place in ranked[:_MOST_READ]:
            if at_most[place] <= most:
                break
            shared = len(content & self.all[place].sentence.statement.content)
            if shared > most:
                best, most = self.all[place], shared
        return best, most


def _least_shared(claim: Sentence, least: float) -> int:
    return max(1, math.ceil(least * len(claim.statement.content)))


def passages_of(facts: Sequence[tuple[int, str]]) -> Passages:
    """Return the sentences of facts, each of which comes with its index."""
    return Passages(
        lambda: [
            Passage(sentence, number) for number, fact in facts for sentence in sentences_of(fact)
        ]
    )


def _read_sentences(fact: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(text) for _, text in locate_sentences(fact))


_SENTENCES = FactCache(_read_sentences)


def sentences_of(fact: str) -> tuple[Sentence, ...]:
    """The sentences of a fact, remembered with what was read of each."""
    return _SENTENCES[fact]
