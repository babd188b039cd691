"""Shares of answers with their intervals."""

from math import hypot, sqrt
from typing import NamedTuple

from groundwatch.schemas import Record

_Z = 1.96  # standard deviations that hold 95 % of a normal distribution


def wilson_lower_bound(hits: float, total: float) -> float:
    """Compute the lower bound, 0..1, of Wilson's 95 % interval for the share of `hits`.

    With continuity correction: R. G. Newcombe, "Two-sided confidence intervals for the single
    proportion", Statistics in Medicine 17 (1998), method 4.
    """
    if not hits:
        return 0.0
    share, square = hits / total, _Z * _Z
    spread = _Z * sqrt(square - 1 / total + 4 * hits * (1 - share) + 4 * share - 2) + 1
    return max(0.0, (2 * hits + square - spread) / (2 * (total + square)))


class Estimate(Record, frozen=True, kw_only=True):
    """A share or a difference of two, with its 95 % interval, as a field of a command's JSON."""

    value: float
    low: float
    high: float


class Interval(NamedTuple):
    """A share, or a difference of two, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def estimate(self) -> Estimate:
        """The share for a command's JSON."""
        return Estimate(**self._asdict())


def share_interval(hits: float, total: float) -> Interval | None:
    """Compute a share, 0..1, with Wilson's 95 % interval; None of nothing.

    >>> [round(each, 2) for each in share_interval(9, 10)]
    [0.9, 0.54, 0.99]
    """
    if not total:
        return None
    high = 1 - wilson_lower_bound(total - hits, total)
    return Interval(hits / total, wilson_lower_bound(hits, total), high)


def difference_interval(before: Interval, after: Interval) -> Interval:
    """Compute the difference of two independent shares with its 95 % interval.

    R. G. Newcombe, "Interval estimation for the difference between independent proportions",
    Statistics in Medicine 17 (1998), method 11.
    """
    change = after.value - before.value
    down = hypot(after.value - after.low, before.high - before.value)
    up = hypot(after.high - after.value, before.value - before.low)
    return Interval(change, change - down, change + up)
