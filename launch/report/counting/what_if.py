"""What other thresholds would have found, from the scores that were stored."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from schemas import Record
from transforms.rules.tagging import Thresholds

_TENTHS = tuple(tenth / 10 for tenth in range(11))


class Outcome(Record, frozen=True, kw_only=True):
    """What a pair of thresholds finds.

    Attributes:
      support_threshold, claim_threshold: 0..1; a score equal to its threshold is not low.
      scored: answers that have a score.
      low_grounded: how many of them are low.
      unsupported: of those scored, how many a person labelled unsupported.
      flagged, hits: of those that a person labelled, how many are low, and how many of these
        rightly.
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
        """Low-grounded of those scored, 0..1; None where none was."""
        return self.low_grounded / self.scored if self.scored else None

    @property
    def precision(self) -> float | None:
        """Of the labelled answers found low, the share labelled unsupported; None without any."""
        return self.hits / self.flagged if self.flagged else None

    @property
    def recall(self) -> float | None:
        """Of the answers labelled unsupported, the share found low; None without any."""
        return self.hits / self.unsupported if self.unsupported else None


class _Place(NamedTuple):
    """How many steps an answer's two scores reach, and what a person said of it."""

    support: int
    claim: int
    is_unsupported: bool | None


class ScoreGrid:
    """Counts pairs of scores by the thresholds they lie between.

    Args:
      thresholds: those in force; the grid holds them and every tenth.

    Attributes:
      thresholds: the same.
      support_steps, claim_steps: the thresholds of the grid, 0..1, ascending.
    """

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds
        self.support_steps = _steps(thresholds.low_grounded)
        self.claim_steps = _steps(thresholds.claim)
        self._counts: Counter[_Place] = Counter()

    def add(
        self,
        support_score: float | None,
        min_claim_score: float | None,
        is_unsupported: bool | None = None,
    ) -> None:
        """Count an answer.

        Args:
          support_score: 0..1, or None; a score that is absent is never low.
          min_claim_score: 0..1, or None.
          is_unsupported: what a person said of it, None where nobody did.
        """
        place = _Place(
            support=_reached(self.support_steps, support_score),
            claim=_reached(self.claim_steps, min_claim_score),
            is_unsupported=is_unsupported,
        )
        self._counts[place] += 1

    @property
    def total(self) -> int:
        """How many answers were counted."""
        return self._counts.total()

    def outcome(self, support_threshold: float, claim_threshold: float) -> Outcome:
        """What two of the grid's steps find.

        Raises:
          ValueError: one of them is no step.
        """
        support = self.support_steps.index(support_threshold)
        claim = self.claim_steps.index(claim_threshold)
        low = [place for place in self._counts if place.support <= support or place.claim <= claim]
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
        """Each support threshold beside the claim threshold in force."""
        return [self.outcome(step, self.thresholds.claim) for step in self.support_steps]

    def by_claim(self) -> list[Outcome]:
        """Each claim threshold beside the support threshold in force."""
        return [self.outcome(self.thresholds.low_grounded, step) for step in self.claim_steps]

    def _sum(self, places: Iterable[_Place], labels: Sequence[bool | None]) -> int:
        return sum(self._counts[place] for place in places if place.is_unsupported in labels)


def _steps(in_force: float) -> tuple[float, ...]:
    return tuple(sorted({*_TENTHS, in_force}))


def _reached(steps: Sequence[float], score: float | None) -> int:
    """How many steps a score is not below."""
    return len(steps) if score is None else bisect_right(steps, score)
