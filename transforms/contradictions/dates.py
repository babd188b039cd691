"""Dates as people write them, as far as they say year, month and day."""

# ruff: noqa: SIM905 - a table of words reads best as text

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transforms.contradictions.statement import Statement, Token
from transforms.contradictions.units import CURRENCIES, SCALES, UNITS

_NAMES = (
    "January February March April May June July August September October November December"
).split()
MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"Sept": 9}
_WORDS_TOO = frozenset({"May", "March"})
"""Months that are months only beside a number."""

WEEKDAYS = frozenset("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())

_YEAR = re.compile(r"\d{4}")
_BEGINNINGS = tuple(name[:3] for name in _NAMES)
_BEGINNING = re.compile("|".join(_BEGINNINGS))

_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_FIRST_YEAR, _LAST_YEAR = 1_000, 2_099
_LAST_DAY = 31
_ISO_CHARS, _YEAR_CHARS = 10, 4


class Date(NamedTuple):
    """A date, or a part of one; None for what is not said.

    Attributes:
      text: as it is written.
      is_decade: whether it is the ten years from `year` on.
    """

    text: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    is_decade: bool = False

    def agrees_with(self, other: "Date") -> bool:
        """Whether the two may be the same: they share a part, and no part differs."""
        told_by_both = [(own, its) for own, its in self._beside(other) if own and its]
        return bool(told_by_both) and all(own == its for own, its in told_by_both)

    def shared_parts(self, other: "Date") -> int:
        """How many parts both tell alike."""
        return sum(own is not None and own == its for own, its in self._beside(other))

    def _beside(self, other: "Date") -> Iterator[tuple[int | None, int | None]]:
        if self.is_decade or other.is_decade:
            yield self.year and self.year // 10, other.year and other.year // 10
        else:
            yield self.year, other.year
        yield self.month, other.month
        yield self.day, other.day


def may_date(text: str) -> bool:
    """Tell whether a text could hold a date."""
    return names_month(text) or _YEAR.search(text) is not None


def names_month(text: str) -> bool:
    """Tell whether a text could name a month."""
    return _BEGINNING.search(text) is not None


def may_agree(date: Date, text: str) -> bool:
    """Tell whether a text could hold a date that agrees with one."""
    year = date.year is not None and str(date.year)[:-1] in text
    month = date.month is not None and (
        _BEGINNINGS[date.month - 1] in text or f"-{date.month:02}-" in text
    )
    return year or month


def read_dates(statement: Statement) -> tuple[list[Date], set[int]]:
    """Find the dates of a statement.

    Returns:
      The dates, and the indices of the tokens that they are made of.
    """
    dates, used = [], set[int]()
    for find in (_around_month, _by_digits):
        for place in range(len(statement.tokens)):
            if place not in used and (found := find(statement, place)):
                date, places = found
                dates.append(date)
                used |= places
    return dates, used


def _around_month(statement: Statement, place: int) -> tuple[Date, set[int]] | None:
    """Read a date that names its month: 5 March 2019, March 5th, March 2019."""
    tokens = statement.tokens
    month = MONTHS.get(tokens[place].text)
    if month is None:
        return None
    first, last = place, place
    day = _day(tokens, place + 1)
    if day:
        last = _behind_ordinal(tokens, place + 1)
    elif day := _day(tokens, before := _before_month(tokens, place)):
        first = before
    year = _year(tokens, last + 1)
    last += year is not None
    if tokens[place].text in _WORDS_TOO and day is year is None:
        return None
    text = statement.between(tokens[first], tokens[last])
    return Date(text, year, month, day), set(range(first, last + 1))


def _before_month(tokens: Sequence[Token], place: int) -> int:
    """The place of a day before its month: 5 March, 5th of March."""
    before = place - 1
    if before > 0 and tokens[before].text == "of":
        before -= 1
    if before > 0 and tokens[before].text in _ORDINALS:
        before -= 1
    return before


def _behind_ordinal(tokens: Sequence[Token], place: int) -> int:
    """The last place of a day that may have an ordinal's end: 5, 5th."""
    following = place + 1
    return following if following < len(tokens) and tokens[following].text in _ORDINALS else place


def _day(tokens: Sequence[Token], place: int) -> int | None:
    if not 0 <= place < len(tokens):
        return None
    text = tokens[place].text
    # Python refuses to read integers of more than 4,300 digits.
    is_short = len(text) <= _YEAR_CHARS and text.isdecimal()
    return int(text) if is_short and 1 <= int(text) <= _LAST_DAY else None


def _year(tokens: Sequence[Token], place: int) -> int | None:
    if not 0 <= place < len(tokens):
        return None
    text = tokens[place].text
    is_year = len(text) == _YEAR_CHARS and text.isdecimal()
    return int(text) if is_year and _FIRST_YEAR <= int(text) <= _LAST_YEAR else None


def _by_digits(statement: Statement, place: int) -> tuple[Date, set[int]] | None:
    """Read 2019-03-05, a year by itself, or a decade."""
    tokens = statement.tokens
    token = tokens[place]
    if len(token.text) == _ISO_CHARS and token.text[_YEAR_CHARS] == "-":
        parts = [int(part) for part in token.text.split("-")]
        return Date(token.text, parts[0], parts[1], parts[2]), {place}
    year = _year(tokens, place)
    if year is None or _is_amount(tokens, place):
        return None
    following = tokens[place + 1] if place + 1 < len(tokens) else token
    if following.text == "s" and following.start <= token.end + 1:
        return Date(statement.between(token, following), year, is_decade=True), {place, place + 1}
    return Date(token.text, year), {place}


def _is_amount(tokens: Sequence[Token], place: int) -> bool:
    """Tell whether a number of four digits counts something."""
    before = tokens[place - 1].text if place else ""
    behind = tokens[place + 1].text.lower() if place + 1 < len(tokens) else ""
    return before in CURRENCIES or behind in UNITS or behind in SCALES
