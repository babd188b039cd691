"""The result of an answer, as other tools receive it: small, and without a text by default."""

from . import Record
from .alert import WorstClaim
from .checked_answer import Screen, VerdictThresholds


class GroundingResult(Record, frozen=True, kw_only=True):
    """The verdict and the scores of one answer, and the trace that it belongs to.

    `worst_claim` has the text of the least supported claim only with ``--alert_text``. `checker`,
    `revision` and `thresholds` decided; `screen` is what the first of two checkers found.
    """

    record_id: str
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    engine: str | None = None
    event_time_us: int | None = None
    verdict: str
    reason: str
    tags: tuple[str, ...] = ()
    support_score: float | None = None
    min_claim_score: float | None = None
    worst_claim: WorstClaim | None = None
    checker: str | None = None
    revision: str | None = None
    thresholds: VerdictThresholds | None = None
    screen: Screen | None = None
