"""Read dates: years, months and days."""

# ruff: noqa: SIM905 - a table of words reads best as text

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from transforms.contradictions.numbers import CURRENCIES, SCALES, UNITS
from transforms.contradictions.tokenized_text import Token, TokenizedText
from transforms.rules.phrases import MONTH_NAMES

_NAMES = (
    "January February March April May June July August September October November December"
).split()
MONTHS = {name: number for number, name in enumerate(_NAMES, 1)}
MONTHS |= {name[:3]: number for name, number in MONTHS.items()} | {"Sept": 9}
# Those of other languages are months only next to a number.
_OTHER_MONTHS = {
    name: number
    for names in MONTH_NAMES.values()
    for number, name in enumerate(names, 1)
    if name not in MONTHS
}
MONTHS |= _OTHER_MONTHS
_SPELLINGS = {
    number: tuple(name for name, its_number in MONTHS.items() if its_number == number)
    for number in MONTHS.values()
}
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
CALENDAR_NAMES = frozenset({*MONTHS, *WEEKDAYS})
_ALSO_WORDS = frozenset({"May", "March", *_OTHER_MONTHS})  # these are months only next to a number
_YEAR = re.compile(r"\d{4}")
_ABBREVIATIONS = tuple(name[:3] for name in _NAMES)
_ABBREVIATION = re.compile("|".join(_ABBREVIATIONS))
_ORDINALS = frozenset({"st", "nd", "rd", "th", "er", "º"})
_OF = frozenset({"of", "de", "del", "di"})
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_DAY_FIRST = re.compile(r"(\d\d?)\.(\d\d?)\.(\d{4})")
_MARKS = "年月日"  # behind a year, a month and a day
_YEARS, _MONTHS, _DAYS = range(1_000, 2_100), range(1, 13), range(1, 32)
_YEAR_CHARS = 4


class Date(NamedTuple):
    """A date, or a part of one; a decade is the ten years that start with `year`."""

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


def may_name_year(text: str) -> bool:
    """Return whether a text may contain a year."""
    return _YEAR.search(text) is not None


def names_month(word: str) -> bool:
    """Return whether a word without marks around it may contain the name of a month."""
    if _ABBREVIATION.search(word) is not None or "月" in word:
        return True
    return word in _OTHER_MONTHS


def may_agree(date: Date, text: str) -> bool:
    """Return whether a text may contain a date that agrees with another."""
    year = date.year is not None and str(date.year)[:-1] in text
    month = date.month is not None and (
        any(map(text.__contains__, _SPELLINGS[date.month]))
        or f"-{date.month:02}-" in text
        or f"{date.month}月" in text
    )
    return year or month


def read_dates(sentence: TokenizedText) -> tuple[list[Date], set[int]]:
    """Return the dates of a sentence, and the indices of their tokens."""
    dates, used = [], set[int]()
    months = [place for place, token in enumerate(sentence.tokens) if token.text in MONTHS]
    numbers = [place for place, token in enumerate(sentence.tokens) if token.is_number]
    for find, places_of_kind in (
        (_around_month, months),
        (_before_marks, numbers),
        (_by_digits, numbers),
        (_single_year, numbers),
    ):
        for place in places_of_kind:
            if place not in used and (found := find(sentence, place)):
                date, places = found
                dates.append(date)
                used |= places
    return dates, used


def _around_month(sentence: TokenizedText, place: int) -> tuple[Date, set[int]] | None:
    """Read a date with the name of a month: 5 March 2019, March 5th, 5th of March, March 2019."""
    tokens = sentence.tokens
    month = MONTHS[tokens[place].text]
    first = last = place
    if day := _number(tokens, place + 1, _DAYS):
        last += 1
        last += last + 1 < len(tokens) and tokens[last + 1].text in _ORDINALS
    else:
        before = place - 1
        before -= before > 0 and tokens[before].text in _OF
        before -= before > 0 and tokens[before].text in _ORDINALS
        if day := _number(tokens, before, _DAYS):
            first = before
    behind = last + 1 + (last + 1 < len(tokens) and tokens[last + 1].text in _OF)
    if year := _number(tokens, behind, _YEARS):
        last = behind
    if tokens[place].text in _ALSO_WORDS and day is year is None:
        return None
    text = sentence.between(tokens[first], tokens[last])
    return Date(text, year, month, day), set(range(first, last + 1))


def _number(tokens: Sequence[Token], place: int, valid: range) -> int | None:
    if not 0 <= place < len(tokens):
        return None
    text = tokens[place].text
    # Python refuses to read integers of more than 4,300 digits.
    is_short = len(text) <= _YEAR_CHARS and text.isdecimal()
    return int(text) if is_short and int(text) in valid else None


def _by_digits(sentence: TokenizedText, place: int) -> tuple[Date, set[int]] | None:
    """Read 2019-03-05 and 5.3.2019."""
    text = sentence.tokens[place].text
    if found := _ISO.fullmatch(text):
        year, month, day = map(int, found.groups())
    elif found := _DAY_FIRST.fullmatch(text):
        day, month, year = map(int, found.groups())
    if not found or day not in _DAYS or month not in _MONTHS:
        return None
    return Date(text, year, month, day), {place}


def _single_year(sentence: TokenizedText, place: int) -> tuple[Date, set[int]] | None:
    """Read a single year or a decade; not a number with a unit."""
    tokens = sentence.tokens
    token = tokens[place]
    single_year = _number(tokens, place, _YEARS)
    if single_year is None or (place and tokens[place - 1].text in CURRENCIES):
        return None
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following is None:
        return Date(token.text, single_year), {place}
    if (word := following.text.lower()) in UNITS or word in SCALES or _counts(token, following):
        return None
    if following.text == "s" and following.start <= token.end + 1:
        text = sentence.between(token, following)
        return Date(text, single_year, is_decade=True), {place, place + 1}
    return Date(token.text, single_year), {place}


def _before_marks(sentence: TokenizedText, place: int) -> tuple[Date, set[int]] | None:
    """Read the parts of 2019年3月5日; 5年 and 5日 alone are numbers."""
    tokens, behind = sentence.tokens, place
    parts: list[int | None] = []
    for mark, valid in zip(_MARKS, (_YEARS, _MONTHS, _DAYS), strict=True):
        is_marked = behind + 1 < len(tokens) and tokens[behind + 1].text == mark
        parts.append(_number(tokens, behind, valid) if is_marked else None)
        behind += 2 * (parts[-1] is not None)
    year, month, day = parts
    if year is month is None:
        return None
    text = sentence.between(tokens[place], tokens[behind - 1])
    return Date(text, year, month, day), set(range(place, behind))


def _counts(number: Token, following: Token) -> bool:
    """Return whether a Chinese or Japanese word directly behind a number says what it counts."""
    return following.start == number.end and following.text >= "\u3400"
