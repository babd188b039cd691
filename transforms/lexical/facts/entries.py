"""The entries of a sentence: its parts with one value each, as in "Basic 10 GB, Pro 50 GB"."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from groundwatch.transforms.lexical.values.value import PHONE, WEEKDAY, Value

_BREAK = re.compile(r"[,;|]|\b(?:and|but|or|while|whereas|und|oder|et|ou|y|o|e)\b")
"""What stands between two entries."""

_LABELS = (PHONE, WEEKDAY)
"""Values that may say what another value is of: "at 9 on weekdays, at 11 on Sundays"."""


class Entry(NamedTuple):
    """A part of a sentence with one value, and the stems of the words in front of it and behind.

    Attributes:
      sentence: the number of the sentence in its fact.
      value: the value.
      text: how the sentence writes it.
      before: the stems in front of the value.
      behind: those behind it.
    """

    sentence: int
    value: Value
    text: str
    before: frozenset[str]
    behind: frozenset[str]

    @property
    def words(self) -> frozenset[str]:
        """The stems on both sides."""
        return self.before | self.behind


def is_compared(value: Value) -> bool:
    """Return whether an entry has a value as what it says, and not as a word of its own."""
    return not value.is_implied and value.kind not in _LABELS


def entries_in(
    number: int, text: str, values: Sequence[Value], stems_of: Callable[[str], frozenset[str]]
) -> Iterator[Entry]:
    """Yield the entries of a sentence; values without a break between them have none."""
    compared = list(filter(is_compared, values))
    breaks = [
        max((each.start() for each in _BREAK.finditer(text, one.end, two.start)), default=None)
        for one, two in pairwise(compared)
    ]
    bounds = [0, *breaks, len(text)]
    for value, start, end in zip(compared, bounds, bounds[1:], strict=False):
        if start is not None and end is not None:
            before, behind = stems_of(text[start : value.start]), stems_of(text[value.end : end])
            yield Entry(number, value, text[value.start : value.end], before, behind)
