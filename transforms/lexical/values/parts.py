"""Read values of several parts: "an hour and a half", "1 hour and 30 minutes", "4€90"."""

import re
from itertools import product

from groundwatch.transforms.lexical.language.phrases import FRACTIONS, any_of, key_of
from .units import MONEY
from .value import HOUR, HOUR_S, NUMBER, Value

_AND_A_FRACTION = re.compile(
    r"[ -](?:and[ -](?:an?|one)|et(?: une?)?|y(?: una?)?|e(?: una? ?)?|und eine?[mnrs]?)[ -]"
    rf"(?P<name>{any_of(FRACTIONS)})(?!\w| (?:of|de|der|del|di)\b)",
    re.IGNORECASE,
)

_JOINTS = frozenset(("", "and", "und", "et", "y", "e"))
MAX_JOINT = 5
"""Characters between two parts: " and "."""

_JOINED = MONEY | {"time", "length", "mass"}
_HUNDRED = 100
_CENTS = 2
"""The digits of cents behind the sign of a currency."""


def with_fraction(raw: tuple[float, ...], text: str, end: int) -> tuple[tuple[float, ...], int]:
    """Add what stands behind a number or its unit, "and a half", and return where it ends.

    >>> with_fraction((2.0,), "two and a half hours", 3)
    ((2.5,), 14)
    """
    found = _AND_A_FRACTION.match(text, end)
    if not found:
        return raw, end
    fraction = FRACTIONS[key_of(found["name"])]
    return tuple([number + fraction for number in raw]), found.end()


def joined(text: str, one: Value, two: Value) -> Value | None:
    """Return the one value of which two are the parts; None if they are two values."""
    if one.kind != NUMBER or two.kind != NUMBER or one.last or two.last or not one.units:
        return None
    if not (one.raw and two.raw):
        return None
    between = text[one.end : two.start]
    if between.strip(" ") not in _JOINTS:
        return None
    part = _part_of(one, two, between)
    if part is None or part >= 1:
        return None
    per_s = one.per_s or two.per_s
    return one._replace(end=two.end, raw=(one.raw[0] + part,), per_s=per_s, is_implied=False)


def _part_of(one: Value, two: Value, between: str) -> float | None:
    """Return how many of the unit of one value the other is."""
    number = two.raw[0]
    if two.start < one.end:  # They share the sign of a currency.
        return number / _HUNDRED if two.end - one.end == _CENTS else None
    if two.units:
        for unit, its in product(one.units, two.units):
            if unit.dimension == its.dimension in _JOINED and its.factor < unit.factor:
                return number * its.factor / unit.factor
    elif one.units[0].factor == HOUR_S and between == " ":  # "une heure trente"
        return number / HOUR
    return None
