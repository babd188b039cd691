"""Wire type of safety ratings, as Discovery Engine, the Gemini API and Vertex AI write them."""

from typing import ClassVar

from schemas.wire.tolerance import Essential, Wire


class SafetyRating(Wire, frozen=True):
    """A rating in one category of harm; enums by name or number, scores 0..1.

    The Gemini API writes category, probability and blocked only. Zero and absent are the same here:
    the services' own type has no presence for these fields.
    """

    ignored: ClassVar = {
        "overwrittenThreshold": "a setting",
    }

    category: Essential[int | str] = ""
    probability: Essential[int | str] = ""
    blocked: Essential[bool] = False
    probability_score: float = 0.0
    severity: Essential[int | str] = ""
    severity_score: float = 0.0
