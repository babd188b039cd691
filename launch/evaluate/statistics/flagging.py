"""What a threshold flags, and how rightly."""

from collections.abc import Sequence
from itertools import groupby
from math import inf, nextafter
from operator import itemgetter

from launch.evaluate.statistics.example import Example
from schemas import Record


class Flagged(Record, frozen=True, kw_only=True):
    """What is flagged where all that scores below a threshold is.

    Attributes:
      threshold: a score equal to it is not flagged; None where no single threshold decides.
      flagged: how many examples are.
      share: of all examples, 0..1; None where there is none.
      precision: the share of the flagged that is unsupported; None where nothing is flagged.
      recall: the share of the unsupported that is flagged; None where nothing is unsupported.
      f1: the harmonic mean of the two; 0 where nothing is rightly flagged, None without anything
        unsupported.
    """

    threshold: float | None
    flagged: int
    share: float | None
    precision: float | None
    recall: float | None
    f1: float | None


def flag_below(examples: Sequence[Example], threshold: float) -> Flagged:
    """Tell what a threshold, 0..1, flags."""
    below = [each for each in examples if each.score is not None and each.score < threshold]
    hits = sum(example.is_unsupported for example in below)
    return share_out(threshold, len(below), hits, examples)


def best_f1(examples: Sequence[Example]) -> Flagged | None:
    """Find the threshold with the greatest F1, in hindsight: on other examples it does worse.

    Returns:
      Of equals the lowest threshold, just above a score; None where no unsupported example has a
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
    return share_out(*best_counts, examples) if best_counts else None


def share_out(
    threshold: float | None, flagged: int, hits: int, examples: Sequence[Example]
) -> Flagged:
    """Put counts of flagged examples, and of those rightly flagged, into shares."""
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
