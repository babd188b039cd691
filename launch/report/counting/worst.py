"""The worst answers: few enough to read."""

import heapq
from collections.abc import Mapping
from typing import Any

from launch.report.counting.seen import SeenAnswer
from launch.report.counting.shown_answer import ShownAnswer, shown_answer_from_row
from schemas.verdict import Verdict

_MOST_ANSWERS = 20


class WorstAnswers:
    """Keeps the low-grounded answers with the least scores.

    Args:
      most: how many.
    """

    def __init__(self, most: int = _MOST_ANSWERS) -> None:
        self._most = most
        self._heap: list[tuple[float, float, int, ShownAnswer]] = []
        self._order = 0

    def add(self, answer: SeenAnswer, row: Mapping[str, Any]) -> None:
        """Keep an answer if it is among the worst so far.

        Args:
          answer: the counted fields.
          row: the row they are from.
        """
        if answer.verdict != Verdict.LOW_GROUNDED or answer.min_claim_score is None:
            return  # the generator said so itself, and there are no claims to show
        self._order += 1
        # The heap's first is the best of the worst, so what is worse must be greater.
        rank = -answer.min_claim_score, -(answer.support_score or 0.0), -self._order
        if len(self._heap) == self._most and rank < self._heap[0][:3]:
            return
        if any(kept.answer.record_id == answer.record_id for *_, kept in self._heap):
            return
        add = heapq.heappush if len(self._heap) < self._most else heapq.heappushpop
        add(self._heap, (*rank, shown_answer_from_row(answer, row)))

    def answers(self) -> list[ShownAnswer]:
        """The answers kept, the worst first."""
        return [answer for *_, answer in sorted(self._heap, key=lambda kept: kept[:3])][::-1]
