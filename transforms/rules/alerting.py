"""Decide which answers are worth an alert, and its severity; derive what other tools receive."""

from collections.abc import Sequence

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert, AlertKind, Severity, WorstClaim
from groundwatch.schemas.checked_answer import Claim
from groundwatch.schemas.enriched_answer import AnswerRow, CheckUsage, EnrichedAnswer
from groundwatch.schemas.grounding_result import GroundingResult
from groundwatch.schemas.verdict import Verdict
from .record_urls import record_url


class AlertRule(Record, frozen=True, kw_only=True):
    """Which answers are worth an alert: those with one of the verdicts or tags.

    A LOW_GROUNDED answer below `critical_support_score` (0..1) is critical. `record_url` is the
    template of the addresses of records.
    """

    verdicts: frozenset[Verdict] = frozenset({Verdict.LOW_GROUNDED, Verdict.POLICY_SKIPPED})
    tags: frozenset[str] = frozenset()
    critical_support_score: float = 0.3
    with_text: bool = False
    record_url: str | None = None


_RESULT_FIELDS = {*GroundingResult.__struct_fields__} & {*EnrichedAnswer.__struct_fields__}
_COPIED_FIELDS = {*Alert.__struct_fields__} & {*EnrichedAnswer.__struct_fields__} - {"answer_text"}


def select_alert(enriched: EnrichedAnswer, rule: AlertRule) -> Alert | None:
    """Return the alert for an answer, None if it is not worth one."""
    if enriched.verdict not in rule.verdicts and rule.tags.isdisjoint(enriched.tags):
        return None
    severity, score = Severity.INFO, enriched.support_score
    if enriched.verdict is Verdict.LOW_GROUNDED:
        is_critical = score is not None and score < rule.critical_support_score
        severity = Severity.CRITICAL if is_critical else Severity.WARNING
    return Alert(
        **{name: getattr(enriched, name) for name in _COPIED_FIELDS},
        kind=AlertKind.ANSWER,
        worst_claim=worst_claim(enriched.claims, with_text=rule.with_text),
        severity=severity,
        answer_text=enriched.answer_text if rule.with_text else None,
        record_url=record_url(rule.record_url, enriched),
    )


def grounding_result(answer: EnrichedAnswer | AnswerRow, *, with_text: bool) -> GroundingResult:
    """Return what other tools receive of an answer; with the text of its worst claim or without."""
    check = answer.check or CheckUsage()
    return GroundingResult(
        **{name: getattr(answer, name) for name in _RESULT_FIELDS},
        reason=answer.verdict_reason,
        worst_claim=worst_claim(answer.claims, with_text=with_text),
        checker=check.checker,
        revision=check.revision,
        thresholds=check.thresholds,
    )


def worst_claim(claims: Sequence[Claim], *, with_text: bool) -> WorstClaim | None:
    """Return the least supported of the claims that required a check, None if there is none."""
    scored = (
        WorstClaim(start=each.start, end=each.end, score=score, text=each.text or None)
        for each in claims
        if (score := each.required_score) is not None
    )
    worst = min(scored, key=lambda claim: claim.score, default=None)
    return worst if worst is None or with_text else replace(worst, text=None)
