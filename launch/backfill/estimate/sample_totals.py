"""Estimate totals from a sample."""

from collections.abc import Sequence
from math import fsum
from statistics import fmean

from groundwatch.schemas import Record

_DEVIATIONS = 1.96
_PADDING = 2


class Total(Record, frozen=True, kw_only=True):
    """An estimated sum, and its 95 % interval."""

    expected: float
    low: float
    high: float


def estimate_total(values: Sequence[float], population: int, certain: float = 0.0) -> Total:
    """Estimate the sum over a population from a simple random sample without replacement.

    What is `certain` is added.

    The values are at least 0. The interval is that of the normal distribution with the correction
    for a finite population (Cochran, Sampling Techniques, 1977, chapter 2). It adds two values of 0
    and two of the maximum (Agresti and Coull, The American Statistician 52, 1998), so that a sample
    of equal values has a width.
    """
    if not values:
        return Total(expected=certain, low=certain, high=certain)
    unseen_share = 1 - len(values) / population
    mean = fmean(values)
    padded = [*values, *[0.0] * _PADDING, *[max(values)] * _PADDING]
    padded_mean = fmean(padded)
    centre = mean + (padded_mean - mean) * unseen_share
    # `statistics.stdev` is exact, and takes ten times as long.
    variance = fsum((value - padded_mean) ** 2 for value in padded) / (len(padded) - 1)
    spread = _DEVIATIONS * (variance * unseen_share / len(padded)) ** 0.5
    return Total(
        expected=certain + population * mean,
        low=certain + max(sum(values), population * min(mean, centre - spread)),
        high=certain + population * max(mean, centre + spread),
    )
