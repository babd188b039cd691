"""The sentences of facts, each parsed only if a claim may be compared with it."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from schemas.verdict import ContradictionKind
from transforms.contradictions.antonyms import ANTONYMS
from transforms.contradictions.numbers import Quantity, Unit, plain_numbers, read_values
from transforms.contradictions.parsed_sentence import ParsedSentence, words_behind_negations
from transforms.contradictions.tokenized_text import content_of
from transforms.rules.cache import CachedAttribute, FactCache
from transforms.rules.sentences import locate_sentences

_NEAR = 0.5  # a sentence with this share of a claim's content words is about the same topic


class Difference(NamedTuple):
    """A contradiction between a claim and a fact; the values are None if no fact has one."""

    kind: ContradictionKind
    claim_value: str
    fact_value: str | None = None
    fact: int | None = None


class NearSentence(NamedTuple):
    """A sentence of a fact, and how many content words it shares with a claim."""

    shared: int
    content: frozenset[str]
    sentence: ParsedSentence
    fact: int


class NumberUse(NamedTuple):
    """A quantity with a value that was looked for, and the index of its fact."""

    quantity: Quantity
    fact: int


NumberUses = dict[tuple[Unit | None, str | None], NumberUse]
"""By the unit of a number, or else by what it counts: the first such use, in order."""


class Passage:
    """A fact or a sentence of one, whose parts are read at their first use."""

    def __init__(self, text: str, *, is_sentence: bool = False) -> None:
        self.lower = text.lower()
        self._text, self._is_sentence = text, is_sentence
        self._parsed: dict[str, ParsedSentence] = {}

    @CachedAttribute
    def texts(self) -> list[str]:
        """The sentences, in order."""
        if self._is_sentence:
            return [self._text]
        return [text for _, text in locate_sentences(self._text)]

    @CachedAttribute
    def contents(self) -> list[frozenset[str]]:
        """The forms of the content words of each sentence."""
        return list(map(content_of, self.texts))

    @CachedAttribute
    def values(self) -> list[frozenset[float | str | None]]:
        """The values of the numbers of each sentence; None if one may have several words."""
        return list(map(read_values, self.texts))

    @CachedAttribute
    def opposites(self) -> frozenset[str]:
        """The forms of the antonyms of the words."""
        found = ANTONYMS.keys() & frozenset().union(*self.contents)
        return frozenset().union(*map(ANTONYMS.__getitem__, found))

    @CachedAttribute
    def numbers(self) -> frozenset[float | str]:
        """The numbers that are one word or written in digits."""
        return plain_numbers(self.lower)

    @CachedAttribute
    def maybe_negated(self) -> frozenset[str]:
        """The forms of the words that it may negate."""
        return words_behind_negations(self.lower)

    def parsed(self, text: str) -> ParsedSentence:
        """Return one of its sentences, parsed."""
        if text not in self._parsed:
            self._parsed[text] = ParsedSentence(text)
        return self._parsed[text]


class Sentences:
    """The sentences of some passages, each with the index of its fact."""

    def __init__(self, numbered: Sequence[tuple[int, Passage]]) -> None:
        self._numbered = numbered
        self._uses: dict[float | str, NumberUses] = {}

    @CachedAttribute
    def opposites(self) -> frozenset[str]:
        """The forms of the antonyms of the words."""
        return frozenset().union(*[passage.opposites for _, passage in self._numbered])

    def with_text(self, may_match: Callable[[str], bool]) -> Iterator[tuple[int, ParsedSentence]]:
        """Yield the sentences whose text may match, each behind the index of its fact."""
        for fact, passage in self._numbered:
            for text in filter(may_match, passage.texts):
                yield fact, passage.parsed(text)

    def with_word(self, form: str) -> Iterator[ParsedSentence]:
        """Yield the sentences that have a word."""
        for _, passage in self._numbered:
            for text, content in zip(passage.texts, passage.contents, strict=True):
                if form in content:
                    yield passage.parsed(text)

    def near(self, content: frozenset[str]) -> list[NearSentence]:
        """Return the sentences with half of a claim's content words, or one less."""
        least = max(1, math.ceil(_NEAR * (len(content) - 1)))
        found = []
        for fact, passage in self._numbered:
            for text, its_content in zip(passage.texts, passage.contents, strict=True):
                shared = len(content & its_content)
                if shared >= least:
                    found.append(NearSentence(shared, its_content, passage.parsed(text), fact))
        return found

    def uses_of(self, value: float | str) -> NumberUses:
        """Return what a number counts in the sentences, and where first."""
        if value not in self._uses:
            uses: NumberUses = {}
            self._uses[value] = uses
            for fact, sentence in self._with_number(value):
                for quantity in sentence.quantities:
                    if quantity.value == value:
                        use = quantity.unit, None if quantity.unit else quantity.counted
                        uses.setdefault(use, NumberUse(quantity, fact))
        return self._uses[value]

    def _with_number(self, value: float | str) -> Iterator[tuple[int, ParsedSentence]]:
        for fact, passage in self._numbered:
            for text, values in zip(passage.texts, passage.values, strict=True):
                if value in values or None in values:
                    yield fact, passage.parsed(text)


def nearest(near: Iterable[NearSentence], claim: ParsedSentence) -> NearSentence | None:
    """Return the first sentence with most, and at least half, of a claim's content words."""
    best = max(near, key=lambda each: each.shared, default=None)
    return best if best and best.shared >= _NEAR * len(claim.content) else None


passage_of = FactCache(Passage).__getitem__
"""Return a fact as a passage."""
