"""Decide which answers need no check, and what tags follow from an answer alone."""

from collections.abc import Iterator, Mapping

from schemas.answer import Answer, SafetyRating
from schemas.checked_answer import Decision
from schemas.verdict import Tag, Verdict
from transforms.rules import verdicts

_FORMATS_WITH_FINISH_REASON = ("gemini.", "vertex.")
_NOTABLE_RATINGS = frozenset({"MEDIUM", "HIGH"})
_LOW_ANSWERABLE_PROBABILITY = 0.5


def route(answer: Answer, moved_reasons: Mapping[str, Verdict] = {}) -> Decision | None:
    """Decide an answer without a check, where possible; return None if it needs a check.

    Args:
      answer: any answer.
      moved_reasons: reasons that the user moves to another verdict than the table's.
    """
    decisions = [
        Decision(
            verdict=moved_reasons.get(decision.reason, decision.verdict), reason=decision.reason
        )
        for decision in _signals(answer)
    ]
    if not decisions:
        return _unscorable(answer)
    return min(decisions, key=lambda decision: verdicts.PRECEDENCE.index(decision.verdict))


def routing_tags(answer: Answer) -> Iterator[Tag]:
    """Yield the tags that follow from an answer alone, whatever its verdict."""
    if _has_unknown_reason(answer):
        yield Tag.UNKNOWN_SKIP_REASON
    if answer.finish_reason == "MAX_TOKENS":
        yield Tag.TRUNCATED
    elif _finished_abnormally(answer):
        yield Tag.ABNORMAL_FINISH
    elif _is_unfinished(answer):
        yield Tag.UNFINISHED
    if any(_is_notable(rating) for rating in answer.safety_ratings):
        yield Tag.SAFETY_RATED
    probability = answer.answerable_probability
    if probability is not None and probability < _LOW_ANSWERABLE_PROBABILITY:
        yield Tag.LOW_ANSWERABLE_PROBABILITY


def depends_on_content(answer: Answer) -> bool:
    """Return whether an answer's verdict depends on its text and facts, not on a given reason."""
    return not any(True for _ in _given_signals(answer))


def is_incomplete(answer: Answer) -> bool:
    """Return whether an answer is still being generated, so that the final one may follow.

    A Gemini candidate without a finish reason and without text is incomplete, unless its prompt or
    the candidate itself was blocked.
    """
    if answer.state and verdicts.STATE_VERDICTS.get(answer.state) is Verdict.INCOMPLETE:
        return True
    return (
        has_finish_reasons(answer.source_format)
        and answer.finish_reason is None
        and not answer.answer_text.strip()
        and answer.block_reason is None
        and not any(rating.blocked for rating in answer.safety_ratings)
    )


def has_finish_reasons(source_format: str) -> bool:
    """Return whether the answers of a format are candidates, which have finish reasons."""
    return source_format.startswith(_FORMATS_WITH_FINISH_REASON)


def policy_reasons(answer: Answer) -> Iterator[str]:
    """Yield the reasons for which policy blocked an answer, except its skip reasons."""
    if answer.finish_reason and answer.finish_reason in verdicts.POLICY_FINISH_REASONS:
        yield answer.finish_reason
    if answer.block_reason:
        yield answer.block_reason


def _signals(answer: Answer) -> Iterator[Decision]:
    yield from _given_signals(answer)
    if _finished_abnormally(answer) and not answer.answer_text.strip():
        yield Decision(verdict=Verdict.GENERATION_FAILED, reason=str(answer.finish_reason))


def _given_signals(answer: Answer) -> Iterator[Decision]:
    if answer.state and answer.state in verdicts.STATE_VERDICTS:
        reason = answer.error_status or answer.state
        yield Decision(verdict=verdicts.STATE_VERDICTS[answer.state], reason=reason)
    for reason in answer.skip_reasons:
        verdict = verdicts.SKIP_REASON_VERDICTS.get(reason, Verdict.NOT_ANSWERED)
        yield Decision(verdict=verdict, reason=reason)
    for reason in policy_reasons(answer):
        yield Decision(verdict=Verdict.POLICY_SKIPPED, reason=reason)
    if any(rating.blocked for rating in answer.safety_ratings):
        yield Decision(verdict=Verdict.POLICY_SKIPPED, reason=verdicts.BLOCKED_RATING)


def _unscorable(answer: Answer) -> Decision | None:
    if not answer.answer_text.strip():
        if is_incomplete(answer):
            return Decision(verdict=Verdict.INCOMPLETE, reason=verdicts.UNFINISHED)
        return Decision(verdict=Verdict.UNSCORABLE, reason=verdicts.NO_TEXT)
    if not answer.facts:
        return Decision(verdict=Verdict.UNSCORABLE, reason=verdicts.NO_FACTS)
    return None


def _has_unknown_reason(answer: Answer) -> bool:
    """Return whether a skip reason is unknown, or a finish or block reason is an unknown number."""
    numbers = (answer.finish_reason or "", answer.block_reason or "")
    return any(map(str.isdecimal, numbers)) or any(
        reason not in verdicts.SKIP_REASON_VERDICTS for reason in answer.skip_reasons
    )


def _finished_abnormally(answer: Answer) -> bool:
    reason = answer.finish_reason
    return (
        reason is not None
        and reason not in verdicts.ORDINARY_FINISH_REASONS
        and reason not in verdicts.POLICY_FINISH_REASONS
    )


def _is_unfinished(answer: Answer) -> bool:
    """Return whether a candidate has no finish reason; a blocked prompt has no candidate."""
    has_candidate = answer.block_reason is None or bool(answer.answer_text.strip())
    return (
        has_finish_reasons(answer.source_format) and answer.finish_reason is None and has_candidate
    )


def _is_notable(rating: SafetyRating) -> bool:
    return not rating.blocked and bool({rating.probability, rating.severity} & _NOTABLE_RATINGS)
