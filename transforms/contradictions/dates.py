"""Read dates: years, months and days."""

# ruff: noqa: SIM905 - a table of words reads best as text

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transforms.contradictions.numbers import CURRENCIES, SCALES, UNITS
from transforms.contradictions.tokenized_text import Token, TokenizedText

_NAMES = (
    "January February March April May June July August September October November December"
).split()
MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"Sept": 9}
_ALSO_WORDS = frozenset({"May", "March"})  # these are months only next to a number

WEEKDAYS = frozenset("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())

_YEAR = re.compile(r"\d{4}")
_ABBREVIATIONS = tuple(name[:3] for name in _NAMES)
_ABBREVIATION = re.compile("|".join(_ABBREVIATIONS))

_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_FIRST_YEAR, _LAST_YEAR = 1_000, 2_099
_LAST_DAY = 31
_ISO_CHARS, _YEAR_CHARS = 10, 4


class Date(NamedTuple):
    """A date, or a part of one; None for an absent part.

    Attributes:
      text: as it is written.
      is_decade: whether it is the ten years that start with `year`.
    """

    text: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    is_decade: bool = False

    def agrees_with(self, other: "Date") -> bool:
        """Return whether the dates have a part in common, and no part differs."""
        in_both = [(own, its) for own, its in self._parts(other) if own and its]
        return bool(in_both) and all(own == its for own, its in in_both)

    def shared_parts(self, other: "Date") -> int:
        """Return the number of equal parts."""
        return sum(own is not None and own == its for own, its in self._parts(other))

    def _parts(self, other: "Date") -> Iterator[tuple[int | None, int | None]]:
        if self.is_decade or other.is_decade:
            yield self.year and self.year // 10, other.year and other.year // 10
        else:
            yield self.year, other.year
        yield self.month, other.month
        yield self.day, other.day


def may_date(text: str) -> bool:
    """Return whether a text may contain a date."""
    return names_month(text) or _YEAR.search(text) is not None


def names_month(text: str) -> bool:
    """Return whether a text may contain the name of a month."""
    return _ABBREVIATION.search(text) is not None


def may_agree(date: Date, text: str) -> bool:
    """Return whether a text may contain a date that agrees with another."""
    year = date.year is not None and str(date.year)[:-1] in text
    month = date.month is not None and (
        _ABBREVIATIONS[date.month - 1] in text or f"-{date.month:02}-" in text
    )
    return year or month


def read_dates(sentence: TokenizedText) -> tuple[list[Date], set[int]]:
    """Return the dates of a sentence, and the indices of their tokens."""
    dates, used = [], set[int]()
    for find in (_around_month, _by_digits):
        for place in range(len(sentence.tokens)):
            if place not in used and (found := find(sentence, place)):
                date, places = found
                dates.append(date)
                used |= places
    return dates, used


def _around_month(sentence: TokenizedText, place: int) -> tuple[Date, set[int]] | None:
    """Read a date with the name of a month: 5 March 2019, March 5th, March 2019."""
    tokens = sentence.tokens
    month = MONTHS.get(tokens[place].text)
    if month is None:
        return None
    first, last = place, place
    day = _number(tokens, place + 1, range(1, _LAST_DAY + 1))
    if day:
        last = _skip_ordinal(tokens, place + 1)
    elif day := _number(tokens, before := _before_month(tokens, place), range(1, _LAST_DAY + 1)):
        first = before
    year = _year(tokens, last + 1)
    last += year is not None
    if tokens[place].text in _ALSO_WORDS and day is year is None:
        return None
    text = sentence.between(tokens[first], tokens[last])
    return Date(text, year, month, day), set(range(first, last + 1))


def _before_month(tokens: Sequence[Token], place: int) -> int:
    """Return the place of a day in front of its month: 5 March, 5th of March."""
    before = place - 1
    if before > 0 and tokens[before].text == "of":
        before -= 1
    if before > 0 and tokens[before].text in _ORDINALS:
        before -= 1
    return before


def _skip_ordinal(tokens: Sequence[Token], place: int) -> int:
    """Return the last place of a day: 5, 5th."""
    following = place + 1
    return following if following < len(tokens) and tokens[following].text in _ORDINALS else place


def _year(tokens: Sequence[Token], place: int) -> int | None:
    return _number(tokens, place, range(_FIRST_YEAR, _LAST_YEAR + 1))


def _number(tokens: Sequence[Token], place: int, valid: range) -> int | None:
    if not 0 <= place < len(tokens):
        return None
    text = tokens[place].text
    # Python refuses to read integers of more than 4,300 digits.
    is_short = len(text) <= _YEAR_CHARS and text.isdecimal()
    return int(text) if is_short and int(text) in valid else None


def _by_digits(sentence: TokenizedText, place: int) -> tuple[Date, set[int]] | None:
    """Read 2019-03-05, a single year, or a decade."""
    tokens = sentence.tokens
    token = tokens[place]
    if len(token.text) == _ISO_CHARS and token.text[_YEAR_CHARS] == "-":
        year, month, day = map(int, token.text.split("-"))
        return Date(token.text, year, month, day), {place}
    single_year = _year(tokens, place)
    if single_year is None or _is_amount(tokens, place):
        return None
    following = tokens[place + 1] if place + 1 < len(tokens) else token
    if following.text == "s" and following.start <= token.end + 1:
        text = sentence.between(token, following)
        return Date(text, single_year, is_decade=True), {place, place + 1}
    return Date(token.text, single_year), {place}


def _is_amount(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a number of four digits has a unit."""
    before = tokens[place - 1].text if place else ""
    behind = tokens[place + 1].text.lower() if place + 1 < len(tokens) else ""
    return before in CURRENCIES or behind in UNITS or behind in SCALES
