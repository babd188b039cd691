"""Find out which API's numbers the enums of a candidate are.

The Gemini API and Vertex AI write candidates of the same shape, and number some enums differently.
"""

from schemas.wire import enums

_GEMINI_FIELDS = frozenset({"groundingAttributions", "tokenCount"})
_VERTEX_RATING_FIELDS = frozenset({"probabilityScore", "severity", "severityScore"})


def enums_of(
    candidate: object, *, named: str | None, response: dict[str, object] | None = None
) -> enums.CandidateEnums:
    """Find the enum tables of a candidate.

    Args:
      candidate: parsed JSON.
      named: the format or family that somebody said the message is in, None if nobody did.
      response: the response of generateContent that holds the candidate, if there is one.

    Returns:
      The tables of the API that was named, else of the API that alone writes one of the fields,
      else those that both share.
    """
    if named is not None and named.startswith("vertex"):
        return enums.VERTEX_ENUMS
    if named is not None and named.startswith("gemini"):
        return enums.GEMINI_ENUMS
    fields = candidate if isinstance(candidate, dict) else {}
    citations = fields.get("citationMetadata")
    if not _GEMINI_FIELDS.isdisjoint(fields) or _has(citations, "citationSources"):
        return enums.GEMINI_ENUMS
    if response is None:
        response = {}
    feedback = response.get("promptFeedback")
    if (
        "createTime" in response
        or _has(citations, "citations")
        or _rates_like_vertex(fields)
        or (isinstance(feedback, dict) and _rates_like_vertex(feedback))
    ):
        return enums.VERTEX_ENUMS
    return enums.SHARED_ENUMS


def _has(value: object, field: str) -> bool:
    return isinstance(value, dict) and field in value


def _rates_like_vertex(fields: dict[str, object]) -> bool:
    ratings = fields.get("safetyRatings")
    return isinstance(ratings, list) and any(
        isinstance(rating, dict) and not _VERTEX_RATING_FIELDS.isdisjoint(rating)
        for rating in ratings
    )
