"""How well scores rank the supported above the unsupported."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import inf
from random import Random

from launch.evaluate.statistics.example import Example
from schemas import Record

_SEED = 20_261
"""Any number would do; one that stays gives the same interval for the same scores."""

_TAIL = 0.025
"""What a 95 % interval leaves out at either end."""

_Outcome = tuple[str, bool]
"""An example's cluster, and whether it is unsupported."""


class Auroc(Record, frozen=True, kw_only=True):
    """The area under the receiver operating characteristic, with a 95 % bootstrap interval.

    Attributes:
      value: how often a supported example outscores an unsupported one, a tie counting half; 1 is
        perfect, 0.5 is chance.
      low, high: the ends of the interval; percentiles over resampled clusters.
    """

    value: float
    low: float
    high: float


def measure_auroc(examples: Sequence[Example], resamples: int) -> Auroc | None:
    """Measure how well scores rank.

    Args:
      examples: in any order; one without a score ranks above all.
      resamples: how often clusters are drawn anew, with replacement, for the interval.

    Returns:
      None where all examples are supported, or all are not.

    Source: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.
    """
    groups = _ranked(examples)
    clusters = sorted({example.cluster for example in examples})
    value = _auroc(groups, dict.fromkeys(clusters, 1))
    if value is None:
        return None
    chance = Random(_SEED)  # noqa: S311 - no secret hangs on it
    drawn = (Counter(chance.choices(clusters, k=len(clusters))) for _ in range(resamples))
    known = sorted(each for weights in drawn if (each := _auroc(groups, weights)) is not None)
    values = known or [value]
    return Auroc(value=value, low=_quantile(values, _TAIL), high=_quantile(values, 1 - _TAIL))


def _ranked(examples: Sequence[Example]) -> list[list[_Outcome]]:
    """The examples by ascending score, those with equal scores together."""
    ordered = sorted(examples, key=_rank)
    return [
        [(example.cluster, example.is_unsupported) for example in tied]
        for _, tied in groupby(ordered, key=_rank)
    ]


def _rank(example: Example) -> float:
    return inf if example.score is None else example.score


def _auroc(groups: Sequence[Sequence[_Outcome]], weights: Mapping[str, int]) -> float | None:
    """The area, each example counting as often as its cluster was drawn."""
    supported = unsupported = ordered_pairs = 0.0
    for tied in groups:
        tied_supported = tied_unsupported = 0
        for cluster, is_unsupported in tied:
            if is_unsupported:
                tied_unsupported += weights.get(cluster, 0)
            else:
                tied_supported += weights.get(cluster, 0)
        ordered_pairs += tied_supported * (unsupported + tied_unsupported / 2)
        supported += tied_supported
        unsupported += tied_unsupported
    pairs = supported * unsupported
    return ordered_pairs / pairs if pairs else None


def _quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies, between two of them by proportion."""
    place = share * (len(ordered) - 1)
    before = int(place)
    after = min(before + 1, len(ordered) - 1)
    return ordered[before] + (place - before) * (ordered[after] - ordered[before])
