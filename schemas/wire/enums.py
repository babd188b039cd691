"""The names behind the numbers of the services' enums, each tuple indexed by its number.

Sources: googleapis protos at f8291d2b, google/cloud/discoveryengine/v1beta/{answer,safety}.proto
and google/ai/generativelanguage/v1beta/{generative_service,safety}.proto.
"""

ANSWER_STATES = ("STATE_UNSPECIFIED", "IN_PROGRESS", "FAILED", "SUCCEEDED", "STREAMING")

ANSWER_SKIPPED_REASONS = (
    "ANSWER_SKIPPED_REASON_UNSPECIFIED",
    "ADVERSARIAL_QUERY_IGNORED",
    "NON_ANSWER_SEEKING_QUERY_IGNORED",
    "OUT_OF_DOMAIN_QUERY_IGNORED",
    "POTENTIAL_POLICY_VIOLATION",
    "NO_RELEVANT_CONTENT",
    "JAIL_BREAKING_QUERY_IGNORED",
    "CUSTOMER_POLICY_VIOLATION",
    "NON_ANSWER_SEEKING_QUERY_IGNORED_V2",
    "LOW_GROUNDED_ANSWER",
    "USER_DEFINED_CLASSIFICATION_QUERY_IGNORED",
    "UNHELPFUL_ANSWER",
)

QUERY_CLASSIFICATION_TYPES = (
    "TYPE_UNSPECIFIED",
    "ADVERSARIAL_QUERY",
    "NON_ANSWER_SEEKING_QUERY",
    "JAIL_BREAKING_QUERY",
    "NON_ANSWER_SEEKING_QUERY_V2",
    "USER_DEFINED_CLASSIFICATION_QUERY",
)

# Discovery Engine and Gemini number the same categories differently.
DISCOVERY_ENGINE_HARM_CATEGORIES = (
    "HARM_CATEGORY_UNSPECIFIED",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_CIVIC_INTEGRITY",
)

GEMINI_HARM_CATEGORIES = (
    "HARM_CATEGORY_UNSPECIFIED",
    "HARM_CATEGORY_DEROGATORY",
    "HARM_CATEGORY_TOXICITY",
    "HARM_CATEGORY_VIOLENCE",
    "HARM_CATEGORY_SEXUAL",
    "HARM_CATEGORY_MEDICAL",
    "HARM_CATEGORY_DANGEROUS",
    "HARM_CATEGORY_HARASSMENT",
    "HARM_CATEGORY_HATE_SPEECH",
    "HARM_CATEGORY_SEXUALLY_EXPLICIT",
    "HARM_CATEGORY_DANGEROUS_CONTENT",
    "HARM_CATEGORY_CIVIC_INTEGRITY",
)

HARM_PROBABILITIES = ("HARM_PROBABILITY_UNSPECIFIED", "NEGLIGIBLE", "LOW", "MEDIUM", "HIGH")

HARM_SEVERITIES = (
    "HARM_SEVERITY_UNSPECIFIED",
    "HARM_SEVERITY_NEGLIGIBLE",
    "HARM_SEVERITY_LOW",
    "HARM_SEVERITY_MEDIUM",
    "HARM_SEVERITY_HIGH",
)

FINISH_REASONS = (
    "FINISH_REASON_UNSPECIFIED",
    "STOP",
    "MAX_TOKENS",
    "SAFETY",
    "RECITATION",
    "OTHER",
    "LANGUAGE",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "SPII",
    "MALFORMED_FUNCTION_CALL",
    "IMAGE_SAFETY",
    "UNEXPECTED_TOOL_CALL",
    "TOO_MANY_TOOL_CALLS",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_OTHER",
    "NO_IMAGE",
    "IMAGE_RECITATION",
)

# inputFeedback knows the first three, promptFeedback all.
BLOCK_REASONS = (
    "BLOCK_REASON_UNSPECIFIED",
    "SAFETY",
    "OTHER",
    "BLOCKLIST",
    "PROHIBITED_CONTENT",
    "IMAGE_SAFETY",
)


def enum_name(value: int | str, names: tuple[str, ...]) -> str | None:
    """The name of an enum's value, written as a name, a number or a number's digits.

    Args:
      value: as the message has it; 0 or empty when absent.
      names: the enum's names by number, the unspecified one first.

    Returns:
      None when unspecified; a name not known yet as it came, a number not known yet as digits.
    """
    name = str(value)
    if name.isdecimal() and name.isascii() and len(name) <= len(str(len(names))):
        number = int(name)
        name = names[number] if number < len(names) else name
    return None if name in ("", names[0]) else name
