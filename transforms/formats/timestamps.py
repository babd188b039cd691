"""When an answer was given."""

from datetime import UTC, datetime

import msgspec

from schemas.timestamps import to_us


def parse_time(text: str | None) -> int | None:
    """Microseconds since 1970 UTC of an RFC 3339 time, None unless it is one with an offset.

    A time that falls out of the years 1 to 9999 in UTC is none either.
    """
    try:
        time = msgspec.convert(text, datetime)
        return to_us(time.astimezone(UTC)) if time.tzinfo else None
    except (msgspec.ValidationError, OverflowError):
        return None


def first_time(*texts: str | None) -> tuple[int | None, bool]:
    """The first of several times that parses, and whether all do that are not empty.

    Args:
      texts: empty for a time that is absent, None for one that was not even a string.
    """
    times = [parse_time(text) for text in texts if text != ""]
    parsed = [time for time in times if time is not None]
    return (parsed[0] if parsed else None), len(parsed) == len(times)
