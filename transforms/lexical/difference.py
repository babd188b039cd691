"""A claim beside the facts that it may contradict, and how it differs from one."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.cache import CachedAttribute
from groundwatch.transforms.lexical.fact_sentences import (
    VALUE_STEMS,
    FactSentences,
    ReadSentence,
    stem_of,
)
from groundwatch.transforms.lexical.words import ClaimWords, TokenKind

ComparedFacts = Sequence[tuple[int, FactSentences]]
"""The facts with most of a claim's words, each behind its number."""

_NAME = int(TokenKind.NAME)
_VALUE_SIGNS = (*"$€£¥%", "May", "dos ", "Dos ", "due ", "Due ")
"""Parts of values that are no content tokens."""


class Difference(NamedTuple):
    """What a claim says and what a fact says instead, as they are written.

    Attributes:
      kind: by what they differ.
      claim_value: what the claim says.
      fact_value: what the fact says.
      fact: the number of the fact.
    """

    kind: ContradictionKind
    claim_value: str
    fact_value: str
    fact: int


class ComparedClaim(ReadSentence):
    """A claim with what of it is compared, each read at its first use.

    Attributes:
      words: its words.
      numbers: the forms of its numbers.
    """

    def __init__(self, words: ClaimWords) -> None:
        super().__init__(words.text, words.signs)
        self.words = words
        self.numbers = frozenset(words.numbers)

    @CachedAttribute
    def stems(self) -> AbstractSet[str]:
        """The stems of its content tokens without its numbers."""
        return frozenset(map(stem_of, self.words.distinct - self.numbers))

    @CachedAttribute
    def capitals(self) -> AbstractSet[str]:
        """The stems of its words with a capital, the first one included, beside those of values."""
        pairs = zip(self.words.forms, self.words.kinds, strict=True)
        return frozenset(stem_of(form) for form, kind in pairs if kind == _NAME) - VALUE_STEMS

    @CachedAttribute
    def _value_stems(self) -> AbstractSet[str]:
        return VALUE_STEMS & self.stems

    @CachedAttribute
    def _value_signs(self) -> list[str]:
        return value_signs(self.text)

    @CachedAttribute
    def may_have_unit(self) -> bool:
        """Whether it has words or signs of values beside its numbers."""
        # The form of "second" is a number.
        return bool(self._value_stems or self._value_signs or "second" in self.text)

    def has_values_in(self, sentences: FactSentences, place: int) -> bool:
        """Return whether a sentence has its values as they are spelled; a fast test."""
        contents = sentences.contents[place]
        return (
            self.numbers <= contents
            and self._value_stems <= contents
            and self._value_signs == value_signs(sentences.texts[place])
        )


def value_signs(text: str) -> list[str]:
    """Return the signs that a text has of those that values have."""
    return list(filter(text.__contains__, _VALUE_SIGNS))
