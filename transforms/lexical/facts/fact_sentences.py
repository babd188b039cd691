"""The sentences of a fact, and what can be compared in a sentence."""

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, compress, pairwise, starmap
from math import ceil
from operator import itemgetter
from typing import NamedTuple

from groundwatch.transforms.lexical.language.cache import CachedAttribute, FactCache, WordCache
from groundwatch.transforms.lexical.language.modality import NEUTRAL
from groundwatch.transforms.lexical.language.negations import negations_in
from groundwatch.transforms.lexical.language.sentences import locate_sentences
from groundwatch.transforms.lexical.language.words import (
    NEGATION,
    VALUE,
    Token,
    content_of,
    form_of,
    read_tokens,
    read_words,
)
from groundwatch.transforms.lexical.reading.same_text import single_spaced
from groundwatch.transforms.lexical.values.read_values import VALUE_WORDS, read_values
from groundwatch.transforms.lexical.values.value import Value

_FEW, _MAX_NEAR = 40, 8
"""Of more sentences than a few, so many are compared, the first by rank."""

Rank = tuple[float, int, int]
"""A sentence's share of some words, how many others it has, and minus how many it has at all."""

_MIN_STEM = 4


def _stem(form: str) -> str:
    if not form.isascii() or len(form) < _MIN_STEM or form.endswith("ss"):
        return form
    for ending in ("ed", "es", "s", "d"):
        if form.endswith(ending):
            form = form.removesuffix(ending)
            break
    return form.removesuffix("e")


stem_of = WordCache(_stem, max_bytes=6_000_000).__getitem__
"""Return the form of a word without the ending of a plural or a past."""

VALUE_FORMS = frozenset(map(form_of, chain.from_iterable(map(str.split, VALUE_WORDS))))
"""The forms of the words that values have."""

VALUE_STEMS = frozenset(map(stem_of, VALUE_FORMS))
"""The stems of these."""

_BREAK = re.compile(r"[,;|]|\b(?:and|but|or|while|whereas|und|oder|et|ou|y|o|e)\b")
"""What stands between two entries."""

_VERB_CHARS = 4


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of a text's distinct content tokens."""
    return frozenset(map(stem_of, content_of(text)))


def is_among(stem: str, stems: AbstractSet[str]) -> bool:
    """Return whether a stem is one of some; the ending of a verb may differ."""
    begin = stem[:_VERB_CHARS]
    return stem in stems or (
        len(begin) == _VERB_CHARS
        and begin.isalpha()
        and any(each.startswith(begin) for each in stems)
    )


def places_in(spans: Iterable[tuple[int, int]]) -> AbstractSet[int]:
    """Return all places of a text that are in some spans."""
    return frozenset(chain.from_iterable(starmap(range, spans)))


class Entry(NamedTuple):
    """A part of a sentence with one value, as in "Basic 10 GB, Pro 50 GB".

    Attributes:
      value: the value.
      part: its text.
      text: how the sentence writes the value.
      before: the stems of the words in front of it.
      behind: those behind it.
    """

    value: Value
    part: str
    text: str
    before: frozenset[str]
    behind: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """The stems on both sides."""
        return self.before | self.behind


class ReadSentence:
    """A sentence with what can be compared in it, each read at its first use."""

    def __init__(self, text: str, signs: int) -> None:
        self.text = text
        self.signs = signs

    @CachedAttribute
    def tokens(self) -> list[Token]:
        """The tokens."""
        return read_tokens(self.text)

    @CachedAttribute
    def values(self) -> list[Value]:
        """The values."""
        return read_values(self.text) if self.signs & VALUE else []

    @CachedAttribute
    def negations(self) -> list[tuple[int, int]]:
        """The places of what negates; "mai" in a date does not."""
        if not self.signs & NEGATION:
            return []
        in_values = places_in([(value.start, value.end) for value in self.values])
        found = negations_in(self.text, self.tokens)
        return [(start, end) for start, end in found if start not in in_values]

    @CachedAttribute
    def content(self) -> list[Token]:
        """The content tokens that are neither in a value nor negate, in order."""
        taken = places_in([(value.start, value.end) for value in self.values] + self.negations)
        return [
            token
            for token in self.tokens
            if token.kind
            and token.lower not in NEUTRAL
            and (not taken or taken.isdisjoint(range(token.start, token.end)))
        ]

    @CachedAttribute
    def entries(self) -> list[Entry]:
        """The entries; values without a break between them have none."""
        text, values = self.text, [each for each in self.values if not each.is_label]
        breaks = [
            max((each.start() for each in _BREAK.finditer(text, one.end, two.start)), default=None)
            for one, two in pairwise(values)
        ]
        return [
            Entry(
                value,
                text[start:end],
                text[value.start : value.end],
                stems_of(text[start : value.start]),
                stems_of(text[value.end : end]),
            )
            for value, start, end in zip(values, [0, *breaks], [*breaks, len(text)], strict=False)
            if start is not None and end is not None
        ]

    @CachedAttribute
    def places(self) -> dict[str, list[int]]:
        """By form, the indices of the content tokens."""
        places: dict[str, list[int]] = {}
        for number, token in enumerate(self.content):
            places.setdefault(stem_of(token.form), []).append(number)
        return places


class FactSentences:
    """The sentences of a fact, and where its words are.

    Attributes:
      texts: the sentences, equal ones once.
      signs: of each, what it may have, as bits.
      contents: of each, the stems of its content tokens.
    """

    def __init__(self, fact: str) -> None:
        found = locate_sentences(single_spaced(fact))
        self.texts = list(dict.fromkeys([text for _, text in found]))
        self.signs: list[int] = []
        self.contents: list[frozenset[str]] = []
        for text in self.texts:
            words = read_words(text)
            self.signs.append(words.signs)
            self.contents.append(frozenset(map(stem_of, compress(words.forms, words.kinds))))
        self._read: dict[int, ReadSentence] = {}
        self._with_signs: dict[int, Sequence[int]] = {0: range(len(self.texts))}

    def has_value(self, value: Value) -> bool:
        """Return whether the fact has a value, in any spelling."""
        by_part = self._values_by_part
        # Dates are compared only with those that share a part.
        found = [by_part.get(part, ()) for part in value.date_parts]
        others = [by_part[None], *found] if found else by_part.values()
        return any(value.equals(other) for other in chain.from_iterable(others))

    @CachedAttribute
    def values(self) -> list[tuple[str, Value]]:
        """The values of all sentences, "one day" included, each behind its sentence."""
        numbers = [number for number, signs in enumerate(self.signs) if signs & VALUE]
        return [
            (self.texts[number], value) for number in numbers for value in self.read(number).values
        ]

    @CachedAttribute
    def _values_by_part(self) -> dict[tuple[int, int | None] | None, list[Value]]:
        """The values by each part of a date; under None those that are none."""
        by_part: dict[tuple[int, int | None] | None, list[Value]] = {None: []}
        for _, value in self.values:
            for part in value.date_parts or (None,):
                by_part.setdefault(part, []).append(value)
        return by_part

    @CachedAttribute
    def _index(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = {}
        for number, forms in enumerate(self.contents):
            for form in forms:
                index.setdefault(form, []).append(number)
        return index

    def with_signs(self, signs: int) -> Sequence[int]:
        """Return the sentences with one of some signs; all of them without signs."""
        if signs not in self._with_signs:
            self._with_signs[signs] = [n for n, each in enumerate(self.signs) if each & signs]
        return self._with_signs[signs]

    def near(
        self,
        words: AbstractSet[str],
        share: float,
        signs: int = 0,
        others: AbstractSet[str] = frozenset(),
    ) -> list[tuple[Rank, int]]:
        """Return the sentences with a share of some words, and with signs, behind their ranks."""
        if not words:
            return []
        least = share * len(words)
        contents = self.contents
        numbers = self.with_signs(signs)
        if len(numbers) > _FEW:
            # A sentence without any of so many words has less than the share.
            found = sorted([self._index.get(word, []) for word in words], key=len)
            numbers = sorted(
                set[int]().union(*found[: len(words) - ceil(least) + 1]).intersection(numbers)
            )
        near = [
            ((shared / len(words), len(others & content), -len(content)), number)
            for number in numbers
            if (shared := len(words & (content := contents[number]))) >= least
        ]
        if len(contents) > _FEW:
            near.sort(key=itemgetter(0), reverse=True)
            del near[_MAX_NEAR:]
        return near

    def read(self, number: int) -> ReadSentence:
        """Return a sentence, read."""
        if number not in self._read:
            self._read[number] = ReadSentence(self.texts[number], self.signs[number])
        return self._read[number]


sentences_of = FactCache(FactSentences).__getitem__
"""Return the sentences of a fact."""
