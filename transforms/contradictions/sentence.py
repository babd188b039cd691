"""A sentence of a claim or a fact, read as far as anybody asks."""

from itertools import islice

from transforms.contradictions.dates import Date, may_date, read_dates
from transforms.contradictions.names import Name, read_names
from transforms.contradictions.negation import may_deny, read_denials
from transforms.contradictions.quantities import Quantity, read_quantities
from transforms.contradictions.signs import DENIAL, MONTH, NUMBER, Signs, read_signs
from transforms.contradictions.statement import Statement
from transforms.rules.cache import lazy_property

_MOST_DATES = _MOST_NAMES = 64
"""Of one sentence; one with more is a list."""


class Sentence:
    """A sentence and what can be compared in it.

    Args:
      text: the sentence.
      signs: what it could hold, if that is known.
    """

    def __init__(self, text: str, signs: Signs | None = None) -> None:
        self.text = text
        if signs:
            self.signs = signs

    @lazy_property
    def signs(self) -> Signs:
        """What it could hold."""
        return read_signs(self.text)

    @lazy_property
    def lower(self) -> str:
        """The sentence in lower case."""
        return self.text.lower()

    @lazy_property
    def statement(self) -> Statement:
        """Its tokens."""
        return Statement(self.text)

    @lazy_property
    def dates(self) -> list[Date]:
        """The dates in it."""
        return self._dates_and_places[0]

    @lazy_property
    def quantities(self) -> list[Quantity]:
        """The numbers in it that belong to no date."""
        if not self.signs.kinds & NUMBER:
            return []
        return read_quantities(self.statement, self._dates_and_places[1])

    @lazy_property
    def values(self) -> frozenset[float | str]:
        """The values of its numbers."""
        return frozenset(quantity.value for quantity in self.quantities)

    @lazy_property
    def forms(self) -> frozenset[str]:
        """The forms of all its tokens."""
        return frozenset(token.form for token in self.statement.tokens)

    @lazy_property
    def names(self) -> list[Name]:
        """The names in it."""
        return list(islice(read_names(self.statement), _MOST_NAMES))

    @lazy_property
    def denied(self) -> dict[str, str]:
        """What it denies, as it is written, by the form of the denied word."""
        return read_denials(self.statement) if self.signs.kinds & DENIAL else {}

    def denies(self, form: str) -> bool:
        """Whether it denies a word; its letters are looked for before it is read."""
        return form in self.lower and form in self.denied

    @lazy_property
    def may_deny(self) -> bool:
        """Whether it could deny anything, in whatever words."""
        return may_deny(self.text)

    def spelling(self, form: str) -> str | None:
        """How the sentence writes a word, None if it has no such word."""
        return next((t.text for t in self.statement.tokens if t.form == form), None)

    def resembles(self, claim: "Sentence", least: float) -> bool:
        """Whether it has at least a share, 0..1, of the words of a claim that say something."""
        content = claim.statement.content
        return len(content & self.statement.content) >= least * len(content)

    @lazy_property
    def _dates_and_places(self) -> tuple[list[Date], set[int]]:
        if self.signs.kinds & (NUMBER | MONTH) and may_date(self.text):
            dates, places = read_dates(self.statement)
            return dates[:_MOST_DATES], places
        return [], set()
