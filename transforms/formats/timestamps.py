"""Read the time at which an answer was given."""

import math
import re
from datetime import UTC, datetime
from decimal import Decimal

import msgspec

from schemas.quantities import to_us

Time = str | int | float | None
"""A time as a message has it: empty if it is absent, None if it was of a wrong type."""

_LONGEST_EXACT = len("2026-03-02T08:00:00.123456Z")
_BEYOND_MICROSECONDS = re.compile(r"(?<=\.\d{6})\d+")

# Fewer digits may be a year or a date.
_EPOCH_TEXT = re.compile(r"-?[0-9]{9,17}(?:\.[0-9]+)?")

# Up to the year 5138 the units do not overlap, counted from 1973.
_EPOCH_UNITS = ((10**11, 1_000_000), (10**14, 1_000), (10**17, 1))


def parse_time(value: Time) -> int | None:
    """Read a time, truncated to microseconds.

    Args:
      value: an RFC 3339 time with an offset, or seconds, milliseconds or microseconds since 1970,
        which are told apart by their magnitude.

    Returns:
      Microseconds since 1970 UTC; None if the value is not such a time, or if the time is outside
      the years 1 to 9999 in UTC.
    """
    if not isinstance(value, str):
        return None if value is None else _parse_epoch(value)
    if len(value) > _LONGEST_EXACT:
        # msgspec would round the further digits, so that the last moment of a day would move on.
        value = _BEYOND_MICROSECONDS.sub("", value)
    try:
        time = msgspec.convert(value, datetime)
        return to_us(time.astimezone(UTC)) if time.tzinfo else None
    except msgspec.ValidationError:
        return _parse_epoch(value) if _EPOCH_TEXT.fullmatch(value) else None
    except OverflowError:
        return None


def first_time(*values: Time) -> tuple[int | None, bool]:
    """Find the first of several times that parses.

    Returns:
      The time in microseconds since 1970 UTC, or None, and whether all that are not absent parse.
    """
    times = [parse_time(value) for value in values if value != ""]
    parsed = [time for time in times if time is not None]
    return (parsed[0] if parsed else None), len(parsed) == len(times)


def _parse_epoch(value: str | float) -> int | None:
    number = Decimal(str(value))
    for limit, us in _EPOCH_UNITS:
        if abs(number) < limit:
            return math.floor(number * us)
    return None
