"""Read which values of a text are limits: "up to 8 kg", "14 days or more"."""

import re
from typing import NamedTuple

from groundwatch.transforms.lexical.language.phrases import any_of, phrases_of
from .read_values import read_values
from .value import Value

_KINDS = ("at_most", "at_least", "or_less", "or_more")
_MOST, _LEAST, _LESS, _MORE = (rf"(?P<{kind}>{any_of(phrases_of(kind))})" for kind in _KINDS)
_BEFORE = re.compile(rf"(?<!\w)(?:{_MOST}|{_LEAST})[\s$€£]{{0,2}}$", re.IGNORECASE)
_BEHIND = re.compile(
    rf"[\s,]{{0,2}}(?:(?:years old|old)\s)?(?:{_LESS}|{_MORE})(?!\w)", re.IGNORECASE
)
_ANY = re.compile(rf"(?<!\w)(?:{_MOST}|{_LEAST}|{_LESS}|{_MORE})(?!\w)", re.IGNORECASE)
LIMIT_WORDS = frozenset(
    word for kind in _KINDS for phrase in phrases_of(kind) for word in phrase.split()
)
"""The words of limits."""
_UPPER = frozenset({"at_most", "or_less"})
_MAX_BEFORE = 24
"""The characters in front of a value in which its limit stands."""


class Limit(NamedTuple):
    """Whether a value is the most, or the least, and where it begins and ends with these words."""

    is_most: bool
    start: int
    end: int


def limit_of(text: str, value: Value) -> Limit | None:
    """Return the limit that a value of a text is; None if it is not one, or a range.

    >>> limit_of("Cats up to 8 kg", read_values("Cats up to 8 kg")[0])
    Limit(is_most=True, start=5, end=15)
    """
    if value.last:
        return None
    if found := _BEHIND.match(text, value.end):
        return Limit(found.lastgroup in _UPPER, value.start, found.end())
    begin = max(0, value.start - _MAX_BEFORE)
    if found := _BEFORE.search(text, begin, value.start):
        return Limit(found.lastgroup in _UPPER, found.start(), value.end)
    return None


def limits_in(text: str) -> frozenset[bool]:
    """Return whether a text may have values that are the most, and the least."""
    return frozenset([found.lastgroup in _UPPER for found in _ANY.finditer(text)])


def read_premises(query: str) -> list[Value]:
    """Read the values of a question, each with whether it is a limit."""
    return [
        each._replace(is_limit=limit_of(query, each) is not None) for each in read_values(query)
    ]
