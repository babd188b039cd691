"""Read values that occur in several formats: times, scores, resource names and safety ratings."""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal

import msgspec

from groundwatch.schemas.answer import SafetyRating
from groundwatch.schemas.quantities import is_in_calendar, to_us
from groundwatch.schemas.verdict import Tag
from groundwatch.schemas.wire import enums
from groundwatch.schemas.wire.discovery_engine import WireRating

MessageTime = str | int | float | None
"""A time in a message: empty if it is absent, None if it has a wrong type."""

_LONGEST_EXACT = len("2026-03-02T08:00:00.123456Z")
_BEYOND_MICROSECONDS = re.compile(r"(?<=\.\d{6})\d+")
# Fewer digits may be a year or a date.
_EPOCH_TEXT = re.compile(r"-?[0-9]{9,17}(?:\.[0-9]+)?")
# Up to the year 5138 the units do not overlap, counted from 1973.
_EPOCH_UNITS = ((10**11, 1_000_000), (10**14, 1_000), (10**17, 1))


def true_tags(conditions: Mapping[Tag, bool]) -> tuple[Tag, ...]:
    """Return the tags whose condition is true, in their order."""
    return tuple(tag for tag, is_true in conditions.items() if is_true)


def proportion(score: float | None) -> float | None:
    """Return a score if it is within 0..1; None if it is absent, NaN or out of range."""
    return score if score is not None and 0.0 <= score <= 1.0 else None


def parse_time(value: MessageTime) -> int | None:
    """Parse a time, and truncate it to microseconds since 1970 UTC.

    A time is RFC 3339, in UTC where it has no offset, or seconds, milliseconds or microseconds
    since 1970; the magnitude shows which. Any other value is None, and so is a time outside the
    years 1 to 9999 in UTC.
    """
    if not isinstance(value, str):
        return None if value is None or isinstance(value, bool) else _parse_epoch(value)
    if value.endswith(" UTC"):  # BigQuery's
        value = value.removesuffix(" UTC") + "Z"
    if len(value) > _LONGEST_EXACT:
        # msgspec rounds further digits, which would move the end of a day to the next day.
        value = _BEYOND_MICROSECONDS.sub("", value)
    try:
        time = to_us(msgspec.convert(value, datetime))
    except msgspec.ValidationError:
        return _parse_epoch(value) if _EPOCH_TEXT.fullmatch(value) else None
    return time if is_in_calendar(time) else None


def first_time(*values: MessageTime) -> tuple[int | None, tuple[Tag, ...]]:
    """Return the first of several times that parses; a tag if one that is there does not parse."""
    times = [parse_time(value) for value in values if value != ""]
    parsed = [time for time in times if time is not None]
    tags = (Tag.BAD_TIMESTAMP,) if len(parsed) < len(times) else ()
    return (parsed[0] if parsed else None), tags


def engine_id(*names: str) -> str | None:
    """Return the engine, or the data store, in the first resource name that has one.

    A resource name is such as ``projects/P/…/engines/E/sessions/S/answers/A``.
    """
    ids = (_id_below("engines", name) or _id_below("dataStores", name) for name in names)
    return next(filter(None, ids), None)


def session_id(*names: str) -> str | None:
    """Return the session in the first resource name that has one."""
    return next(filter(None, (_id_below("sessions", name) for name in names)), None)


def read_ratings(
    ratings: Iterable[WireRating], categories: tuple[str, ...]
) -> tuple[SafetyRating, ...]:
    """Read safety ratings; the service numbers its harm categories in the order of `categories`."""
    return tuple(
        SafetyRating(
            category=_short_name(rating.category, categories, "HARM_CATEGORY_"),
            probability=enums.enum_name(rating.probability, enums.HARM_PROBABILITIES),
            severity=_short_name(rating.severity, enums.HARM_SEVERITIES, "HARM_SEVERITY_"),
            blocked=rating.blocked,
            probability_score=proportion(rating.probability_score) or None,
            severity_score=proportion(rating.severity_score) or None,
        )
        for rating in ratings
    )


def _parse_epoch(value: str | float) -> int | None:
    number = Decimal(str(value))
    times = (math.floor(number * us) for limit, us in _EPOCH_UNITS if abs(number) < limit)
    return next(filter(is_in_calendar, times), None)


def _id_below(collection: str, name: str) -> str:
    if "/" not in name:
        return ""
    return f"/{name}".partition(f"/{collection}/")[2].partition("/")[0]


def _short_name(value: int | str, names: tuple[str, ...], prefix: str) -> str | None:
    name = enums.enum_name(value, names)
    return name.removeprefix(prefix) if name else None
