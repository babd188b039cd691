"""Count scores by the thresholds that they reach."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from groundwatch.transforms.rules.thresholds import Thresholds

_TENTHS = tuple(tenth / 10 for tenth in range(11))


class ScoreGrid(Counter[tuple[int, int]]):
    """Count pairs of scores by the thresholds in force, and every tenth, that they reach."""

    def __init__(self, thresholds: Thresholds) -> None:
        super().__init__()
        self.thresholds = thresholds
        self.support_steps = sorted({*_TENTHS, thresholds.low_grounded})
        self.claim_steps = sorted({*_TENTHS, thresholds.claim})

    def add(self, support_score: float | None, min_claim_score: float | None) -> None:
        """Count an answer; a score of None is never low."""
        support = _steps_reached(self.support_steps, support_score)
        self[support, _steps_reached(self.claim_steps, min_claim_score)] += 1

    @property
    def in_force(self) -> int:
        """How many answers are low-grounded by the thresholds in force."""
        return self.low_grounded(self.thresholds.low_grounded, self.thresholds.claim)

    def low_grounded(self, support_threshold: float, claim_threshold: float) -> int:
        """Count the low-grounded answers of two steps; a score equal to its step is not low."""
        support_step = self.support_steps.index(support_threshold)
        claim_step = self.claim_steps.index(claim_threshold)
        return sum(
            count
            for (support, claim), count in self.items()
            if support <= support_step or claim <= claim_step
        )

    def by_support(self) -> dict[float, int]:
        """Count them by each support threshold, with the claim threshold in force."""
        return {step: self.low_grounded(step, self.thresholds.claim) for step in self.support_steps}

    def by_claim(self) -> dict[float, int]:
        """Count them by each claim threshold, with the support threshold in force."""
        support = self.thresholds.low_grounded
        return {step: self.low_grounded(support, step) for step in self.claim_steps}


def _steps_reached(steps: Sequence[float], score: float | None) -> int:
    return len(steps) if score is None else bisect_right(steps, score)
