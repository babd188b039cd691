"""Safety ratings, whichever service gave them."""

from collections.abc import Iterable

from schemas.answer import SafetyRating
from schemas.wire import discovery_engine as wire
from schemas.wire import enums
from transforms.formats.scores import proportion


def read_ratings(
    ratings: Iterable[wire.SafetyRating], categories: tuple[str, ...]
) -> tuple[SafetyRating, ...]:
    """Name what was rated; the services number the categories differently."""
    return tuple(_read_rating(rating, categories) for rating in ratings)


def _read_rating(rating: wire.SafetyRating, categories: tuple[str, ...]) -> SafetyRating:
    return SafetyRating(
        category=_short_name(rating.category, categories, "HARM_CATEGORY_"),
        probability=enums.enum_name(rating.probability, enums.HARM_PROBABILITIES),
        severity=_short_name(rating.severity, enums.HARM_SEVERITIES, "HARM_SEVERITY_"),
        blocked=rating.blocked,
        probability_score=proportion(rating.probability_score) or None,
        severity_score=proportion(rating.severity_score) or None,
    )


def _short_name(value: int | str, names: tuple[str, ...], prefix: str) -> str | None:
    name = enums.enum_name(value, names)
    return name.removeprefix(prefix) if name else None
