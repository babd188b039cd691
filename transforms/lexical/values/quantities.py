"""Read quantities: numbers with the scale, unit, range, rate and hedge around them."""

import re

from groundwatch.transforms.lexical.language.phrases import (
    PERIODS,
    any_of,
    key_of,
    phrases_of,
    words_of,
)
from .numerals import NUMBERS, WITHIN_NUMBERS, amounts_of, scale_behind
from .parts import with_fraction
from .units import OCTETS, TIME_UNITS_S, UNITS, Unit
from .value import DATE, HOUR_S, NUMBER, Value

SURE_YEARS = frozenset(range(1500, 2100))
"""A range would compare a number that is not an int with each of these."""

_METRES = 1000
"""Of a kilometre."""

_MAX_NUMBER = 1e100
"""Larger ones are not amounts, and may be infinite."""

_FIRST_CJK, _MAX_CJK_UNIT = "\u3041", 3
_UNIT = re.compile(
    r"[\s\u00a0-]?(°\s?[cfCF](?!\w)|[%°€$£¥\uffe5¢\u00d7円元分]|[^\W\d_]+²?(?:/[^\W\d_]+)?)"
)
_SECOND_WORD = re.compile(r" (celsius|fahrenheit|cent)(?!\w)", re.IGNORECASE)
_BEFORE = re.compile(r"(?:US|CA|A)?([$€£¥\uffe5₹])\s?$|\b(CHF|EUR|USD|GBP|SEK|NOK|DKK|PLN|INR)\s?$")
_MAX_SIGN = 5
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra)\s$", re.IGNORECASE)
_PARTS_OF_NUMBERS = any_of(NUMBERS.keys() | WITHIN_NUMBERS.keys())
_RANGE = re.compile(
    r"(?:\s?[-\u2013\u2014]\s?|\s(?:to|bis|\u00e0|a|at\u00e9|hasta)\s|\s(?P<joined>and|und|et|y|e)\s)[$€£]?"
    rf"(?:(?P<digits>\d+(?:[.,]\d+)*)|(?P<word>{any_of(NUMBERS)})(?!\w|-(?:{_PARTS_OF_NUMBERS})(?!\w)))"
    r"(?![\d:/]|[-.,]\d|\s?(?:[ap]\.?m|Uhr|uur|h|o'clock)\b)",
    re.IGNORECASE,
)
_MAX_HEDGE = 22
_HEDGES = ("about", "over", "under")
_ANY_HEDGE = "|".join(rf"(?P<{kind}>{any_of(phrases_of(kind))})" for kind in _HEDGES)
_HEDGE = re.compile(rf"(?<!\w)(?:{_ANY_HEDGE})\s?$", re.IGNORECASE)
_HEDGE_ENDS = tuple({phrase.split()[-1] for kind in _HEDGES for phrase in phrases_of(kind)})
_PERIODS_S = PERIODS | TIME_UNITS_S
_PERIOD = re.compile(
    r"(?:\s(?!(?:in|within|for|after|of|than|over|before|every)\b)[^\W\d_]++){0,3}?"
    rf"(?:(?:\s?/\s?|\s(?:{any_of(words_of('per'))})\s|(?<=per user)\s(?:and|/)\s)"
    rf"(?P<unit>{any_of(TIME_UNITS_S)})(?!\w)|\s(?P<adverb>{any_of(PERIODS)})(?!\w))",
    re.IGNORECASE,
)


def with_unit(text: str, start: int, end: int, raw: tuple[float, ...]) -> Value:
    """Return a number or a range with what is around it: scale, unit, rate; or as a year."""
    raw, last, end = _range(text, start, end, raw)
    raw, end = with_fraction(raw, text, end)
    is_plain = not last and text[start:end].isdecimal()
    scale, end = scale_behind(text, end)
    if scale != 1:
        raw, last = tuple([each * scale for each in raw]), tuple([each * scale for each in last])
    if max([*raw, *last]) > _MAX_NUMBER:
        return Value(NUMBER, start, end)
    if sign := _BEFORE.search(text, max(0, start - _MAX_SIGN), start):
        start, behind, units = sign.start(), end, UNITS[(sign[1] or sign[2]).lower()]
    else:
        behind, units = unit_behind(text, end)
        if units:
            raw, behind = with_fraction(raw, text, behind)
    if not units and is_plain and len(raw) == 1 and raw[0] in SURE_YEARS and scale == 1:
        return Value(DATE, start, end, raw, dates=((int(raw[0]), None, None),))
    per_s, hedge = _period_s(text, behind), _hedge(text, start)
    if per_s == HOUR_S and units and units[0].dimension == "length":
        units, per_s = (Unit("speed", units[0].factor / _METRES),), 0.0
    return Value(NUMBER, start, behind, raw, units, last=last, per_s=per_s, hedge=hedge)


def _range(
    text: str, start: int, end: int, raw: tuple[float, ...]
) -> tuple[tuple[float, ...], tuple[float, ...], int]:
    """Return the first and last number of a range, "3-5" or "five to three", and where it ends.

    The smaller number is the first; the last is empty if there is no range.
    """
    found = _RANGE.match(text, end)
    if not found or (found["joined"] and not _BETWEEN.search(text, max(0, start - 9), start)):
        return raw, (), end
    word = found["word"]
    last = (NUMBERS[key_of(word)],) if word else amounts_of(found["digits"], text)
    if not last or last[0] == raw[0] or (raw[0] in SURE_YEARS and last[0] in SURE_YEARS):
        return raw, (), end
    if last[0] > raw[0]:
        return raw, last, found.end()
    # "34-23" may be a score.
    return (last, raw, found.end()) if found[0].strip()[0].isalpha() else (raw, (), end)


def _hedge(text: str, start: int) -> str:
    before = text[max(0, start - _MAX_HEDGE) : start]
    if not before.lower().rstrip().endswith(_HEDGE_ENDS):
        return ""
    found = _HEDGE.search(before)
    return str(found.lastgroup) if found else ""


def _period_s(text: str, end: int) -> float:
    """Return the period of a rate behind a number and its unit: "requests per minute"."""
    found = _PERIOD.match(text, end)
    return _PERIODS_S[key_of(found["unit"] or found["adverb"])] if found else 0.0


def unit_behind(text: str, end: int) -> tuple[int, tuple[Unit, ...]]:
    """Return the unit behind a number, and where it ends."""
    found = _UNIT.match(text, end)
    if not found:
        return end, ()
    behind, name = found.end(), found[1]
    if second := _SECOND_WORD.match(text, behind):
        behind, name = second.end(), "%" if second[1].lower() == "cent" else second[1]
    is_attached = found.start(1) == end
    if units := OCTETS.get(name) or _units_of(name, text[end : end + 1], is_attached=is_attached):
        return behind, units
    if name[0] >= _FIRST_CJK:
        for chars in range(_MAX_CJK_UNIT, 0, -1):
            if units := UNITS.get(name[:chars], ()):
                return found.start(1) + chars, units
    return end, ()


def _units_of(name: str, before: str, *, is_attached: bool) -> tuple[Unit, ...]:
    """Return what a unit may be; a letter is none behind a hyphen, and "p" only at the number."""
    lower = name.lower().replace(" ", "")
    is_letter = len(lower) == 1 and lower.isalpha() and lower.isascii()
    if is_letter and (before == "-" or (lower == "p" and not is_attached)):
        return ()
    return UNITS.get(lower, ())
