"""Decide which answers are worth an alert, and its severity."""

from schemas import Record
from schemas.alert import Alert, AlertKind, Severity, WorstClaim
from schemas.enriched_answer import EnrichedAnswer
from schemas.verdict import Verdict
from transforms.rules.record_urls import record_url


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


_COPIED_FIELDS = {*Alert.__struct_fields__} & {*EnrichedAnswer.__struct_fields__} - {"answer_text"}


def select_alert(enriched: EnrichedAnswer, rule: AlertRule) -> Alert | None:
    """Return the alert for an answer, None if it is not worth one."""
    if enriched.verdict not in rule.verdicts and rule.tags.isdisjoint(enriched.tags):
        return None
    severity, score = Severity.INFO, enriched.support_score
    if enriched.verdict is Verdict.LOW_GROUNDED:
        is_critical = score is not None and score < rule.critical_support_score
        severity = Severity.CRITICAL if is_critical else Severity.WARNING
    claims = (
        WorstClaim(
            start=claim.start,
            end=claim.end,
            score=claim.required_score,
            text=claim.text if rule.with_text else None,
        )
        for claim in enriched.claims
        if claim.required_score is not None
    )
    return Alert(
        **{name: getattr(enriched, name) for name in _COPIED_FIELDS},
        kind=AlertKind.ANSWER,
        worst_claim=min(claims, key=lambda claim: claim.score, default=None),
        severity=severity,
        answer_text=enriched.answer_text if rule.with_text else None,
        record_url=record_url(rule.record_url, enriched),
    )
