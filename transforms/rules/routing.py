"""Map the reasons of generators to verdicts, and decide which answers need no check.

Sources: the enums AnswerSkippedReason and Answer.State of Discovery Engine, FinishReason of the
Gemini API and of Vertex AI.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.checked_answer import Decision
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.lexical.reading.reasoning import reasoning_spans, without_reasoning

PRECEDENCE = (
    Verdict.INCOMPLETE,
    Verdict.POLICY_SKIPPED,
    Verdict.LOW_GROUNDED,
    Verdict.NOT_ANSWERED,
    Verdict.GENERATION_FAILED,
    Verdict.UNSCORABLE,
)
"""Of several reasons, the one with the first of these verdicts decides."""

STATE_VERDICTS: Mapping[str, Verdict] = MappingProxyType(
    {
        "IN_PROGRESS": Verdict.INCOMPLETE,
        "STREAMING": Verdict.INCOMPLETE,
        "FAILED": Verdict.GENERATION_FAILED,
        "SKIPPED": Verdict.NOT_ANSWERED,
        "CANCELLED": Verdict.GENERATION_FAILED,
    }
)
SKIP_REASON_VERDICTS: Mapping[str, Verdict] = MappingProxyType(
    {
        "ADVERSARIAL_QUERY_IGNORED": Verdict.POLICY_SKIPPED,
        "POTENTIAL_POLICY_VIOLATION": Verdict.POLICY_SKIPPED,
        "JAIL_BREAKING_QUERY_IGNORED": Verdict.POLICY_SKIPPED,
        "CUSTOMER_POLICY_VIOLATION": Verdict.POLICY_SKIPPED,
        "USER_DEFINED_CLASSIFICATION_QUERY_IGNORED": Verdict.POLICY_SKIPPED,
        "LOW_GROUNDED_ANSWER": Verdict.LOW_GROUNDED,
        "NON_ANSWER_SEEKING_QUERY_IGNORED": Verdict.NOT_ANSWERED,
        "NON_ASSIST_SEEKING_QUERY_IGNORED": Verdict.NOT_ANSWERED,
        "NON_SUMMARY_SEEKING_QUERY_IGNORED": Verdict.NOT_ANSWERED,
        "NON_SUMMARY_SEEKING_QUERY_IGNORED_V2": Verdict.NOT_ANSWERED,
        "LLM_ADDON_NOT_ENABLED": Verdict.NOT_ANSWERED,
        "TIME_OUT": Verdict.GENERATION_FAILED,
        "NON_ANSWER_SEEKING_QUERY_IGNORED_V2": Verdict.NOT_ANSWERED,
        "OUT_OF_DOMAIN_QUERY_IGNORED": Verdict.NOT_ANSWERED,
        "NO_RELEVANT_CONTENT": Verdict.NOT_ANSWERED,
        "UNHELPFUL_ANSWER": Verdict.NOT_ANSWERED,
        "ELIDED": Verdict.UNSCORABLE,  # the log leaves the texts out
    }
)
"""Any other reason is a newer one of the service and leads to NOT_ANSWERED."""

POLICY_FINISH_REASONS = frozenset(
    ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR")
).union(("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"))
"""Finish reasons that lead to POLICY_SKIPPED."""

BLOCKED_RATING = "BLOCKED_RATING"
UNFINISHED, NO_TEXT, NO_FACTS = "UNFINISHED", "NO_TEXT", "NO_FACTS"
NO_CLAIMS, OVER_LIMIT = "NO_CLAIMS", "OVER_LIMIT"
SUPPORT_SCORE, CLAIM_SCORE, ABOVE_THRESHOLDS = "SUPPORT_SCORE", "CLAIM_SCORE", "ABOVE_THRESHOLDS"
CONTRADICTION = "CONTRADICTION"
BY_CHECK = frozenset({CONTRADICTION, SUPPORT_SCORE, CLAIM_SCORE, ABOVE_THRESHOLDS})
"""Reasons that follow from the scores and the thresholds, or from the checker's word."""

FINDINGS = BY_CHECK | {UNFINISHED, NO_TEXT, NO_FACTS, NO_CLAIMS, OVER_LIMIT}
"""Reasons that are not in the message: they follow from what is missing, or from the check."""

_FORMATS_WITH_FINISH_REASON = ("gemini.", "vertex.", "opentelemetry.")
_NORMAL_FINISH_REASONS = POLICY_FINISH_REASONS | {"STOP", "MAX_TOKENS"}
_NOTABLE_RATINGS = frozenset({"MEDIUM", "HIGH"})
_LOW_ANSWERABLE_PROBABILITY = 0.5


def route(answer: Answer, moved_reasons: Mapping[str, Verdict] = {}) -> Decision | None:
    """Decide an answer by its reasons, with the user's verdicts for `moved_reasons`, if it can."""
    decisions = (
        Decision(verdict=moved_reasons.get(reason, verdict), reason=reason)
        for verdict, reason in _signals(answer)
    )
    return min(decisions, key=lambda each: PRECEDENCE.index(each.verdict), default=None)


def routing_tags(answer: Answer) -> Iterator[Tag]:
    """Yield the tags that follow from an answer alone, whatever its verdict."""
    # A finish or block reason that is a number is unknown.
    numbers = (answer.finish_reason or "", answer.block_reason or "")
    is_unknown = any(reason not in SKIP_REASON_VERDICTS for reason in answer.skip_reasons)
    if is_unknown or any(map(str.isdecimal, numbers)):
        yield Tag.UNKNOWN_SKIP_REASON
    if answer.finish_reason == "MAX_TOKENS":
        yield Tag.TRUNCATED
    elif _finished_abnormally(answer):
        yield Tag.ABNORMAL_FINISH
    elif _has_no_end(answer) and (answer.block_reason is None or answer.answer_text.strip()):
        # A blocked prompt has no candidate.
        yield Tag.UNFINISHED
    if reasoning_spans(answer.answer_text):
        yield Tag.REASONING_REMOVED
    if any(
        not rating.blocked and {rating.probability, rating.severity} & _NOTABLE_RATINGS
        for rating in answer.safety_ratings
    ):
        yield Tag.SAFETY_RATED
    probability = answer.answerable_probability
    if probability is not None and probability < _LOW_ANSWERABLE_PROBABILITY:
        yield Tag.LOW_ANSWERABLE_PROBABILITY


def depends_on_content(answer: Answer) -> bool:
    """Return whether an answer's verdict depends on its text and facts, not on a given reason."""
    return not any(True for _ in _given_signals(answer))


def is_incomplete(answer: Answer) -> bool:
    """Return whether an answer is still being generated, so that the final one may follow."""
    if answer.state and STATE_VERDICTS.get(answer.state) is Verdict.INCOMPLETE:
        return True
    return (
        _has_no_end(answer)
        and not _has_text(answer)
        and answer.block_reason is None
        and not any(rating.blocked for rating in answer.safety_ratings)
    )


def has_finish_reasons(source_format: str) -> bool:
    """Return whether the answers of a format are candidates, which have finish reasons."""
    return source_format.startswith(_FORMATS_WITH_FINISH_REASON)


def policy_reasons(answer: Answer) -> Iterator[str]:
    """Yield the reasons for which policy blocked an answer, except its skip reasons."""
    if answer.finish_reason and answer.finish_reason in POLICY_FINISH_REASONS:
        yield answer.finish_reason
    if answer.block_reason:
        yield answer.block_reason


def _signals(answer: Answer) -> Iterator[tuple[Verdict, str]]:
    given = list(_given_signals(answer))
    yield from given
    has_text = _has_text(answer)
    if _finished_abnormally(answer) and not has_text:
        yield Verdict.GENERATION_FAILED, str(answer.finish_reason)
    elif not given and not has_text:
        is_open = is_incomplete(answer)
        yield (Verdict.INCOMPLETE, UNFINISHED) if is_open else (Verdict.UNSCORABLE, NO_TEXT)
    elif not given and not answer.facts:
        yield Verdict.UNSCORABLE, NO_FACTS


def _given_signals(answer: Answer) -> Iterator[tuple[Verdict, str]]:
    if answer.state and answer.state in STATE_VERDICTS:
        yield STATE_VERDICTS[answer.state], answer.error_status or answer.state
    for reason in answer.skip_reasons:
        yield SKIP_REASON_VERDICTS.get(reason, Verdict.NOT_ANSWERED), reason
    for reason in policy_reasons(answer):
        yield Verdict.POLICY_SKIPPED, reason
    if any(rating.blocked for rating in answer.safety_ratings):
        yield Verdict.POLICY_SKIPPED, BLOCKED_RATING


def _has_text(answer: Answer) -> bool:
    """Return whether an answer has more than white space and a model's reasoning."""
    return any(text.strip() for _, text in without_reasoning(answer.answer_text))


def _finished_abnormally(answer: Answer) -> bool:
    return answer.finish_reason is not None and answer.finish_reason not in _NORMAL_FINISH_REASONS


def _has_no_end(answer: Answer) -> bool:
    return has_finish_reasons(answer.source_format) and answer.finish_reason is None
