"""Derive from a record what decided its answer before any check.

A record holds the reason of its verdict, the reasons for which the generator skipped or withheld
the answer, and tags. It does not hold the state or the finish reason. Where several of these would
lead to the same record, any of them serves.
"""

from schemas import Record
from schemas.verdict import Tag
from schemas.wire.groundwatch import EnrichedRow
from transforms.rules.routing import has_finish_reasons
from transforms.rules.verdicts import (
    BLOCKED_RATING,
    FINDINGS,
    POLICY_FINISH_REASONS,
    STATE_VERDICTS,
)


class Signals(Record, frozen=True, kw_only=True):
    """The fields of `Answer` that it is routed by."""

    state: str | None = None
    error_status: str | None = None
    skip_reasons: tuple[str, ...] = ()
    finish_reason: str | None = None
    block_reason: str | None = None


def read_signals(row: EnrichedRow) -> Signals:
    """Find signals that lead to the same decision and the same tags as they did before."""
    if has_finish_reasons(row.source_format):
        return _candidate_signals(row)
    if row.verdict_reason in STATE_VERDICTS:
        return Signals(state=row.verdict_reason, skip_reasons=row.skip_reasons)
    if _is_explained(row):
        return Signals(skip_reasons=row.skip_reasons)
    # Nothing else is a reason by itself but the error that a stream broke off with.
    return Signals(state="FAILED", error_status=row.verdict_reason, skip_reasons=row.skip_reasons)


def _is_explained(row: EnrichedRow) -> bool:
    """Return whether the verdict's reason follows from what else the record holds."""
    known = (*FINDINGS, BLOCKED_RATING, *row.skip_reasons)
    return row.verdict_reason in known


def _candidate_signals(row: EnrichedRow) -> Signals:
    """Find a candidate's finish reason and its prompt's block reason, which a record has as one."""
    finish_reason, reasons = _finish_reason(row), row.skip_reasons
    if finish_reason == "STOP" and reasons and reasons[0] in POLICY_FINISH_REASONS:
        finish_reason, reasons = reasons[0], reasons[1:]
    return Signals(finish_reason=finish_reason, block_reason=reasons[0] if reasons else None)


def _finish_reason(row: EnrichedRow) -> str | None:
    if Tag.UNFINISHED in row.tags:
        return None
    if Tag.TRUNCATED in row.tags:
        return "MAX_TOKENS"
    if Tag.ABNORMAL_FINISH in row.tags:
        return "OTHER" if _is_explained(row) else row.verdict_reason
    return "STOP"
