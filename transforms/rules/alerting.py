"""Decide which answers are worth an alert, and its severity."""

from schemas import Record
from schemas.alert import Alert, AlertKind, Severity, WorstClaim
from schemas.enriched_answer import EnrichedAnswer
from schemas.verdict import Verdict


class AlertRule(Record, frozen=True, kw_only=True):
    """Which answers are worth an alert: those with one of the verdicts or tags.

    A LOW_GROUNDED answer below `critical_support_score` (0..1) is critical. With `with_text` the
    alert contains the answer and its worst claim.
    """

    verdicts: frozenset[Verdict] = frozenset({Verdict.LOW_GROUNDED, Verdict.POLICY_SKIPPED})
    tags: frozenset[str] = frozenset()
    critical_support_score: float = 0.3
    with_text: bool = False


_COPIED_FIELDS = {*Alert.__struct_fields__} & {*EnrichedAnswer.__struct_fields__} - {"answer_text"}


def select_alert(enriched: EnrichedAnswer, rule: AlertRule) -> Alert | None:
    """Return the alert for an answer, None if it is not worth one."""
    if enriched.verdict not in rule.verdicts and rule.tags.isdisjoint(enriched.tags):
        return None
    copied = {name: getattr(enriched, name) for name in _COPIED_FIELDS}
    return Alert(
        **copied,
        kind=AlertKind.ANSWER,
        worst_claim=worst_claim(enriched, with_text=rule.with_text),
        severity=_severity(enriched, rule),
        answer_text=enriched.answer_text if rule.with_text else None,
    )


def worst_claim(enriched: EnrichedAnswer, *, with_text: bool) -> WorstClaim | None:
    """Return the claim with the lowest score among those that required a check, if any."""
    scored = [claim for claim in enriched.claims if claim.required_score is not None]
    claim = min(scored, key=lambda claim: claim.required_score or 0.0, default=None)
    if claim is None or claim.score is None:
        return None
    text = claim.text if with_text else None
    return WorstClaim(start=claim.start, end=claim.end, score=claim.score, text=text)


def _severity(enriched: EnrichedAnswer, rule: AlertRule) -> Severity:
    if enriched.verdict is not Verdict.LOW_GROUNDED:
        return Severity.INFO
    score = enriched.support_score
    is_critical = score is not None and score < rule.critical_support_score
    return Severity.CRITICAL if is_critical else Severity.WARNING
