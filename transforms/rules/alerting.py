"""Decide which answers are worth an alert, and its severity."""

from schemas import Record
from schemas.alert import Alert, AlertKind, Severity, WorstClaim
from schemas.enriched_answer import EnrichedAnswer
from schemas.verdict import Verdict


class AlertRule(Record, frozen=True, kw_only=True):
    """Which answers are worth an alert.

    Attributes:
      verdicts: alert on answers with one of these verdicts.
      tags: also alert on answers with one of these tags.
      critical_support_score: 0..1; a LOW_GROUNDED answer below it is critical.
      with_text: whether the alert contains the answer and its worst claim.
    """

    verdicts: frozenset[Verdict] = frozenset({Verdict.LOW_GROUNDED, Verdict.POLICY_SKIPPED})
    tags: frozenset[str] = frozenset()
    critical_support_score: float = 0.3
    with_text: bool = False


def select_alert(enriched: EnrichedAnswer, rule: AlertRule) -> Alert | None:
    """Return the alert for an answer, None if it is not worth one."""
    if enriched.verdict not in rule.verdicts and rule.tags.isdisjoint(enriched.tags):
        return None
    return Alert(
        kind=AlertKind.ANSWER,
        record_id=enriched.record_id,
        answer_name=enriched.answer_name,
        engine=enriched.engine,
        session=enriched.session,
        verdict=enriched.verdict,
        verdict_reason=enriched.verdict_reason,
        tags=enriched.tags,
        support_score=enriched.support_score,
        min_claim_score=enriched.min_claim_score,
        worst_claim=worst_claim(enriched, with_text=rule.with_text),
        event_time_us=enriched.event_time_us,
        severity=_severity(enriched, rule),
        answer_text=enriched.answer_text if rule.with_text else None,
    )


def worst_claim(enriched: EnrichedAnswer, *, with_text: bool) -> WorstClaim | None:
    """Return the claim with the lowest score among those that required a check, if any."""
    scored = [
        (claim.required_score, claim)
        for claim in enriched.claims
        if claim.required_score is not None
    ]
    if not scored:
        return None
    score, claim = min(scored, key=lambda scored_claim: scored_claim[0])
    text = claim.text if with_text else None
    return WorstClaim(start=claim.start, end=claim.end, score=score, text=text)


def _severity(enriched: EnrichedAnswer, rule: AlertRule) -> Severity:
    if enriched.verdict is not Verdict.LOW_GROUNDED:
        return Severity.INFO
    score = enriched.support_score
    is_critical = score is not None and score < rule.critical_support_score
    return Severity.CRITICAL if is_critical else Severity.WARNING
