"""The sentences of facts that a claim is compared with."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from transforms.rules.memory import FactMemory, read_once
from transforms.rules.mismatches.reading.dates import Date, may_agree
from transforms.rules.mismatches.reading.quantities import Quantity
from transforms.rules.mismatches.sentence import Sentence
from transforms.rules.sentences import split_sentences

_MOST_READ = 64
"""So many sentences are read at most to find the nearest: there may be many equal ones."""


class Passage(NamedTuple):
    """A sentence of a fact, and the index of the fact."""

    sentence: Sentence
    fact: int


class Passages:
    """The sentences of some facts.

    Args:
      facts: indices and texts.
    """

    def __init__(self, facts: Iterable[tuple[int, str]]) -> None:
        self._facts = facts

    @read_once
    def all(self) -> list[Passage]:
        """The sentences, in order."""
        return [
            Passage(sentence, number)
            for number, fact in self._facts
            for sentence in sentences_of(fact)
        ]

    @read_once
    def quantities(self) -> list[tuple[Quantity, Passage]]:
        """All numbers, and where they stand."""
        return [(each, passage) for passage in self.all for each in passage.sentence.quantities]

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

    def nearest(self, claim: Sentence, least: float) -> Passage | None:
        """Find the sentence that shares most words with a claim.

        Args:
          claim: the claim.
          least: 0..1, the share of the claim's words that the sentence must have.

        Returns:
          The first of equals; None if all share too few.
        """
        content = claim.statement.content
        # Looking for the forms in the letters alone never misses one, and takes a tenth.
        at_most = [sum(map(sentence.lower.__contains__, content)) for sentence, _ in self.all]
        ranked = sorted(range(len(at_most)), key=at_most.__getitem__, reverse=True)
        best, most = None, max(1, math.ceil(least * len(content))) - 1
        for place in ranked[:_MOST_READ]:
            if at_most[place] <= most:
                break
            shared = len(content & self.all[place].sentence.statement.content)
            if shared > most:
                best, most = self.all[place], shared
        return best


def _read_sentences(fact: str) -> tuple[Sentence, ...]:
    return tuple(Sentence(sentence.text) for sentence in split_sentences(fact))


_SENTENCES = FactMemory(_read_sentences)


def sentences_of(fact: str) -> tuple[Sentence, ...]:
    """The sentences of a fact, remembered with what was read of each."""
    return _SENTENCES[fact]
