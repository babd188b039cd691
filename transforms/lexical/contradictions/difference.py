"""A claim beside the facts that it may contradict, and how it differs from one."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.facts.fact_sentences import (
    VALUE_STEMS,
    FactSentences,
    ReadSentence,
    stem_of,
    stems_of,
)
from groundwatch.transforms.lexical.language.cache import CachedAttribute
from groundwatch.transforms.lexical.language.words import ClaimWords, read_words
from groundwatch.transforms.lexical.values.limits import limit_of, limits_in
from groundwatch.transforms.lexical.values.numerals import BEFORE_TIME
from groundwatch.transforms.lexical.values.value import Value

ComparedFacts = Sequence[tuple[int, FactSentences]]
"""The facts with most of a claim's words, each behind its number."""

_VALUE_SIGNS = (
    *(*"$€£¥%", "May"),
    *(f"{word} " for each in BEFORE_TIME for word in (each, each.capitalize())),
)
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

    def __init__(self, words: ClaimWords, premises: Sequence[Value]) -> None:
        super().__init__(words.text, words.signs)
        self.words = words
        self.premises = premises
        self.numbers = frozenset(words.numbers)

    @CachedAttribute
    def values(self) -> list[Value]:
        """The values, read once for all comparisons."""
        return self.words.values

    @CachedAttribute
    def stated_values(self) -> list[Value]:
        """Its values that are not premises; a limit may be one only if the question has a limit."""
        return [each for each in self.values if not self._is_premise(each)]

    def _is_premise(self, value: Value) -> bool:
        equal = list(filter(value.equals, self.premises))
        is_limit = any(each.is_limit for each in equal)
        return bool(equal) and (is_limit or limit_of(self.text, value) is None)

    @CachedAttribute
    def plain_numbers(self) -> AbstractSet[str]:
        """The stems of its values without a unit, which may name what it is about: "lamp 36"."""
        plain = [self.text[each.start : each.end] for each in self.values if not each.units]
        return stems_of(" ".join(plain))

    @CachedAttribute
    def stems(self) -> AbstractSet[str]:
        """The stems of its content tokens without its numbers."""
        return frozenset(map(stem_of, self.words.distinct - self.numbers))

    @CachedAttribute
    def _value_stems(self) -> AbstractSet[str]:
        return VALUE_STEMS & self.stems

    @CachedAttribute
    def _value_signs(self) -> list[str]:
        return _value_signs_in(self.text)

    @CachedAttribute
    def _limits(self) -> frozenset[bool]:
        return limits_in(self.text)

    def may_have_other_units(self, sentences: FactSentences, place: int) -> bool:
        """Return whether a sentence has a number of the claim, and not all its units."""
        contents, text = sentences.contents[place], sentences.texts[place]
        has_units = self._value_stems <= contents and all(map(text.__contains__, self._value_signs))
        return not (has_units or self.numbers.isdisjoint(contents))

    def has_values_of(self, sentences: FactSentences, place: int) -> bool:
        """Return whether a sentence has the claim's values and no other ones; a fast test.

        Without a number it cannot know: "a day", "one month".
        """
        return (
            bool(self.numbers)
            and self.words.numbers == read_words(sentences.texts[place]).numbers()
            and self._value_stems == VALUE_STEMS & sentences.contents[place]
            and self._value_signs == _value_signs_in(sentences.texts[place])
            and self._limits == limits_in(sentences.texts[place])
        )


def _value_signs_in(text: str) -> list[str]:
    """Return the signs that a text has of those that values have."""
    return list(filter(text.__contains__, _VALUE_SIGNS))
