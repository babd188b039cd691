"""Statistics of scores against labels: AUROC, precision, recall, F1 and calibration."""

from collections.abc import Callable, Iterator, Sequence
from math import ceil, inf, nextafter
from random import Random
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from groundwatch.launch.results.shares import Interval, share_interval
from groundwatch.schemas import Record

_SEED = 20_261  # fixed, so that equal scores give equal intervals
_INTERVAL = (0.025, 0.975)
_BINS = 10


class Example(NamedTuple):
    """A labelled answer or claim; without a score, 0..1, it is never flagged.

    Answers from the same facts, and their claims, are of one cluster: they are not independent.
    """

    score: float | None
    is_unsupported: bool
    cluster: str


class PrecisionRecall(Record, frozen=True, kw_only=True):
    """How many flagged examples are unsupported, and how many unsupported ones are flagged."""

    precision: Interval | None
    recall: Interval | None
    hits: int
    flagged: int
    unsupported: int


class Flagged(Record, frozen=True, kw_only=True):
    """The examples whose score is below a threshold, if one decides, and shares of them, 0..1."""

    threshold: float | None
    flagged: int
    share: float | None
    precision: float | None
    recall: float | None
    f1: float | None


class WorstScored(Record, frozen=True, kw_only=True):
    """The share of the examples, 0..1, that score lowest, and how many of them are unsupported.

    Of equal scores that lie on the edge, a part counts: `unsupported` is what a random choice
    among them gives on average.
    """

    share: float
    examples: int
    unsupported: float
    precision: Interval


class Bin(Record, frozen=True, kw_only=True):
    """The examples whose scores lie in one tenth, and the share of supported ones, 0..1."""

    low: float
    high: float
    count: int
    mean_score: float
    supported: float


class Calibration(Record, frozen=True, kw_only=True):
    """How well scores agree with the share of supported examples, by tenths that hold examples."""

    bins: tuple[Bin, ...]
    expected_error: float


def measure_auroc(examples: Sequence[Example], resamples: int) -> Interval | None:
    """Measure the area under the receiver operating characteristic; None without both labels.

    How often a supported example outscores an unsupported one: 1 is perfect, 0.5 is chance.
    """
    ranks, labels = _ranks(examples), labels_of(examples)
    return _estimate(lambda weights: _auroc(ranks, labels, weights), examples, resamples)


def measure_auroc_difference(
    examples: Sequence[Example], base: Sequence[Example], resamples: int
) -> Interval | None:
    """Measure how much greater the area is than with other scores of the same examples, -1..1."""
    ranks, of_base, labels = _ranks(examples), _ranks(base), labels_of(examples)

    def difference(weights: NDArray[Any]) -> float | None:
        area, other = (_auroc(each, labels, weights) for each in (ranks, of_base))
        return None if area is None or other is None else area - other

    return _estimate(difference, examples, resamples)


def measure_flags(
    examples: Sequence[Example], is_flagged: Sequence[bool], resamples: int
) -> PrecisionRecall:
    """Measure the precision and the recall of flags, one for each example."""
    flags, labels = np.array(is_flagged, dtype=bool), labels_of(examples)
    hits = flags & labels

    def hits_of(whole: NDArray[np.bool_]) -> Interval | None:
        def share(weights: NDArray[Any]) -> float | None:
            return _share(float(weights @ hits), float(weights @ whole))

        return _estimate(share, examples, resamples)

    return PrecisionRecall(
        precision=hits_of(flags),
        recall=hits_of(labels),
        hits=int(np.count_nonzero(hits)),
        flagged=int(np.count_nonzero(flags)),
        unsupported=int(np.count_nonzero(labels)),
    )


def measure_worst(
    examples: Sequence[Example], shares: Sequence[float], resamples: int
) -> tuple[WorstScored, ...]:
    """Measure the precision among the lowest-scored shares, 0..1, of the examples with a score.

    Each share is rounded up to a whole number of examples. Nothing without any.
    """
    scored = [example for example in examples if example.score is not None]
    if not scored:
        return ()
    ranks, labels = _ranks(scored), labels_of(scored)
    counts = [ceil(round(share * len(scored), 6)) for share in shares]
    parts = np.array(counts) / len(scored)

    def precision(weights: NDArray[Any]) -> Any:
        upto = np.cumsum(np.bincount(ranks, weights))
        hits = np.cumsum(np.bincount(ranks, weights * labels))
        wanted = parts * upto[-1]
        return np.interp(wanted, [0.0, *upto], [0.0, *hits]) / wanted

    values = precision(np.ones(len(scored)))
    drawn = [precision(weights) for weights in _resampled(scored, resamples)]
    bounds = np.quantile(drawn, _INTERVAL, axis=0).T
    return tuple(
        WorstScored(
            share=share,
            examples=number,
            unsupported=value * number,
            precision=_with_bounds(value, number, *found),
        )
        for share, number, value, found in zip(
            shares, counts, values.tolist(), bounds.tolist(), strict=True
        )
    )


def _with_bounds(value: float, total: int, low: float, high: float) -> Interval:
    """Return a share with its bounds; where all examples are alike, resamples have none."""
    wilson = share_interval(value * total, total) if value in (0, 1) else None
    return wilson or Interval(value, low, high)


def _estimate(
    measure: Callable[[NDArray[Any]], float | None], examples: Sequence[Example], resamples: int
) -> Interval | None:
    """Measure with equal weights, and with those of resamples."""
    value = measure(np.ones(len(examples)))
    if value is None:
        return None
    values = (measure(weights) for weights in _resampled(examples, resamples))
    known = [each for each in values if each is not None] or [value]
    low, high = np.quantile(known, _INTERVAL)
    return Interval(value, float(low), float(high))


def _resampled(examples: Sequence[Example], resamples: int) -> Iterator[NDArray[Any]]:
    """Yield weights of the examples: how often their cluster is drawn, with replacement.

    Source: B. Efron and R. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.
    """
    names = sorted({example.cluster for example in examples})
    numbers = {name: number for number, name in enumerate(names)}
    clusters = np.array([numbers[example.cluster] for example in examples], dtype=np.intp)
    random = Random(_SEED)  # noqa: S311 - not for a secret
    places = range(len(names))
    for _ in range(resamples):
        drawn = random.choices(places, k=len(names))
        yield np.bincount(drawn, minlength=len(names))[clusters]


def scores_of(examples: Sequence[Example]) -> NDArray[np.float64]:
    """Return the scores; an example without one ranks above all others."""
    return np.array([inf if each.score is None else each.score for each in examples], dtype=float)


def labels_of(examples: Sequence[Example]) -> NDArray[np.bool_]:
    """Return which examples are unsupported."""
    return np.array([example.is_unsupported for example in examples], dtype=bool)


def _ranks(examples: Sequence[Example]) -> NDArray[np.intp]:
    return np.unique(scores_of(examples), return_inverse=True)[1]


def _auroc(
    ranks: NDArray[np.intp], labels: NDArray[np.bool_], weights: NDArray[Any]
) -> float | None:
    """Compute the area, weighting each example by how often its cluster was drawn."""
    supported = np.bincount(ranks, weights * ~labels)
    unsupported = np.bincount(ranks, weights * labels)
    pairs = supported.sum() * unsupported.sum()
    # A tie counts half.
    outscored = np.cumsum(unsupported) - unsupported / 2
    return float(supported @ outscored / pairs) if pairs else None


def flag_below(examples: Sequence[Example], threshold: float) -> Flagged:
    """Flag the examples below a threshold, 0..1."""
    below = labels_of(examples)[scores_of(examples) < threshold]
    return flagged_of(threshold, len(below), int(below.sum()), examples)


def best_f1(examples: Sequence[Example]) -> Flagged | None:
    """Find the lowest threshold with the greatest F1, which is optimistic on other examples."""
    steps, flagged, hits = by_threshold(scores_of(examples), labels_of(examples))
    if not hits.any():
        return None
    best = np.argmax(2 * hits / (flagged + labels_of(examples).sum()))
    threshold = nextafter(steps[best], inf)
    return flagged_of(threshold, int(flagged[best]), int(hits[best]), examples)


def by_threshold(
    scores: NDArray[np.float64], labels: NDArray[np.bool_]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the scores, and how many examples up to each are flagged, and correctly."""
    is_scored = scores < inf
    steps, places = np.unique(scores[is_scored], return_inverse=True)
    hits = np.cumsum(np.bincount(places, labels[is_scored]))
    return steps, np.cumsum(np.bincount(places)), hits


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


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def measure_calibration(examples: Sequence[Example]) -> Calibration | None:
    """Group the examples that have a score into tenths.

    Source: M. Naeini, G. Cooper, M. Hauskrecht, "Obtaining Well Calibrated Probabilities Using
    Bayesian Binning", AAAI 2015, for the expected calibration error.
    """
    scores = scores_of(examples)
    is_scored = scores < inf
    scores, supported = scores[is_scored], ~labels_of(examples)[is_scored]
    if not len(scores):
        return None
    tenths = np.minimum((scores * _BINS).astype(int), _BINS - 1)
    counts = np.bincount(tenths)
    means = np.bincount(tenths, scores) / np.maximum(counts, 1)
    shares = np.bincount(tenths, supported) / np.maximum(counts, 1)
    return Calibration(
        bins=tuple(
            Bin(
                low=tenth / _BINS,
                high=(tenth + 1) / _BINS,
                count=int(counts[tenth]),
                mean_score=float(means[tenth]),
                supported=float(shares[tenth]),
            )
            for tenth in np.flatnonzero(counts).tolist()
        ),
        expected_error=float(np.average(np.abs(means - shares), weights=counts)),
    )
