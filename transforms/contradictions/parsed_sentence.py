"""Parse a sentence of a claim or a fact, each part at its first use."""

from functools import cached_property
from itertools import islice

from schemas import Record
from transforms.contradictions.dates import Date, may_date, names_month, read_dates
from transforms.contradictions.names import Name, name_at_start, read_names
from transforms.contradictions.negation import has_negation, may_negate, read_negated
from transforms.contradictions.numbers import Quantity, may_count, read_quantities
from transforms.contradictions.tokenized_text import TokenizedText
from transforms.rules.cache import WordCache
from transforms.rules.english import may_name_source, may_refuse

NUMBER, MONTH, NEGATION, CAPITAL, SOURCE, REFUSAL = 1, 2, 4, 8, 16, 32
"""One bit for each kind of content."""

_MAX_DATES = _MAX_NAMES = 64  # per sentence; one with more is a list


class Features(Record, frozen=True):
    """The kinds of content that a text may have, as bits, detected word by word; nothing is missed.

    `capitals` are the words that may be names in lower case, with empty ones among them.
    """

    kinds: int
    capitals: list[str]


def read_features(text: str) -> Features:
    """Return what a text may contain."""
    kinds, capitals = 0, []
    for its_kinds, capital in map(features_of_word, text.split()):
        kinds |= its_kinds
        capitals.append(capital)
    return Features(kinds, without_first(text, capitals))


def without_first(text: str, capitals: list[str]) -> list[str]:
    """Drop the capital at the start of a text, which does not mark a name."""
    return capitals[1:] if name_at_start(text) else capitals


def _read_word(word: str) -> tuple[int, str]:
    lower, name = word.lower(), name_at_start(word)
    kinds = (
        NUMBER * may_count(lower)
        | MONTH * names_month(word)
        | NEGATION * has_negation(lower)
        | CAPITAL * bool(name)
        | SOURCE * may_name_source(word)
        | REFUSAL * may_refuse(word)
    )
    return kinds, name.lower()


features_of_word = WordCache(_read_word).__getitem__
"""Return the bits of a word without white space, and the name in it in lower case, if any."""


class ParsedSentence(TokenizedText):
    """A sentence, and what can be compared in it."""

    def __init__(self, text: str, features: Features | None = None) -> None:
        super().__init__(text)
        if features:
            self.features = features

    @cached_property
    def features(self) -> Features:
        """What it may contain."""
        return read_features(self.text)

    @cached_property
    def lower(self) -> str:
        """The sentence in lower case."""
        return self.text.lower()

    @cached_property
    def forms(self) -> frozenset[str]:
        """The forms of all tokens."""
        return frozenset(token.form for token in self.tokens)

    @cached_property
    def dates(self) -> list[Date]:
        """The dates."""
        return self._dates_and_places[0]

    @cached_property
    def quantities(self) -> list[Quantity]:
        """The numbers that belong to no date."""
        if not self.features.kinds & NUMBER:
            return []
        return read_quantities(self, self._dates_and_places[1])

    @cached_property
    def values(self) -> frozenset[float | str]:
        """The values of the numbers."""
        return frozenset(quantity.value for quantity in self.quantities)

    @cached_property
    def names(self) -> list[Name]:
        """The names."""
        return list(islice(read_names(self), _MAX_NAMES))

    @cached_property
    def negated(self) -> dict[str, str]:
        """The negated words: by form, the text from the negation to the word."""
        return read_negated(self) if self.features.kinds & NEGATION else {}

    @cached_property
    def may_negate(self) -> bool:
        """Whether it has any word by which it could negate something."""
        return may_negate(self.text)

    def negates(self, form: str) -> bool:
        """Return whether it negates a word; most sentences need not be parsed for that."""
        return form in self.lower and form in self.negated

    def spelling(self, form: str) -> str | None:
        """Return the spelling of a word, None if it does not contain the word."""
        return next((token.text for token in self.tokens if token.form == form), None)

    @cached_property
    def _dates_and_places(self) -> tuple[list[Date], set[int]]:
        if self.features.kinds & (NUMBER | MONTH) and may_date(self.text):
            dates, places = read_dates(self)
            return dates[:_MAX_DATES], places
        return [], set()
