"""Map reasons to verdicts, in order of precedence.

Sources: the enums AnswerSkippedReason and Answer.State of Discovery Engine, FinishReason of the
Gemini API and of Vertex AI.
"""

from collections.abc import Mapping
from types import MappingProxyType

from schemas.verdict import Verdict

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
        "NON_ANSWER_SEEKING_QUERY_IGNORED_V2": Verdict.NOT_ANSWERED,
        "OUT_OF_DOMAIN_QUERY_IGNORED": Verdict.NOT_ANSWERED,
        "NO_RELEVANT_CONTENT": Verdict.NOT_ANSWERED,
        "UNHELPFUL_ANSWER": Verdict.NOT_ANSWERED,
    }
)
"""Any other reason is a newer one of the service and leads to NOT_ANSWERED."""

POLICY_FINISH_REASONS = frozenset(
    {
        *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
        *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
    }
)
"""Finish reasons that lead to POLICY_SKIPPED."""

ORDINARY_FINISH_REASONS = frozenset({"STOP", "MAX_TOKENS"})
"""Finish reasons of a usable text; any other is abnormal or policy."""

BLOCKED_RATING = "BLOCKED_RATING"
UNFINISHED = "UNFINISHED"
NO_TEXT = "NO_TEXT"
NO_FACTS = "NO_FACTS"
NO_CLAIMS = "NO_CLAIMS"
OVER_LIMIT = "OVER_LIMIT"
SUPPORT_SCORE = "SUPPORT_SCORE"
CLAIM_SCORE = "CLAIM_SCORE"
ABOVE_THRESHOLDS = "ABOVE_THRESHOLDS"

FINDINGS = frozenset(
    {
        *(UNFINISHED, NO_TEXT, NO_FACTS, NO_CLAIMS, OVER_LIMIT),
        *(SUPPORT_SCORE, CLAIM_SCORE, ABOVE_THRESHOLDS),
    }
)
"""Reasons that are not in the message: they follow from what is missing, or from the check."""
