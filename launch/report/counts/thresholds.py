"""The verdicts under other thresholds, from the stored scores."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from schemas import Record
from transforms.rules.tagging import Thresholds

_TENTHS = tuple(tenth / 10 for tenth in range(11))


class Outcome(Record, frozen=True, kw_only=True):
    """The outcome of a pair of thresholds.

    Attributes:
      support_threshold, claim_threshold: 0..1; a score equal to its threshold is not low.
      scored: answers that have a score.
      low_grounded: scored answers that are low.
      unsupported: scored answers that a person labelled unsupported.
      flagged, hits: labelled answers that are low, and those of them labelled unsupported.
    """

    support_threshold: float
    claim_threshold: float
    scored: int
    low_grounded: int
    unsupported: int
    flagged: int
    hits: int

    @property
    def share(self) -> float | None:
        """Low-grounded answers among those scored, 0..1; None without any."""
        return self.low_grounded / self.scored if self.scored else None

    @property
    def precision(self) -> float | None:
        """Answers labelled unsupported among the labelled low ones; None without any."""
        return self.hits / self.flagged if self.flagged else None

    @property
    def recall(self) -> float | None:
        """Low answers among those labelled unsupported; None without any."""
        return self.hits / self.unsupported if self.unsupported else None


class _Cell(NamedTuple):
    """How many steps the two scores of an answer reach, and its label."""

    support: int
    claim: int
    is_unsupported: bool | None


class ScoreGrid:
    """Count pairs of scores by the thresholds between which they lie.

    Args:
      thresholds: those in force; the grid holds them and every tenth.

    Attributes:
      support_steps, claim_steps: the thresholds of the grid, 0..1, ascending.
    """

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds
        self.support_steps = _steps(thresholds.low_grounded)
        self.claim_steps = _steps(thresholds.claim)
        self._counts: Counter[_Cell] = Counter()

    def add(
        self,
        support_score: float | None,
        min_claim_score: float | None,
        is_unsupported: bool | None = None,
    ) -> None:
        """Count an answer.

        Args:
          support_score: 0..1; a score that is None is never low.
          min_claim_score: 0..1, likewise.
          is_unsupported: the answer's label, None without one.
        """
        support = _reached(self.support_steps, support_score)
        claim = _reached(self.claim_steps, min_claim_score)
        self._counts[_Cell(support, claim, is_unsupported)] += 1

    @property
    def total(self) -> int:
        """How many answers were counted."""
        return self._counts.total()

    def outcome(self, support_threshold: float, claim_threshold: float) -> Outcome:
        """Return the outcome of two steps of the grid.

        Raises:
          ValueError: one of them is not a step.
        """
        support = self.support_steps.index(support_threshold)
        claim = self.claim_steps.index(claim_threshold)
        low = [cell for cell in self._counts if cell.support <= support or cell.claim <= claim]
        return Outcome(
            support_threshold=support_threshold,
            claim_threshold=claim_threshold,
            scored=self.total,
            low_grounded=self._sum(low, (None, False, True)),
            unsupported=self._sum(self._counts, (True,)),
            flagged=self._sum(low, (False, True)),
            hits=self._sum(low, (True,)),
        )

    def by_support(self) -> list[Outcome]:
        """Return the outcome of each support threshold with the claim threshold in force."""
        return [self.outcome(step, self.thresholds.claim) for step in self.support_steps]

    def by_claim(self) -> list[Outcome]:
        """Return the outcome of each claim threshold with the support threshold in force."""
        return [self.outcome(self.thresholds.low_grounded, step) for step in self.claim_steps]

    def _sum(self, cells: Iterable[_Cell], labels: Sequence[bool | None]) -> int:
        return sum(self._counts[cell] for cell in cells if cell.is_unsupported in labels)


def _steps(in_force: float) -> tuple[float, ...]:
    return tuple(sorted({*_TENTHS, in_force}))


def _reached(steps: Sequence[float], score: float | None) -> int:
    """Count the steps that a score is not below."""
    return len(steps) if score is None else bisect_right(steps, score)
