"""Read dates and times in a text."""

import re
from collections.abc import Sequence

from groundwatch.transforms.lexical.language.phrases import MONTH_NAMES, any_of
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
    r"(\d{4})([-/])(\d\d?)\2(\d\d?)(?!\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_BY_DIGITS = re.compile(r"(\d\d?)([./-])(\d\d?)\2(\d{4})(?!\d)")
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


def _iso(text: str, start: int) -> Sequence[Value]:
    found = _ISO.match(text, start)
    if not found:
        return ()
    year, _, month, day = found.groups()
    dates = _date(start, found.end(), (int(year), int(month), int(day)))
    # A time behind it is a machine's.
    return [each._replace(is_implied="T" in found[0]) for each in dates]


def _in_digits(text: str, start: int) -> Sequence[Value]:
    """Read 31/12/2025 and 12/31/2025; 03/04/2025 may be a day in March or in April."""
    found = _BY_DIGITS.match(text, start)
    if not found:
        return ()
    one, mark, two, year = found.groups()
    readings = [(int(year), int(two), int(one))]
    if mark != ".":
        readings.append((int(year), int(one), int(two)))
    return _date(start, found.end(), *readings)


def _day_first(text: str, start: int) -> Sequence[Value]:
    found = _DAY_FIRST.match(text, start)
    if not found:
        return ()
    day, month, year = found.groups()
    end = found.end() if year else found.start("month") + len(month)
    return _date(start, end, (_number(year), MONTHS[month.lower()], int(day)))


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
    return _date(start, end, (_number(year), MONTHS[month.lower()], _number(day)))


def _cjk(text: str, start: int) -> Sequence[Value]:
    found = _CJK_DATE.match(text, start)
    if not found or not (found[1] or found[5]):
        return ()
    month, day = (found[2], found[3]) if found[1] else (found[5], found[6])
    return _date(start, found.end(), (_number(found[1]), _number(month), _number(day)))


def _decade(text: str, start: int) -> Sequence[Value]:
    """Read 1990s and '90s as the year 1990 or 90 of any century."""
    found = _DECADE.match(text, start)
    if not found:
        return ()
    century = int(found[1]) if found[1] else None
    years = [century] if century else [18, 19, 20]
    dates = tuple([(each * 100 + int(found[2]), None, None) for each in years])
    return [Value(DATE, start, found.end(), dates=dates, is_decade=True)]


def _date(start: int, end: int, *readings: Parts) -> Sequence[Value]:
    dates = tuple(
        (year, month, day)
        for year, month, day in readings
        if (year is None or year in _YEARS)
        and (month is None or month in _MONTH_NUMBERS)
        and (day is None or day in _DAYS)
    )
    return [Value(DATE, start, end, dates=dates)] if dates else ()


def _time(text: str, start: int) -> Sequence[Value]:
    if found := _TIME.match(text, start):
        hour, minute, half = found.groups()
        minutes = int(hour) % 12 * HOUR + int(minute or 0) + HALF_DAY * (half in "pP")
        return [Value(TIME, start, found.end(), (minutes,))]
    found = _CLOCK.match(text, start) or _EUROPEAN.match(text, start)
    if not found or int(found[1]) > _MAX_HOUR:
        return ()
    minutes = int(found[1]) * HOUR + int(found[2] or 0)
    # 2:30 may be in the afternoon.
    is_ambiguous = found.re is _CLOCK and 0 < minutes < HALF_DAY and found[1][0] != "0"
    also = (minutes + HALF_DAY,) if is_ambiguous else ()
    return [Value(TIME, start, found.end(), (minutes, *also))]


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None


DATES_IN_DIGITS = (_iso, _in_digits, _day_first, _cjk, _decade, _time)
"""The readers of dates and times that begin with a digit, in the order in which they are tried."""
