"""Verdicts over time: counts by stretches as long as the span asks for."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from schemas import Record
from schemas.quantities import DAY_US, HOUR_US, MINUTE_US

_WEEK_US = 7 * DAY_US
MONDAY_US = 4 * DAY_US
"""1970-01-05, the first Monday: all stretches are counted from it."""

WIDTHS_US: Mapping[int, str] = {
    5 * MINUTE_US: "5 minutes",
    HOUR_US: "1 hour",
    6 * HOUR_US: "6 hours",
    DAY_US: "1 day",
    _WEEK_US: "1 week",
    4 * _WEEK_US: "4 weeks",
    52 * _WEEK_US: "52 weeks",
    520 * _WEEK_US: "10 years",
}
"""How long a stretch may be; each is a multiple of the one before."""

_MOST_STRETCHES = 3_000
_MOST_COLUMNS = 84
_STRAGGLERS = 100
_WORTH_IT = 4


class Column(Record, frozen=True, kw_only=True):
    """One stretch of time: when it begins, and its answers by verdict."""

    start_us: int
    verdicts: dict[str, int]


class Columns(Record, frozen=True, kw_only=True):
    """A stretch for each moment of the span, empty ones included.

    Attributes:
      width_us: how long each is.
      columns: in the order of time.
      left_out: answers far before or after all others, for which the span was not stretched.
    """

    width_us: int
    columns: tuple[Column, ...]
    left_out: int

    @property
    def width(self) -> str:
        """The width in words."""
        return WIDTHS_US[self.width_us]


class Timeline:
    """Counts by stretches, made longer when they become too many.

    Attributes:
      undated: answers without a time.
    """

    def __init__(self) -> None:
        self._widths = list(WIDTHS_US)
        self._stretches: dict[int, Counter[str]] = {}
        self.undated = 0

    def add(self, time_us: int | None, verdict: str) -> None:
        """Count an answer."""
        if time_us is None:
            self.undated += 1
            return
        start_us = _start(time_us, self._widths[0])
        stretch = self._stretches.get(start_us)
        if stretch is None:
            stretch = self._stretches[start_us] = Counter()
            if len(self._stretches) > _MOST_STRETCHES and len(self._widths) > 1:
                del self._widths[0]
                self._stretches = _widened(self._stretches, self._widths[0])
                stretch = self._stretches[_start(time_us, self._widths[0])]
        stretch[verdict] += 1

    def columns(self, most: int = _MOST_COLUMNS) -> Columns:
        """Lay the counts out.

        Args:
          most: how many columns at most, unless even the longest stretches are more.

        Returns:
          The columns of the finest width that needs no more; none where nothing has a time.
        """
        if not self._stretches:
            return Columns(width_us=self._widths[0], columns=(), left_out=0)
        first_us, last_us = _main_span(self._stretches, self._widths[0])
        fitting = (width for width in self._widths if _number(first_us, last_us, width) <= most)
        width_us = next(fitting, self._widths[-1])
        within = {
            start_us: verdicts
            for start_us, verdicts in self._stretches.items()
            if first_us <= start_us <= last_us
        }
        stretches = _widened(within, width_us)
        starts = range(_start(first_us, width_us), _start(last_us, width_us) + 1, width_us)
        return Columns(
            width_us=width_us,
            columns=tuple(
                Column(start_us=start_us, verdicts=dict(stretches.get(start_us, {})))
                for start_us in starts
            ),
            left_out=_total(self._stretches) - _total(within),
        )


def _start(time_us: int, width_us: int) -> int:
    return (time_us - MONDAY_US) // width_us * width_us + MONDAY_US


def _number(first_us: int, last_us: int, width_us: int) -> int:
    return (_start(last_us, width_us) - _start(first_us, width_us)) // width_us + 1


def _total(stretches: Mapping[int, Counter[str]]) -> int:
    return sum(verdicts.total() for verdicts in stretches.values())


def _widened(stretches: Mapping[int, Counter[str]], width_us: int) -> dict[int, Counter[str]]:
    widened: dict[int, Counter[str]] = {}
    for start_us, verdicts in stretches.items():
        widened.setdefault(_start(start_us, width_us), Counter()).update(verdicts)
    return widened


def _main_span(stretches: Mapping[int, Counter[str]], width_us: int) -> tuple[int, int]:
    """The span without stragglers: one wrong clock would press all others into one column."""
    starts = sorted(stretches)
    totals = [stretches[start].total() for start in starts]
    first = starts[_within_allowance(totals)]
    last = starts[-1 - _within_allowance(totals[::-1])]
    whole = starts[-1] - starts[0]
    is_worth_it = whole > _WORTH_IT * (last - first + width_us)
    return (first, last) if is_worth_it else (starts[0], starts[-1])


def _within_allowance(totals: Sequence[int]) -> int:
    """How many stretches at one end hold together no more than one answer in a hundred."""
    allowance = sum(totals) // _STRAGGLERS
    return sum(reached <= allowance for reached in accumulate(totals))
