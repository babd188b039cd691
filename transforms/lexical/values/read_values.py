"""Read the values of a text: numbers with their units, amounts, dates, times and phone numbers.

Values of different spellings are equal: 14:00 and 2 pm, 10k and 10,000, two weeks and 14 days.
"""

import re
from collections.abc import Sequence
from itertools import compress
from math import prod

from groundwatch.transforms.lexical.language.phrases import ORDINALS, any_of, has_english
from .dates import MONTHS, date_in_digits, month_first
from .numerals import BEFORE_TIME, NUMBERS, amounts_of, at_numerals, number_in_words, with_digits
from .parts import MAX_JOINT, joined, with_fraction
from .quantities import SURE_YEARS, unit_behind, with_unit
from .units import OCTETS, SCALES, TIME_UNITS_S, UNITS, Unit
from .value import NUMBER, PHONE, TIME, WEEKDAY, Value

_ORDINALS = {word: float(digits) for word, digits in ORDINALS.items()}
IN_ORDER = (Unit("order", 1.0),)
_MULTIPLES = {"twice": 2.0, "double": 2.0, "triple": 3.0, "quadruple": 4.0}
_MULTIPLES |= {"half": 0.5, "quarter": 0.25}
_NAMED = {"noon": (TIME, 720), "midday": (TIME, 720), "midnight": (TIME, 0)} | {
    f"{name}day{ending}": (WEEKDAY, number)
    for number, name in enumerate(("mon", "tues", "wednes", "thurs", "fri", "satur", "sun"))
    for ending in ("", "s")
}
"""Hours in minutes, and the days of a week."""

_PARTS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_MIN_PHONE_DIGITS = 7
_MAX_VALUES = 256
"""Of one text; one with more is a table."""

_ARTICLES = frozenset("a an one ein eine einen einem einer un une una uno um uma een".split())  # noqa: SIM905
_UNITS_OF_ONE = (TIME_UNITS_S.keys() - _ARTICLES) | {"un"}
"""Those behind an article: "a day"."""

_SMALL = _ARTICLES | BEFORE_TIME.keys()
_KINDS = (
    dict.fromkeys(_ARTICLES, "article")
    | dict.fromkeys(BEFORE_TIME, "before time")
    | dict.fromkeys((*NUMBERS, *SCALES), "word")
    | dict.fromkeys(_ORDINALS, "ordinal")
    | dict.fromkeys(_MULTIPLES, "multiple")
    | dict.fromkeys(_NAMED, "named")
    | dict.fromkeys(MONTHS, "month")
)
"""What may begin with a word in lower case."""

_ZEROS = "0\u0660\u06f0\u0966\u09e6\u0be6\u0e50\uff10"
"""Of the scripts of Latin, Arabic, Persian, Devanagari, Bengali, Tamil, Thai, and full-width."""

_MAY_BEGIN = _KINDS | dict.fromkeys(
    (*_PARTS, *(chr(ord(zero) + n) for zero in _ZEROS for n in range(10))), "digit"
)
"""What may begin with a word in lower case, or with a digit."""

_SURE = (_MAY_BEGIN.keys() - _SMALL) | _UNITS_OF_ONE | MONTHS.keys()
"""What a text with a value has: the others begin none without the unit behind them."""

_ALSO_VERBS = frozenset({"may", "march", "mar", "sep", "jun"})
"""These are months with a capital only."""

VALUE_WORDS = frozenset(
    word.strip("°%$€£¥")
    for word in (*_KINDS, *UNITS, *map(str.lower, OCTETS))
    if word[-1:].isalpha()
) - {*_ARTICLES, "x", ""}
"""The words that values have."""

_ANCHOR = re.compile(r"\d|[½¼¾]|[^\W\d_]+")
_TIME_UNIT = re.compile(rf"[ -](?:{any_of(TIME_UNITS_S)})(?!\w)", re.IGNORECASE)
_PHONE = re.compile(r"\d{2,6}(?:\)?[ ./\u2013-]{1,2}\(?\d{2,8}){1,4}(?![\d%])")
_DIGITS = re.compile(
    r"[1-9]\d{0,2}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)(?:,\d{1,2}(?!\d))?"
    r"|\d+(?:[.,]\d+)*(?:['\u2019]\d{3}(?!\d))*"
)
_SPACED = re.compile(r"[ \u00a0\u2009\u202f]")
_PART = re.compile(r"\s?([½¼¾])|(?:/([1-9]\d?)(?![,.]?\d))")
_CJK_PARTS = re.compile(r"(?:\d+(?:\.\d+)?[千万萬億亿]+)+\d*")
_CJK_PART = re.compile(r"(\d+(?:\.\d+)?)([千万萬億亿]*)")
_MAX_LABEL = 12
_LABELS = (
    *("step", "option", "method", "part", "point", "item", "example", "figure", "table", "page"),
    *("passage", "form", "section", "chapter", "article", "line", "no.", "#"),
)
_OPENING, _BEHIND_LABEL = ("[", "\u3010"), " \t\r\n\u00a0(s"
_LABEL = re.compile(rf"(?:{any_of(_LABELS)})s?\s?\(?$|[\[\u3010]$")
_OF_A = re.compile(r"(?: of)? an?(?= )")
_THE, _NOUN = re.compile(r"\b[Tt]he $"), re.compile(r" [a-z]")


def may_have_value(text: str) -> bool:
    """Return whether a text may have a value."""
    is_word = text.isascii() and text.isalpha()
    anchors = [text] if is_word else _ANCHOR.findall(with_digits(text)[0])
    return any(each.lower() in _SURE and each not in _ALSO_VERBS for each in anchors)


def read_values(text: str) -> list[Value]:
    """Return the first 256 values of a text, in order.

    >>> [(value.raw, value.units[0].dimension) for value in read_values("3 days, $5")]
    [((3.0,), 'time'), ((5.0,), 'dollar')]
    """
    text, longer = with_digits(text)
    values: list[Value] = []
    place = 0
    found = list(_ANCHOR.finditer(text))
    kinds = map(_MAY_BEGIN.get, map(str.lower, map(re.Match.group, found)))
    for anchor in compress(found, kinds):
        if anchor.start() < place or anchor[0] in _ALSO_VERBS:
            continue
        if read := _at(anchor, text):
            is_near = values and read[0].start - values[-1].end <= MAX_JOINT
            if is_near and (whole := joined(text, values[-1], read[0])):
                values[-1:], read = [], [whole, *read[1:]]
            values += read
            place = max([value.end for value in read])
            if len(values) >= _MAX_VALUES:
                break
    return [at_numerals(each, longer) for each in values] if longer[1:] else values


def _at(anchor: re.Match[str], text: str) -> Sequence[Value]:
    """Read the values that begin with some digits or a word."""
    start, end = anchor.span()
    word = anchor[0].lower()
    values = _small(text, start, end, word) if word in _SMALL else ()
    if values:
        return values
    match _MAY_BEGIN[word]:
        case "digit":
            values = _in_digits(text, start)
        case "month":
            values = month_first(text, start)
        case "word":
            number, end = number_in_words(text, start)
            values = [with_unit(text, start, end, (number,))] if end > start else ()
        case "ordinal":
            values = _in_order(text, start, end, _ORDINALS[word])
        case "multiple":
            values = [_multiple(text, start, end, _MULTIPLES[word])]
        case "named":
            kind, number = _NAMED[word]
            values = [Value(kind, start, end, (number,))]
    return values


def _small(text: str, start: int, end: int, word: str) -> Sequence[Value]:
    """Read "a day", "sept jours", "one and a half": other words without a unit or a fraction."""
    number: tuple[float, ...] = (BEFORE_TIME.get(word, 1.0),)
    if not _TIME_UNIT.match(text, end):
        is_number = with_fraction(number, text, end) != (number, end)
        return [with_unit(text, start, end, number)] if is_number else ()
    unit_end, units = unit_behind(text, end)
    number, behind = with_fraction(number, text, unit_end)
    is_implied = word in _ARTICLES and word != "one" and behind == unit_end
    return [Value(NUMBER, start, behind, number, units, is_implied=is_implied)]


def _in_order(text: str, start: int, end: int, number: float) -> Sequence[Value]:
    """Read "the second floor"; "a second" is a time, and "second" mostly one in a row."""
    if _THE.search(text, max(0, start - 5), start) and _NOUN.match(text, end):
        return [Value(NUMBER, start, end, (number,), IN_ORDER)]
    return ()


def _multiple(text: str, start: int, end: int, factor: float) -> Value:
    """Read "triple", and "half an hour"."""
    units = UNITS["x"]
    if factor < 1:
        of_a = _OF_A.match(text, end)
        end, units = unit_behind(text, of_a.end() if of_a else end)
    return Value(NUMBER, start, end, (factor,), units, is_implied=True)


def _in_digits(text: str, start: int) -> Sequence[Value]:
    values = date_in_digits(text, start) or _phone(text, start) or _number_in_digits(text, start)
    if values and _is_label(text, start):
        return [each._replace(is_implied=True) for each in values]
    return values


def _is_label(text: str, start: int) -> bool:
    """Return whether a number numbers a part of a text, or a source: "step 2", "[1]"."""
    before = text[max(0, start - _MAX_LABEL) : start].lower()
    may_be = before.endswith(_OPENING) or before.rstrip(_BEHIND_LABEL).endswith(_LABELS)
    return may_be and _LABEL.search(before) is not None


def _phone(text: str, start: int) -> Sequence[Value]:
    found = _PHONE.match(text, start)
    if not found or (start and text[start - 1] in "$€£.,"):
        return ()
    digits = re.sub(r"\D", "", found[0])
    is_grouped = _DIGITS.fullmatch(found[0]) and " " in found[0]
    if len(digits) >= _MIN_PHONE_DIGITS and not is_grouped and "." not in found[0][:3]:
        parts = re.split(r"\D+", found[0])
        if not (len(parts) == 2 and all(int(part) in SURE_YEARS for part in parts)):  # noqa: PLR2004 - a range of years
            return [Value(PHONE, start, found.end(), (float(digits),))]
    return ()


def _number_in_digits(text: str, start: int) -> Sequence[Value]:
    if part := _PARTS.get(text[start]):
        return [with_unit(text, start, start + 1, (part,))]
    if not text.isascii() and (parts := _CJK_PARTS.match(text, start)):
        total = sum(
            prod([SCALES[scale] for scale in scales], start=float(digits))
            for digits, scales in _CJK_PART.findall(parts[0])
        )
        return [with_unit(text, start, parts.end(), (total,))]
    found = _DIGITS.match(text, start)
    if not found:
        return ()
    digits, end = found[0], found.end()
    if not digits.isdecimal() and _SPACED.search(digits):
        if " " in digits and has_english(text):
            digits = digits.partition(" ")[0]
            end = start + len(digits)
        digits = _SPACED.sub("", digits)
    raw = amounts_of(digits, text)
    if not raw:
        return [Value(NUMBER, start, end)]
    if joined := _PART.match(text, end):
        end = joined.end()
        if text.startswith("24/7", start):
            hours, days = UNITS["hours"], UNITS["days"]
            return [Value(NUMBER, start, end, *each) for each in (((24.0,), hours), ((7.0,), days))]
        raw = (raw[0] + _PARTS[joined[1]] if joined[1] else raw[0] / int(joined[2]),)
    return [with_unit(text, start, end, raw)]
