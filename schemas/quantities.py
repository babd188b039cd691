"""Name units, convert times (microseconds since 1970 UTC), and write records as JSON."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import asdict

from . import Record

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US
DAY_US = 24 * HOUR_US

MEGABYTE = 1024 * 1024

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_US = (datetime.min.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)
_LAST_US = (datetime.max.replace(tzinfo=UTC) - EPOCH) // timedelta(microseconds=1)


def to_rfc3339(time_us: int | None) -> str | None:
    """Format a time, moved into the years 1 to 9999, as ``2026-03-02T08:00:02.000000Z``."""
    if time_us is None:
        return None
    # strftime writes years before 1000 with fewer than four digits.
    return to_datetime(time_us).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def with_rfc3339_times(record: Record) -> dict[str, Any]:
    """Return the fields of a record and of the records in it, the times (``_us``) as RFC 3339."""
    fields: dict[str, Any] = {}
    for name, value in asdict(record).items():
        if name.endswith("_us"):
            fields[name.removesuffix("_us")] = to_rfc3339(value)
        else:
            fields[name] = with_rfc3339_times(value) if isinstance(value, Record) else value
    return fields


def indented_json(fields: object) -> bytes:
    """Write a record, or fields, as indented JSON with a line end."""
    return msgspec.json.format(msgspec.json.encode(fields), indent=2) + b"\n"


def from_rfc3339(text: str | None) -> int | None:
    """Parse a time as `to_rfc3339` formats it, or raise ValueError; None stays None."""
    return None if text is None else to_us(datetime.fromisoformat(text))


def to_us(moment: datetime) -> int:
    """Return the microseconds since 1970 UTC; a time without a zone is UTC."""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (zoned - EPOCH) // timedelta(microseconds=1)


def is_in_calendar(time_us: int) -> bool:
    """Return whether a time is within the years 1 to 9999 in UTC."""
    return _FIRST_US <= time_us <= _LAST_US


def to_date(time_us: int) -> str:
    """Format the UTC date of a time as ``2026-03-02``, within the same years as `to_rfc3339`."""
    return _date(time_us // DAY_US)


@lru_cache(maxsize=1_000)  # a file's times are of few days
def _date(day: int) -> str:
    return to_datetime(day * DAY_US).date().isoformat()


def to_datetime(time_us: int) -> datetime:
    """Return a time in UTC, moved into the years 1 to 9999."""
    return EPOCH + timedelta(microseconds=min(max(time_us, _FIRST_US), _LAST_US))
