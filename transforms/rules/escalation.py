"""Decide which answers a second checker checks, by what the first one has found."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from groundwatch.schemas.answer import Fact
from groundwatch.schemas.checked_answer import CheckedAnswer, Screen
from groundwatch.schemas.verdict import Tag, Verdict
from .sampling import is_in_share
from .tagging import score_verdict
from .thresholds import EscalationRule

HasHardClaim = Callable[[str, Sequence[Fact], str | None], bool]
"""Return whether an answer, with its facts and its question, has a claim that words judge badly."""

_DIGITS = slice(16, 32)
"""Of a record id. Samples are drawn by the first 16: the share of a sample is drawn by others."""


def screen_answer(
    checked: CheckedAnswer, rule: EscalationRule, has_hard_claim: HasHardClaim
) -> CheckedAnswer:
    """Note on an answer what the first checker found, and whether the second one checks it.

    An answer that the first one could not check, since it needs too many calls, stays as it is.
    The same answer is picked in every run: its reply, its question and its record id decide.
    """
    grounding, check = checked.grounding, checked.check
    if grounding is None or check is None:
        return checked
    lowest = min(grounding.required_scores, default=None)
    thresholds = rule.thresholds.of_engine(checked.answer.engine)
    decision = score_verdict(
        grounding.support_score, lowest, thresholds, contradicts=bool(grounding.contradictions)
    )
    screen = Screen(
        checker=check.checker,
        revision=check.revision,
        verdict=decision.verdict,
        verdict_reason=decision.reason,
        support_score=grounding.support_score,
        min_claim_score=lowest,
        characters=check.characters,
        escalate_below=rule.below,
        audit_share=rule.share,
    )
    return replace(checked, screen=screen, escalation=_pick(checked, screen, rule, has_hard_claim))


def _pick(
    checked: CheckedAnswer, screen: Screen, rule: EscalationRule, has_hard_claim: HasHardClaim
) -> Tag | None:
    """Return ESCALATED for an uncertain answer, AUDITED for a random one of the others."""
    answer, lowest = checked.answer, screen.min_claim_score
    is_low = screen.verdict == Verdict.LOW_GROUNDED
    if is_low or (lowest is not None and lowest < rule.below):
        return Tag.ESCALATED
    if has_hard_claim(answer.answer_text, answer.facts, answer.query):
        return Tag.ESCALATED
    return Tag.AUDITED if is_drawn(answer.record_id, rule.share) else None


def is_drawn(record_id: str, share: float) -> bool:
    """Return whether an answer is in the random share, 0..1, of those that are not escalated."""
    return is_in_share(record_id[_DIGITS], share)
