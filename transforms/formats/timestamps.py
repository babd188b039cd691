"""Read the time at which an answer was given."""

import re
from datetime import UTC, datetime

import msgspec

from schemas.timestamps import to_us

_BEYOND_MICROSECONDS = re.compile(r"(?<=\.\d{6})\d+")


def parse_time(text: str | None) -> int | None:
    """Read an RFC 3339 time with an offset, truncated to microseconds.

    Returns:
      Microseconds since 1970 UTC; None if the text is not such a time, or if the time is outside
      the years 1 to 9999 in UTC.
    """
    try:
        # msgspec would round the further digits, so that the last moment of a day would move on.
        time = msgspec.convert(text and _BEYOND_MICROSECONDS.sub("", text), datetime)
        return to_us(time.astimezone(UTC)) if time.tzinfo else None
    except (msgspec.ValidationError, OverflowError):
        return None


def first_time(*texts: str | None) -> tuple[int | None, bool]:
    """Find the first of several times that parses.

    Args:
      texts: empty for a time that is absent, None for one that was not even a string.

    Returns:
      The time in microseconds since 1970 UTC, or None, and whether all that are not empty parse.
    """
    times = [parse_time(text) for text in texts if text != ""]
    parsed = [time for time in times if time is not None]
    return (parsed[0] if parsed else None), len(parsed) == len(times)
