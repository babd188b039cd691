"""Shares of answers with their intervals: counted, or estimated by samples of strata."""

from collections.abc import Iterable, Sequence
from math import hypot, sqrt
from typing import NamedTuple

from groundwatch.launch.cli.terminal.figures import NOTHING, percent
from groundwatch.schemas import Record

LEAST_DRAWN = 30
"""From fewer drawn answers, nothing is estimated."""

FEW_EXAMPLES = 10  # of fewer, an interval would say nothing
_DRAWN_WITH_LUCK = 40  # a random share of so many is below 30 once in twenty times
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


class Interval(Record, frozen=True):
    """A share with its 95 % interval."""

    value: float
    low: float
    high: float


def share_interval(hits: float, total: float) -> Interval | None:
    """Compute a share, 0..1, with Wilson's 95 % interval; None of nothing.

    >>> share_interval(0, 0) is None, round(share_interval(9, 10).low, 2)
    (True, 0.54)
    """
    if not total:
        return None
    high = 1 - wilson_lower_bound(total - hits, total)
    return Interval(hits / total, wilson_lower_bound(hits, total), high)


class Sample(NamedTuple):
    """How many answers a stratum has, how many drawn ones are labelled, and unsupported."""

    answers: int
    labelled: int
    unsupported: int

    @property
    def wrong(self) -> float:
        """The estimated count of unsupported answers; some are labelled."""
        return self.answers * self.unsupported / self.labelled

    @property
    def share(self) -> Interval | None:
        """The share of unsupported answers, which is known once all are labelled.

        Source: W. Cochran, "Sampling Techniques" (1977), 2.6: a label of a finite stratum says as
        much as this many of an infinite one.
        """
        if 0 < self.labelled == self.answers:
            known = self.unsupported / self.labelled
            return Interval(known, known, known)
        worth = (self.answers - 1) / max(self.answers - self.labelled, 1)
        return share_interval(self.unsupported * worth, self.labelled * worth)

    def variance(self, share: float) -> float:
        """Return that of the estimated count, for a share of unsupported answers.

        Source: Cochran (1977), 3.2: a simple random sample, without replacement.
        """
        unseen = 1 - self.labelled / self.answers
        return self.answers**2 * unseen * share * (1 - share) / max(self.labelled - 1, 1)


def estimate_share(strata: Iterable[Sample]) -> Interval | None:
    """Estimate the share of unsupported answers in some strata; None if one says nothing yet."""
    known = [each for each in strata if each.answers]
    if not known or not all(each.labelled for each in known):
        return None
    answers = sum(each.answers for each in known)
    return Interval(*(min(each / answers, 1.0) for each in count_limits(known)))


def describe_share(
    strata: Iterable[Sample], drawn: str, flag: str = "", random: Sequence[Sample] = ()
) -> str:
    """Count the unsupported answers of strata, or estimate their share by 30 drawn ones or more.

    From fewer ones, say how many are `drawn`, such as "audited", and which value of the flag of the
    random share, if there is one, draws enough. `random` are the strata of that share, if not all.

    >>> describe_share([Sample(11, 11, 1)], "drawn", "--sample")
    '1 of 11'
    >>> describe_share([Sample(100, 4, 1)], "audited", "--escalate_share")
    'too few audited (4): --escalate_share 0.4'
    """
    known = [each for each in strata if each.answers]
    partial = [each for each in known if each.labelled < each.answers]
    if not known:
        return NOTHING
    if not partial:
        found = sum(each.unsupported for each in known)
        return f"{found:,} of {sum(each.answers for each in known):,}"
    by_chance, estimate = random or partial, estimate_share(known)
    labelled = sum(each.labelled for each in by_chance)
    if labelled < LEAST_DRAWN or estimate is None:
        enough = min(_DRAWN_WITH_LUCK / sum(each.answers for each in by_chance), 1)
        return f"too few {drawn} ({labelled}){f': {flag} {enough:.2g}' if flag else ''}"
    return f"{in_percent(estimate)}, by {labelled:,} {drawn}"


def in_percent(share: Interval) -> str:
    """Write a share with its limits, such as ``81.0% (70.0% to 89.0%)``."""
    return f"{percent(share.value)} ({percent(share.low)} to {percent(share.high)})"


def count_limits(strata: Sequence[Sample]) -> tuple[float, float, float]:
    """Estimate how many answers of some strata are unsupported, with limits.

    Source: G. Zou and A. Donner, "Construction of confidence limits about effect measures",
    Statistics in Medicine 27 (2008).
    """
    shares = [(each.answers, each.share) for each in strata]
    known = [(answers, share) for answers, share in shares if share]
    count = sum(each.wrong for each in strata)
    below = hypot(*(answers * (share.value - share.low) for answers, share in known))
    above = hypot(*(answers * (share.high - share.value) for answers, share in known))
    return count, max(count - below, 0.0), count + above
