"""Count scores by the thresholds that they reach."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from launch.evaluate.precision_recall import FlagCounts, share_of
from schemas import Record
from transforms.rules.tagging import Thresholds

_TENTHS = tuple(tenth / 10 for tenth in range(11))


class ThresholdOutcome(Record, frozen=True, kw_only=True):
    """The outcome of a pair of thresholds; precision and recall are of labelled answers, 0..1."""

    low_grounded: int
    share: float | None
    precision: float | None
    recall: float | None


class ScoreGrid:
    """Count pairs of scores by the thresholds in force, and every tenth, that they reach."""

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds
        self.support_steps = sorted({*_TENTHS, thresholds.low_grounded})
        self.claim_steps = sorted({*_TENTHS, thresholds.claim})
        self._counts: Counter[tuple[int, int, bool | None]] = Counter()

    def add(
        self, support_score: float | None, min_claim_score: float | None, label: bool | None
    ) -> None:
        """Count an answer and whether it is labelled unsupported; a score of None is never low."""
        support = _steps_reached(self.support_steps, support_score)
        claim = _steps_reached(self.claim_steps, min_claim_score)
        self._counts[support, claim, label] += 1

    @property
    def total(self) -> int:
        """How many answers were counted."""
        return self._counts.total()

    @property
    def in_force(self) -> ThresholdOutcome:
        """The outcome of the thresholds in force."""
        return self.outcome(self.thresholds.low_grounded, self.thresholds.claim)

    def outcome(self, support_threshold: float, claim_threshold: float) -> ThresholdOutcome:
        """Return the outcome of two steps; a score equal to its threshold is not low."""
        support_step = self.support_steps.index(support_threshold)
        claim_step = self.claim_steps.index(claim_threshold)
        scored: Counter[bool | None] = Counter()
        low: Counter[bool | None] = Counter()
        for (support, claim, label), count in self._counts.items():
            scored[label] += count
            if support <= support_step or claim <= claim_step:
                low[label] += count
        labelled = FlagCounts(
            flagged=low[True] + low[False], unsupported=scored[True], hits=low[True]
        )
        return ThresholdOutcome(
            low_grounded=low.total(),
            share=share_of(low.total(), scored.total()),
            precision=labelled.precision,
            recall=labelled.recall,
        )

    def by_support(self) -> dict[float, ThresholdOutcome]:
        """Map each support threshold to its outcome with the claim threshold in force."""
        return {step: self.outcome(step, self.thresholds.claim) for step in self.support_steps}

    def by_claim(self) -> dict[float, ThresholdOutcome]:
        """Map each claim threshold to its outcome with the support threshold in force."""
        return {step: self.outcome(self.thresholds.low_grounded, step) for step in self.claim_steps}


def _steps_reached(steps: Sequence[float], score: float | None) -> int:
    return len(steps) if score is None else bisect_right(steps, score)
