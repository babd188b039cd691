"""Statistics of scores against labels: AUROC, precision, recall, F1 and calibration."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import inf, nextafter
from operator import itemgetter
from random import Random
from typing import NamedTuple

from schemas import Record

_SEED = 20_261
"""Fixed, so that equal scores give equal intervals."""

_TAIL = 0.025
"""What a 95 % interval omits at either end."""

_BINS = 10


class Example(NamedTuple):
    """A labelled answer or claim.

    Attributes:
      score: 0..1, None where there is nothing to score; such an example is never flagged.
      is_unsupported: its label.
      cluster: the same for examples that are not independent: answers from the same facts, and
        their claims.
    """

    score: float | None
    is_unsupported: bool
    cluster: str


class Auroc(Record, frozen=True, kw_only=True):
    """The area under the receiver operating characteristic, with a 95 % bootstrap interval.

    Attributes:
      value: how often a supported example outscores an unsupported one, a tie counting half; 1 is
        perfect, 0.5 is chance.
      low, high: the percentiles over resampled clusters.
    """

    value: float
    low: float
    high: float


class Flagged(Record, frozen=True, kw_only=True):
    """The examples whose score is below a threshold.

    Attributes:
      threshold: an equal score is not flagged; None where no single threshold decides.
      flagged: how many examples.
      share: of all examples, 0..1; None without any.
      precision: unsupported examples among those flagged; None without any.
      recall: flagged examples among those unsupported; None without any.
      f1: the harmonic mean of the two; None without an unsupported example.
    """

    threshold: float | None
    flagged: int
    share: float | None
    precision: float | None
    recall: float | None
    f1: float | None


class Bin(Record, frozen=True, kw_only=True):
    """The examples whose scores lie in one tenth.

    Attributes:
      low, high: the ends of the tenth; the last one includes its upper end.
      count: how many examples.
      mean_score: of them, 0..1.
      supported: the share of supported examples, 0..1.
    """

    low: float
    high: float
    count: int
    mean_score: float
    supported: float


class Calibration(Record, frozen=True, kw_only=True):
    """Scores against the share of supported examples.

    Attributes:
      bins: those with any example, in ascending order.
      expected_error: the mean distance between mean score and supported share, weighted by
        examples; 0 for a score that is a probability.
    """

    bins: tuple[Bin, ...]
    expected_error: float


def measure_auroc(examples: Sequence[Example], resamples: int) -> Auroc | None:
    """Measure how well scores rank supported above unsupported examples.

    Args:
      examples: in any order; one without a score ranks above all.
      resamples: how often clusters are drawn with replacement for the interval.

    Returns:
      None if all examples are supported, or none is.

    Source: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.
    """
    groups = [list(tied) for _, tied in groupby(sorted(examples, key=_rank), key=_rank)]
    clusters = sorted({example.cluster for example in examples})
    value = _auroc(groups, dict.fromkeys(clusters, 1))
    if value is None:
        return None
    random = Random(_SEED)  # noqa: S311 - not for a secret
    samples = (Counter(random.choices(clusters, k=len(clusters))) for _ in range(resamples))
    known = sorted(each for weights in samples if (each := _auroc(groups, weights)) is not None)
    values = known or [value]
    return Auroc(value=value, low=_quantile(values, _TAIL), high=_quantile(values, 1 - _TAIL))


def _rank(example: Example) -> float:
    return inf if example.score is None else example.score


def _auroc(groups: Sequence[Sequence[Example]], weights: Mapping[str, int]) -> float | None:
    """Compute the area, weighting each example by how often its cluster was drawn."""
    supported = unsupported = ordered_pairs = 0.0
    for tied in groups:
        tied_supported = tied_unsupported = 0
        for example in tied:
            if example.is_unsupported:
                tied_unsupported += weights.get(example.cluster, 0)
            else:
                tied_supported += weights.get(example.cluster, 0)
        ordered_pairs += tied_supported * (unsupported + tied_unsupported / 2)
        supported += tied_supported
        unsupported += tied_unsupported
    pairs = supported * unsupported
    return ordered_pairs / pairs if pairs else None


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Interpolate the quantile of a share, 0..1."""
    place = share * (len(ordered) - 1)
    before = int(place)
    after = min(before + 1, len(ordered) - 1)
    return ordered[before] + (place - before) * (ordered[after] - ordered[before])


def flag_below(examples: Sequence[Example], threshold: float) -> Flagged:
    """Flag the examples below a threshold, 0..1."""
    below = [each for each in examples if each.score is not None and each.score < threshold]
    hits = sum(example.is_unsupported for example in below)
    return flagged_of(threshold, len(below), hits, examples)


def best_f1(examples: Sequence[Example]) -> Flagged | None:
    """Find the threshold with the greatest F1, which is optimistic on other examples.

    Returns:
      Of equal ones the lowest threshold, just above a score; None if no unsupported example has a
      score.
    """
    unsupported = sum(example.is_unsupported for example in examples)
    scored = sorted(
        (each.score, each.is_unsupported) for each in examples if each.score is not None
    )
    best, best_counts, flagged, hits = 0.0, None, 0, 0
    for score, tied in groupby(scored, key=itemgetter(0)):
        labels = [is_unsupported for _, is_unsupported in tied]
        flagged, hits = flagged + len(labels), hits + sum(labels)
        if hits and (f1 := 2 * hits / (flagged + unsupported)) > best:
            best, best_counts = f1, (nextafter(score, inf), flagged, hits)
    return flagged_of(*best_counts, examples) if best_counts else None


def flagged_of(
    threshold: float | None, flagged: int, hits: int, examples: Sequence[Example]
) -> Flagged:
    """Convert counts of flagged, and of correctly flagged, examples to shares."""
    unsupported = sum(example.is_unsupported for example in examples)
    return Flagged(
        threshold=threshold,
        flagged=flagged,
        share=_share(flagged, len(examples)),
        precision=_share(hits, flagged),
        recall=_share(hits, unsupported),
        f1=_share(2 * hits, flagged + unsupported) if unsupported else None,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def calibrate(examples: Sequence[Example]) -> Calibration | None:
    """Group examples into tenths by their scores.

    Returns:
      None if no example has a score.

    Source: M. Naeini, G. Cooper, M. Hauskrecht, "Obtaining Well Calibrated Probabilities Using
    Bayesian Binning", AAAI 2015, for the expected calibration error.
    """
    by_bin: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for example in examples:
        if example.score is not None:
            number = min(int(example.score * _BINS), _BINS - 1)
            by_bin[number].append((example.score, not example.is_unsupported))
    bins = tuple(_bin(number, by_bin[number]) for number in sorted(by_bin))
    total = sum(each.count for each in bins)
    if not total:
        return None
    error = sum(each.count * abs(each.mean_score - each.supported) for each in bins) / total
    return Calibration(bins=bins, expected_error=error)


def _bin(number: int, examples: Sequence[tuple[float, bool]]) -> Bin:
    count = len(examples)
    return Bin(
        low=number / _BINS,
        high=(number + 1) / _BINS,
        count=count,
        mean_score=sum(score for score, _ in examples) / count,
        supported=sum(is_supported for _, is_supported in examples) / count,
    )
