"""Name the numbers of the services' enums; each tuple is indexed by the number.

Sources: googleapis protos at f8291d2b, google/cloud/discoveryengine/v1beta/{answer,safety}.proto
and google/ai/generativelanguage/v1beta/{generative_service,safety}.proto;
google-cloud-aiplatform 1.165.1, aiplatform_v1/types/{content,prediction_service}.py.
"""

from itertools import zip_longest
from typing import NamedTuple

from .wire_type import words

ANSWER_STATES = words("STATE_UNSPECIFIED IN_PROGRESS FAILED SUCCEEDED STREAMING")
ANSWER_SKIPPED_REASONS = words("""
    ANSWER_SKIPPED_REASON_UNSPECIFIED ADVERSARIAL_QUERY_IGNORED NON_ANSWER_SEEKING_QUERY_IGNORED
    OUT_OF_DOMAIN_QUERY_IGNORED POTENTIAL_POLICY_VIOLATION NO_RELEVANT_CONTENT
    JAIL_BREAKING_QUERY_IGNORED CUSTOMER_POLICY_VIOLATION NON_ANSWER_SEEKING_QUERY_IGNORED_V2
    LOW_GROUNDED_ANSWER USER_DEFINED_CLASSIFICATION_QUERY_IGNORED UNHELPFUL_ANSWER
""")
ASSIST_STATES = words("STATE_UNSPECIFIED IN_PROGRESS FAILED SUCCEEDED SKIPPED CANCELLED")
ASSIST_SKIPPED_REASONS = words("""
    ASSIST_SKIPPED_REASON_UNSPECIFIED NON_ASSIST_SEEKING_QUERY_IGNORED CUSTOMER_POLICY_VIOLATION
""")
POLICY_VERDICTS = words("UNSPECIFIED ALLOW BLOCK")
SUMMARY_SKIPPED_REASONS = words("""
    SUMMARY_SKIPPED_REASON_UNSPECIFIED ADVERSARIAL_QUERY_IGNORED NON_SUMMARY_SEEKING_QUERY_IGNORED
    OUT_OF_DOMAIN_QUERY_IGNORED POTENTIAL_POLICY_VIOLATION LLM_ADDON_NOT_ENABLED
    NO_RELEVANT_CONTENT JAIL_BREAKING_QUERY_IGNORED CUSTOMER_POLICY_VIOLATION
    NON_SUMMARY_SEEKING_QUERY_IGNORED_V2 TIME_OUT
""")
GROUNDING_DECISIONS = words(
    "GROUNDING_DECISION_UNSPECIFIED ACCEPTED_BY_GROUNDING REJECTED_BY_GROUNDING"
)
SAFETY_DECISIONS = words(
    "SAFETY_DECISION_UNSPECIFIED ACCEPTED_BY_SAFETY_CHECK REJECTED_BY_SAFETY_CHECK"
)
QUERY_CLASSIFICATION_TYPES = words("""
    TYPE_UNSPECIFIED ADVERSARIAL_QUERY NON_ANSWER_SEEKING_QUERY JAIL_BREAKING_QUERY
    NON_ANSWER_SEEKING_QUERY_V2 USER_DEFINED_CLASSIFICATION_QUERY
""")

# Discovery Engine and Gemini give the same categories different numbers.
DISCOVERY_ENGINE_HARM_CATEGORIES = words(
    "UNSPECIFIED HATE_SPEECH DANGEROUS_CONTENT HARASSMENT SEXUALLY_EXPLICIT CIVIC_INTEGRITY",
    prefix="HARM_CATEGORY_",
)
GEMINI_HARM_CATEGORIES = words(
    """
    UNSPECIFIED DEROGATORY TOXICITY VIOLENCE SEXUAL MEDICAL DANGEROUS HARASSMENT HATE_SPEECH
    SEXUALLY_EXPLICIT DANGEROUS_CONTENT CIVIC_INTEGRITY
    """,
    prefix="HARM_CATEGORY_",
)
VERTEX_HARM_CATEGORIES = (*DISCOVERY_ENGINE_HARM_CATEGORIES, "HARM_CATEGORY_JAILBREAK")
HARM_PROBABILITIES = words("HARM_PROBABILITY_UNSPECIFIED NEGLIGIBLE LOW MEDIUM HIGH")
HARM_SEVERITIES = words("UNSPECIFIED NEGLIGIBLE LOW MEDIUM HIGH", prefix="HARM_SEVERITY_")

FINISH_REASONS = words("""
    FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER LANGUAGE BLOCKLIST
    PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL
    TOO_MANY_TOOL_CALLS IMAGE_PROHIBITED_CONTENT IMAGE_OTHER NO_IMAGE IMAGE_RECITATION
""")
VERTEX_FINISH_REASONS = words("""
    FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS SAFETY RECITATION OTHER BLOCKLIST PROHIBITED_CONTENT
    SPII MALFORMED_FUNCTION_CALL MODEL_ARMOR
""")

# inputFeedback uses the first three, promptFeedback all.
BLOCK_REASONS = words(
    "BLOCK_REASON_UNSPECIFIED SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT IMAGE_SAFETY"
)
VERTEX_BLOCK_REASONS = words("""
    BLOCKED_REASON_UNSPECIFIED SAFETY OTHER BLOCKLIST PROHIBITED_CONTENT MODEL_ARMOR JAILBREAK
""")


class CandidateEnums(NamedTuple):
    """The enums of one API that generates candidates."""

    finish_reasons: tuple[str, ...]
    block_reasons: tuple[str, ...]
    harm_categories: tuple[str, ...]


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """Merge two tables; a number with two names stays a number."""
    pairs = zip_longest(one[1:], other[1:], fillvalue="")
    numbered = enumerate(pairs, start=1)
    return (one[0], *(a or b if a in (b, "") or not b else str(n) for n, (a, b) in numbered))


GEMINI_ENUMS = CandidateEnums(FINISH_REASONS, BLOCK_REASONS, GEMINI_HARM_CATEGORIES)
VERTEX_ENUMS = CandidateEnums(VERTEX_FINISH_REASONS, VERTEX_BLOCK_REASONS, VERTEX_HARM_CATEGORIES)
# For candidates that may be of either API.
SHARED_ENUMS = CandidateEnums(*map(_shared, GEMINI_ENUMS, VERTEX_ENUMS))


def enum_name(value: int | str, names: tuple[str, ...]) -> str | None:
    """Return the name of an enum's value: None if unspecified, an unknown value unchanged.

    >>> enum_name(1, ("UNSPECIFIED", "LOW")), enum_name("LOW", ("UNSPECIFIED", "LOW"))
    ('LOW', 'LOW')
    """
    if not value:
        return None
    name = str(value)
    if name.isdecimal() and name.isascii() and len(name) <= len(str(len(names))):
        number = int(name)
        name = names[number] if number < len(names) else name
    return None if name.endswith("_UNSPECIFIED") else name
