"""Results with sensible defaults, and a target of the tests' own."""

from collections.abc import Collection, Sequence
from typing import Any

from groundwatch.launch.targets.target import RowsRefused, Target, TargetUnavailable
from groundwatch.schemas.alert import WorstClaim
from groundwatch.schemas.grounding_result import GroundingResult
from tests.support.builders import NOON_US, RECORD_ID

TRACE_ID, SPAN_ID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def a_result(**fields: Any) -> GroundingResult:
    """The result of a low-grounded answer of a trace."""
    given = {
        "record_id": RECORD_ID,
        "trace_id": TRACE_ID,
        "span_id": SPAN_ID,
        "response_id": "resp-1",
        "engine": "shop",
        "event_time_us": NOON_US,
        "verdict": "LOW_GROUNDED",
        "reason": "SUPPORT_SCORE",
        "tags": ("UNSUPPORTED_CLAIM",),
        "support_score": 0.25,
        "min_claim_score": 0.1,
        "worst_claim": WorstClaim(start=0, end=11, score=0.1),
    }
    return GroundingResult(**given | fields)


METADATA = {
    "record_id": RECORD_ID,
    "reason": "SUPPORT_SCORE",
    "engine": "shop",
    "tags": ["UNSUPPORTED_CLAIM"],
    "min_claim_score": 0.1,
    "response_id": "resp-1",
}
"""What tools of traces keep beside the verdict of this result."""


class ATarget(Target[GroundingResult]):
    """Keep what is sent, except rows of some ids; or raise an error of the test's choice."""

    name = "tool"

    def __init__(self, refused: Collection[str] = ()) -> None:
        self.sent: list[str] = []
        self.calls = 0
        self.calls_until_away: int | None = None
        self.error: Exception | None = None
        self._refused = refused

    def send(self, rows: Sequence[GroundingResult]) -> None:
        self.calls += 1
        if self.error:
            raise self.error
        if self.calls_until_away is not None and self.calls > self.calls_until_away:
            raise TargetUnavailable("away")
        if any(row.record_id in self._refused for row in rows):
            raise RowsRefused("HTTP 400")
        self.sent += [row.record_id for row in rows]

    def accepts(self, row: GroundingResult) -> bool:
        return bool(row.trace_id)
