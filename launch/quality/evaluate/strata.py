"""Divide the scored answers into strata, and estimate the verdicts' quality by samples of each."""

from bisect import bisect
from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate
from math import ceil, inf, sqrt
from typing import NamedTuple

from groundwatch.launch.results.shares import Interval, Sample, count_limits
from groundwatch.schemas import Record
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.thresholds import Thresholds

_NEAR = 0.15  # so close above a threshold
# No stratum gets less than this share of the labels.
_LEAST_SHARE = 0.25
_AHEAD = 4  # labels for which the next draws are planned: their order is open
HALF_WIDTH = 0.05
_NO_NAME = "unknown"


class Stratum(StrEnum):
    """A part of the scored answers from which a sample is drawn."""

    FLAGGED = "flagged"
    NEAR = "near"
    OTHER = "other"


class VerdictQuality(NamedTuple):
    """The precision and the recall of LOW_GROUNDED; None where the samples say nothing yet."""

    precision: Interval | None
    recall: Interval | None


class Agreement(NamedTuple):
    """How two people label the same answers: the share of equal labels, and Cohen's kappa."""

    answers: int
    share: float
    kappa: float | None


def stratum_of(
    verdict: str, support_score: float | None, lowest: float | None, thresholds: Thresholds
) -> Stratum | None:
    """Return the stratum of an answer; None if it has no scores, 0..1, or another verdict."""
    distances = [
        score - threshold
        for score, threshold in (
            (support_score, thresholds.low_grounded),
            (lowest, thresholds.claim),
        )
        if score is not None
    ]
    if not distances or verdict not in {Verdict.GROUNDED, Verdict.LOW_GROUNDED}:
        return None
    if verdict == Verdict.LOW_GROUNDED:
        return Stratum.FLAGGED
    return Stratum.NEAR if min(distances) < _NEAR else Stratum.OTHER


def estimate_quality(samples: Mapping[Stratum, Sample]) -> VerdictQuality:
    """Estimate the precision and recall of the verdicts from random samples of the strata.

    Each label stands for as many answers as its stratum has for each of its labels, so that neither
    is biased by how many are drawn from which. Intervals are of 95 %.
    """
    flagged = samples.get(Stratum.FLAGGED, Sample(0, 0, 0))
    others = [
        each for name, each in samples.items() if name is not Stratum.FLAGGED and each.answers
    ]
    precision = flagged.share
    if not precision or not all(each.labelled for each in others):
        return VerdictQuality(precision, None)
    return VerdictQuality(precision, _estimate_recall([flagged], others))


def _estimate_recall(found: Sequence[Sample], missed: Sequence[Sample]) -> Interval | None:
    """Estimate the recall with its 95 % interval, from strata with labels.

    A plain ratio of two estimates is too high if labels are few. Source: E. Beale, "Some Uses of
    Computers in Operational Research", Industrielle Organisation 31 (1962). The recall is still too
    high, and its interval wide, while none or one missed answer is expected among the labels.
    """
    counts = [sum(each.wrong for each in part) for part in (found, missed)]
    whole = sum(counts)
    if not whole:
        return None
    spread, other = (
        sum(each.variance(each.unsupported / each.labelled) for each in part)
        for part in (found, missed)
    )
    value = (counts[0] * whole + spread) / (whole**2 + spread + other)
    low, high = (1 / (1 + each) for each in reversed(_ratio_limits(found, missed)))
    return Interval(value, min(low, value), max(high, value))


def _ratio_limits(found: Sequence[Sample], missed: Sequence[Sample]) -> tuple[float, float]:
    """Return the limits of how many unsupported answers are missed for each that is found.

    Source: A. Donner and G. Zou, "Closed-form confidence intervals for functions of the normal mean
    and standard deviation", Statistical Methods in Medical Research 21 (2012).
    """
    above, above_low, above_high = count_limits(missed)
    below, below_low, below_high = count_limits(found)
    if not above_high or not below_high:
        return (inf, inf) if above_high else (0.0, 0.0)
    both = above * below
    # The lower limit is in the form that divides by no difference.
    part = above_low * (2 * above - above_low)
    root = sqrt(max(both**2 - part * below_high * (2 * below - below_high), 0))
    low = part / (both + root) if part else 0.0
    part = below_low * (2 * below - below_low)
    root = sqrt(max(both**2 - part * above_high * (2 * above - above_high), 0))
    return low, (both + root) / part if part else inf


def next_stratum(
    samples: Mapping[Stratum, Sample], waiting: Collection[Stratum], chance: float
) -> Stratum | None:
    """Choose from which stratum the next answer is drawn.

    Each gets about a quarter of the labels, and the one whose label narrows the estimate most the
    rest. Which one is next is left to chance: who could tell it would know the verdict.

    Args:
      samples: the labels so far.
      waiting: the strata that have an answer without a label; None is returned without one.
      chance: a random number, 0 <= chance < 1.

    >>> flagged, other = Sample(50, 4, 2), Sample(500, 1, 0)
    >>> samples = {Stratum.FLAGGED: flagged, Stratum.OTHER: other}
    >>> next_stratum(samples, [*samples], 0.5)
    <Stratum.OTHER: 'other'>
    """
    open_ = [name for name in samples if name in waiting]
    if not open_:
        return None
    shares = dict.fromkeys(open_, _LEAST_SHARE)
    widest = max(open_, key=lambda name: _gain(samples[name]))
    shares[widest] += 1 - sum(shares.values())
    labels = sum(each.labelled for each in samples.values()) + _AHEAD
    missing = [max(shares[name] * labels - samples[name].labelled, 0) for name in open_]
    place = bisect(list(accumulate(missing)), chance * sum(missing))
    return open_[min(place, len(open_) - 1)]


def _gain(sample: Sample) -> float:
    """Return about how much variance a label more takes away.

    Half a case more of each kind counts as seen, so that a stratum without one is drawn from, too.
    """
    expected = (sample.unsupported + 0.5) / (sample.labelled + 1)
    return sample.variance(expected) / max(sample.labelled, 1)


def labels_needed(interval: Interval, samples: Iterable[Sample], half_width: float) -> int:
    """Return how many labels more, of the answers left, narrow the interval of these samples.

    Its width falls with the root of their number, and to nothing once all answers are labelled.
    """
    answers, labelled, _ = (int(sum(each)) for each in zip(*samples, strict=True))
    present = (interval.high - interval.low) / 2
    if labelled >= answers or present <= half_width:
        return 0
    worth = labelled / (1 - labelled / answers) * (present / half_width) ** 2
    return ceil(worth / (1 + worth / answers)) - labelled


def measure_agreement(pairs: Sequence[tuple[bool, bool]]) -> Agreement | None:
    """Measure how two people agree; kappa is None if both have given one and the same label only.

    Source: J. Cohen, "A Coefficient of Agreement for Nominal Scales" (1960).
    """
    if not pairs:
        return None
    share = sum(own == other for own, other in pairs) / len(pairs)
    first, second = (sum(each) / len(pairs) for each in zip(*pairs, strict=True))
    chance = first * second + (1 - first) * (1 - second)
    kappa = None if chance == 1 else (share - chance) / (1 - chance)
    return Agreement(len(pairs), share, kappa)


class LabelledGroup(Record, frozen=True, kw_only=True):
    """What drawn answers of an engine or reason say; of how many there are, and are unsupported."""

    name: str
    labelled: int
    unsupported: int
    quality: VerdictQuality


class LabelFindings(Record, frozen=True, kw_only=True):
    """What the labels of answers say that were drawn at random; chosen ones would mislead.

    Attributes:
      samples: what was drawn at random, by stratum.
      quality: the unbiased estimate from the samples.
      missing: what keeps precision and recall from being estimated, and what to do; None if known.
      more: how many labels more an interval of ± HALF_WIDTH needs, of precision and recall.
      engines: the estimates by engine.
      reasons: those by the reason of the verdict.
    """

    samples: dict[Stratum, Sample]
    quality: VerdictQuality
    missing: tuple[str | None, str | None]
    more: tuple[int | None, int | None]
    engines: list[LabelledGroup]
    reasons: list[LabelledGroup]


def find_quality(
    samples: dict[Stratum, Sample],
    by_engine: Mapping[str, Mapping[Stratum, Sample]],
    by_reason: Mapping[str, Mapping[Stratum, Sample]],
) -> LabelFindings:
    """Measure the verdicts by samples of all answers, and of those of each engine and reason."""
    quality = estimate_quality(samples)
    flagged = [each for name, each in samples.items() if name is Stratum.FLAGGED]
    pairs = ((quality.precision, flagged), (quality.recall, samples.values()))
    more = [labels_needed(each, drawn, HALF_WIDTH) if each else None for each, drawn in pairs]
    return LabelFindings(
        samples=samples,
        quality=quality,
        missing=(
            None if quality.precision else _missing(flagged, "is flagged"),
            None if quality.recall else _missing(samples.values(), "has scores"),
        ),
        more=(more[0], more[1]),
        engines=_groups(by_engine),
        reasons=_groups(by_reason),
    )


def _missing(samples: Iterable[Sample], what: str) -> str:
    """Say why these samples, of each answer that is or has something, give no estimate."""
    known = [each for each in samples if each.answers]
    if not known:
        return f"unknown: no answer {what}"
    if all(each.labelled for each in known):
        return "unknown: no answer drawn so far is unsupported"
    return "unknown: draw answers at random, and label them, until each stratum has labels"


def _groups(by_name: Mapping[str, Mapping[Stratum, Sample]]) -> list[LabelledGroup]:
    """Estimate what the labels of each name say; the one with the most labels comes first."""
    groups = [
        LabelledGroup(
            name=name or _NO_NAME,
            labelled=sum(each.labelled for each in samples.values()),
            unsupported=sum(each.unsupported for each in samples.values()),
            quality=estimate_quality(samples),
        )
        for name, samples in by_name.items()
    ]
    return sorted(
        (each for each in groups if each.labelled), key=lambda each: (-each.labelled, each.name)
    )
