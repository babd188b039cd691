"""Find the thresholds that reach a wanted precision or recall."""

from collections.abc import Iterator, Sequence
from math import inf
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.tagging import score_verdict
from groundwatch.transforms.rules.thresholds import NO_THRESHOLDS, Thresholds
from .evaluation import answer_examples
from .labelled_answers import LabelledAnswer
from .statistics import by_threshold, labels_of, scores_of

_FOLDS = 5
_MOST_TRIED = 40
"""Of support scores, beside which all scores of claims are tried."""


class Goal(NamedTuple):
    """A wanted precision, or recall, 0..1."""

    value: float
    is_recall: bool


class _Found(NamedTuple):
    """A threshold, and the share that the goal does not name: greater is better."""

    threshold: float
    other: float


def find_thresholds(labelled: Sequence[LabelledAnswer], goal: Goal) -> Thresholds | None:
    """Find the thresholds that reach the goal at the least cost, each midway between two scores.

    A wanted precision costs recall, and a wanted recall precision. A threshold of 0 has no effect;
    both are above it where together they cost less than either alone, and neither is where answers
    that contradict a fact, which any thresholds flag, reach the goal by themselves. Returns None if
    none reach the goal. Beside each other at most 40 thresholds of the support score are tried.
    """
    examples = answer_examples(labelled)
    claims, labels = scores_of(examples), labels_of(examples)
    supports = scores_of(answer_examples(labelled, "support_score"))
    if not labels.any():
        return None
    always = np.array([each.is_always_flagged for each in labelled], dtype=bool)
    tried: list[tuple[_Found | None, float | None]] = [
        (_best(claims, always, labels, goal), 0.0),
        (_best(supports, always, labels, goal), None),
        *(
            (_best(claims, always | (supports < support), labels, goal), support)
            for support in _spread(supports)
        ),
    ]
    found = [(each, support) for each, support in tried if each]
    if not found:
        return None
    best, support = max(found, key=lambda pair: pair[0].other)
    if support is None:
        return Thresholds(claim=0.0, low_grounded=best.threshold)
    return Thresholds(claim=best.threshold, low_grounded=support)


def _best(
    scores: NDArray[np.float64],
    is_flagged: NDArray[np.bool_],
    labels: NDArray[np.bool_],
    goal: Goal,
) -> _Found | None:
    """Find the threshold of a score, beside answers that are flagged already; 0 if these do."""
    steps, flagged, hits = by_threshold(scores[~is_flagged], labels[~is_flagged])
    steps = np.concatenate(([-inf], steps))
    flagged = np.concatenate(([0], flagged)) + np.count_nonzero(is_flagged)
    hits = np.concatenate(([0], hits)) + np.count_nonzero(labels & is_flagged)
    precision, recall = hits / np.maximum(flagged, 1), hits / np.count_nonzero(labels)
    value, other = (recall, precision) if goal.is_recall else (precision, recall)
    # A threshold is at most 1, and flags lower scores.
    reaches = (value >= goal.value) & (hits > 0) & (steps < 1)
    if not reaches.any():
        return None
    best = np.flatnonzero(reaches)[np.argmax(other[reaches])]
    return _Found(_above(steps, int(best)) if best else 0.0, float(other[best]))


def _spread(scores: NDArray[np.float64]) -> Iterator[float]:
    """Yield thresholds between the scores, the same share of them between any two."""
    known = np.sort(scores[scores < 1])
    if not len(known):
        return
    steps = np.unique(known)
    places = np.linspace(0, len(known) - 1, _MOST_TRIED).round().astype(int)
    for place in np.unique(np.searchsorted(steps, known[places])).tolist():
        yield _above(steps, place)


def _above(steps: NDArray[np.float64], place: int) -> float:
    """Return a short number above a score and at most the next one, near the middle."""
    low = float(steps[place])
    high = float(steps[place + 1]) if place + 1 < len(steps) else 1.0
    middle = (low + high) / 2
    rounded = (round(middle, digits) for digits in range(3, 12))
    return next((each for each in rounded if low < each <= high), high)


def is_flagged(answer: LabelledAnswer, thresholds: Thresholds) -> bool:
    """Return whether any thresholds flag it, or one of its scores is below these."""
    decided = score_verdict(answer.support_score, answer.min_claim_score, thresholds)
    return answer.is_always_flagged or decided.verdict is Verdict.LOW_GROUNDED


def held_out_flags(labelled: Sequence[LabelledAnswer], goal: Goal) -> list[bool]:
    """Flag each answer by the thresholds that the other folds of the clusters give."""
    folds = [part_of(answer, _FOLDS) for answer in labelled]
    pairs = list(zip(labelled, folds, strict=True))
    found = [
        find_thresholds([answer for answer, other in pairs if other != fold], goal)
        for fold in range(_FOLDS)
    ]
    of_fold = [each or NO_THRESHOLDS for each in found]
    return [is_flagged(answer, of_fold[fold]) for answer, fold in pairs]


def part_of(answer: LabelledAnswer, parts: int) -> int:
    """Return the part of the clusters, from 0, that an answer is in, by its cluster's name."""
    return crc32(answer.cluster.encode()) % parts
