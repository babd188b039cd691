"""Divide the scored answers into strata, and estimate the verdicts' quality by samples of each."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from math import ceil, exp, log, sqrt
from typing import NamedTuple

from launch.evaluate.shares import Interval, share_interval
from schemas.verdict import Verdict
from transforms.rules.tagging import Thresholds

_Z = 1.959964  # of a 95 % interval
_NEAR = 0.15  # so close above a threshold
# No stratum has less than this share of the labels.
_LEAST_SHARE = 0.25


class Stratum(StrEnum):
    """A part of the scored answers from which a sample is drawn."""

    FLAGGED = "flagged"
    NEAR = "near"
    OTHER = "other"


class Sample(NamedTuple):
    """How many answers a stratum has, how many drawn ones are labelled, and unsupported."""

    answers: int
    labelled: int
    unsupported: int

    @property
    def expected(self) -> float:
        """The share of unsupported answers, as if half a case more of each kind was seen."""
        return (self.unsupported + 0.5) / (self.labelled + 1)

    @property
    def variance(self) -> float:
        """Of the estimated count of unsupported answers.

        Source: W. Cochran, "Sampling Techniques" (1977), 5.3: a simple random sample of a stratum,
        without replacement.
        """
        spread = self.expected * (1 - self.expected)
        unseen = 1 - self.labelled / self.answers
        return self.answers**2 * unseen * spread / max(self.labelled, 1)


class Quality(NamedTuple):
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


def estimate_quality(samples: Mapping[Stratum, Sample]) -> Quality:
    """Estimate the precision and recall of the verdicts from random samples of the strata.

    Each label stands for as many answers as its stratum has for each of its labels, so that neither
    is biased by how many are drawn from which. Intervals are of 95 %: that of the precision is
    Wilson's, that of the recall is normal in the logarithm of its odds.
    """
    flagged = samples.get(Stratum.FLAGGED, Sample(0, 0, 0))
    precision = share_interval(flagged.unsupported, flagged.labelled)
    strata = {name: each for name, each in samples.items() if each.answers}
    if not flagged.labelled or not all(each.labelled for each in strata.values()):
        return Quality(precision, None)
    others = [each for name, each in strata.items() if name is not Stratum.FLAGGED]
    found = flagged.answers * flagged.unsupported / flagged.labelled
    missed = sum(each.answers * each.unsupported / each.labelled for each in others)
    if not found + missed:
        return Quality(precision, None)
    value = found / (found + missed)
    expected = [sum(each.answers * each.expected for each in part) for part in ([flagged], others)]
    variances = [sum(each.variance for each in part) for part in ([flagged], others)]
    if not expected[1]:
        return Quality(precision, Interval(1.0, 1.0, 1.0))
    centre = log(expected[0] / expected[1])
    spread = _Z * sqrt(
        sum(each / count**2 for each, count in zip(variances, expected, strict=True))
    )
    low, high = (1 / (1 + exp(-(centre + sign * spread))) for sign in (-1, 1))
    return Quality(precision, Interval(value, min(low, value), max(high, value)))


def next_stratum(samples: Mapping[Stratum, Sample]) -> Stratum | None:
    """Choose from which stratum the next answer is drawn; None if all are labelled.

    The one whose next label narrows the estimate most, but each has a quarter of the labels.
    """
    open_ = {name: each for name, each in samples.items() if each.labelled < each.answers}
    total = sum(each.labelled for each in samples.values())
    behind = [name for name, each in open_.items() if each.labelled <= total * _LEAST_SHARE]
    if behind:
        return min(behind, key=lambda name: open_[name].labelled)
    return max(
        open_, key=lambda name: open_[name].variance / (open_[name].labelled + 1), default=None
    )


def labels_needed(interval: Interval, labelled: int, half_width: float) -> int:
    """Return how many labels more a narrower interval needs: its width falls with their root."""
    present = (interval.high - interval.low) / 2
    return max(0, ceil(labelled * (present / half_width) ** 2) - labelled)


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
