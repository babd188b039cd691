"""Read dates and times in a text."""

import re
from collections.abc import Callable, Sequence

from groundwatch.transforms.lexical.language.phrases import MONTH_NAMES, any_of, key_of
from .value import DATE, HALF_DAY, HOUR, TIME, Parts, Value

MONTHS_IN_ENGLISH = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
MONTHS = {name[:3]: number for number, name in enumerate(MONTHS_IN_ENGLISH, 1)} | {"sept": 9}
for _names in (*MONTH_NAMES.values(), MONTHS_IN_ENGLISH):
    MONTHS |= {name.lower(): number for number, name in enumerate(_names, 1)}
_SURE_MONTHS = frozenset(name.capitalize() for name in MONTHS_IN_ENGLISH) - {"March", "May"}
"""Months even without a number beside them."""

_YEARS, _MONTH_NUMBERS, _DAYS = range(1000, 2100), range(1, 13), range(1, 32)
_MAX_HOUR = 23
_MONTH = rf"(?P<month>{any_of(MONTHS)})(?!\w)\.?"
_OF = r"(?:of |de |del |di )?"
_ISO = re.compile(
    r"(\d{4})(?P<dash>[-/])(\d\d?)(?P=dash)(\d\d?)(?!\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_BY_DIGITS = re.compile(r"(\d\d?)(?P<mark>[./-])(\d\d?)(?P=mark)(\d{4})(?!\d)")
_DAY_FIRST = re.compile(
    rf"(\d\d?)(?:st|nd|rd|th|er|\.|º)? {{0,2}}{_OF}{_MONTH}(?:,? {_OF}(\d{{4}})(?!\d))?",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"{_MONTH}(?: (\d\d?)(?:st|nd|rd|th)?(?![\d:%]|[.,]\d| ?[ap]\.?m))?"
    rf"(?:,? {_OF}(\d{{4}})(?!\d))?",
    re.IGNORECASE,
)
_CJK_DATE = re.compile(
    r"(?:(\d{4})\s?[年년]\s?)(?:(\d\d?)\s?[月월]\s?)?(?:(\d\d?)\s?[日일])?|()(\d\d?)\s?[月월]\s?(\d\d?)?"
)
_DECADE = re.compile(r"(\d\d|)(\d0)\s?['\u2019]?s(?!\w)")
_TIME = re.compile(r"(\d\d?)(?:[:.](\d\d))?\s?([ap])\.?m\b\.?", re.IGNORECASE)
_CLOCK = re.compile(r"(\d\d?):(\d\d)(?::\d\d)?(?![\d:])(?:\s(?:Uhr|uur|h)\b)?")
_EUROPEAN = re.compile(
    r"(\d\d?)\s?(?:Uhr\b|uur\b|h(?=[\d\s.,;:!?)]|$)|[時时点點](?![間间]))\s?([0-5]\d(?!\d))?"
)


def _iso(found: re.Match[str]) -> Sequence[Value]:
    year, _, month, day = found.groups()
    dates = _date(*found.span(), (int(year), int(month), int(day)))
    # A time behind it is a machine's.
    return [each._replace(is_implied="T" in found[0]) for each in dates]


def _in_digits(found: re.Match[str]) -> Sequence[Value]:
    """Read 31/12/2025 and 12/31/2025; 03/04/2025 may be a day in March or in April."""
    one, mark, two, year = found.groups()
    readings = [(int(year), int(two), int(one))]
    if mark != ".":
        readings.append((int(year), int(one), int(two)))
    return _date(*found.span(), *readings)


def _day_first(found: re.Match[str]) -> Sequence[Value]:
    day, month, year = found.groups()
    end = found.end() if year else found.end("month")
    return _date(found.start(), end, (_number(year), MONTHS[key_of(month)], int(day)))


def month_first(text: str, start: int) -> Sequence[Value]:
    """Read a date that begins with the name of a month: "March 4th, 2025", "May 2024".

    >>> [date.dates for date in month_first("March 4th, 2025", 0)]
    [((2025, 3, 4),)]
    """
    found = _MONTH_FIRST.match(text, start)
    if not found:
        return ()
    month, day, year = found.groups()
    if not (day or year or month in _SURE_MONTHS):
        return ()
    end = found.end() if day or year else start + len(month)
    return _date(start, end, (_number(year), MONTHS[key_of(month)], _number(day)))


def _cjk(found: re.Match[str]) -> Sequence[Value]:
    month, day = (found[2], found[3]) if found[1] else (found[5], found[6])
    return _date(*found.span(), (_number(found[1]), _number(month), _number(day)))


def _decade(found: re.Match[str]) -> Sequence[Value]:
    """Read 1990s and '90s as the year 1990 or 90 of any century."""
    century = int(found[1]) if found[1] else None
    years = [century] if century else [18, 19, 20]
    dates = tuple([(each * 100 + int(found[2]), None, None) for each in years])
    return [Value(DATE, *found.span(), dates=dates, is_decade=True)]


def _date(start: int, end: int, *readings: Parts) -> Sequence[Value]:
    dates = tuple(
        (year, month, day)
        for year, month, day in readings
        if (year is None or year in _YEARS)
        and (month is None or month in _MONTH_NUMBERS)
        and (day is None or day in _DAYS)
    )
    return [Value(DATE, start, end, dates=dates)] if dates else ()


def _half_day(found: re.Match[str]) -> Sequence[Value]:
    hour, minute, half = found.groups()
    minutes = int(hour) % 12 * HOUR + int(minute or 0) + HALF_DAY * (half in "pP")
    return [Value(TIME, *found.span(), (minutes,))]


def _time(found: re.Match[str]) -> Sequence[Value]:
    if int(found[1]) > _MAX_HOUR:
        return ()
    minutes = int(found[1]) * HOUR + int(found[2] or 0)
    # 2:30 may be in the afternoon.
    is_ambiguous = found.re is _CLOCK and 0 < minutes < HALF_DAY and found[1][0] != "0"
    also = (minutes + HALF_DAY,) if is_ambiguous else ()
    return [Value(TIME, *found.span(), (minutes, *also))]


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


_DATES_IN_DIGITS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str]], Sequence[Value]]]] = [
    *((_ISO, _iso), (_BY_DIGITS, _in_digits), (_DAY_FIRST, _day_first), (_CJK_DATE, _cjk)),
    *((_DECADE, _decade), (_TIME, _half_day), (_CLOCK, _time), (_EUROPEAN, _time)),
]
"""In the order in which they are tried, each with what reads it."""

_ANY_DATE_IN_DIGITS = re.compile("|".join(rf"(?i:{each.pattern})" for each, _ in _DATES_IN_DIGITS))
"""One expression fails in a fourth of the time of all."""


def date_in_digits(text: str, start: int) -> Sequence[Value]:
    """Read a date or a time that begins with a digit; empty if there is none."""
    if not _ANY_DATE_IN_DIGITS.match(text, start):
        return ()
    for expression, read in _DATES_IN_DIGITS:
        found = expression.match(text, start)
        if found and (values := read(found)):
            return values
    return ()
