"""What a whole adds up to, told from a sample of it."""

from collections.abc import Sequence
from statistics import fmean, stdev

from schemas import Record

_DEVIATIONS = 1.96
_IMAGINED = 2


class Total(Record, frozen=True, kw_only=True):
    """A sum over a whole, and between which two values it lies in 95 of 100 samples."""

    expected: float
    low: float
    high: float


def extrapolate(values: Sequence[float], population: int) -> Total:
    """Estimate the sum over a population from a simple random sample without replacement.

    The estimate is the sample's mean times the population, its interval that of the normal
    distribution with the correction for a finite population (Cochran, Sampling Techniques, 1977,
    chapter 2). The interval imagines two more values of 0 and two more of the greatest value seen
    (Agresti and Coull, The American Statistician 52, 1998): else a sample in which all are alike
    would claim that all are.

    Args:
      values: of the sample, at least 0 each.
      population: how many the whole has, no fewer than the sample.

    Returns:
      The sum, exact where the sample is the whole.
    """
    if not values:
        return Total(expected=0.0, low=0.0, high=0.0)
    unseen_share = 1 - len(values) / population
    seen, mean = sum(values), fmean(values)
    padded = [*values, *[0.0] * _IMAGINED, *[max(values)] * _IMAGINED]
    centre = mean + (fmean(padded) - mean) * unseen_share
    spread = _DEVIATIONS * stdev(padded) * (unseen_share / len(padded)) ** 0.5
    return Total(
        expected=population * mean,
        low=max(seen, population * min(mean, centre - spread)),
        high=population * max(mean, centre + spread),
    )
