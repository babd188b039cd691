"""Microseconds since 1970 UTC, as people and other programs read them."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST = datetime.min.replace(tzinfo=UTC) - EPOCH
_LAST = datetime.max.replace(tzinfo=UTC) - EPOCH


def to_rfc3339(time_us: int | None) -> str | None:
    """Write a time as ``2026-03-02T08:00:02.000000Z``; None stays None.

    A time beyond the years 1 to 9999, such as the end of an hour that begins within them, is
    written as the nearest that there is.
    """
    if time_us is None:
        return None
    # strftime writes years before 1000 with fewer than four digits.
    return _moment(time_us).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def from_rfc3339(text: str | None) -> int | None:
    """Read a time as `to_rfc3339` writes it; None stays None.

    Raises:
      ValueError: it is no time.
    """
    if text is None:
        return None
    return to_us(datetime.fromisoformat(text))


def to_us(moment: datetime) -> int:
    """Count the microseconds since 1970 UTC; a time without a zone is UTC."""
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (zoned - EPOCH) // timedelta(microseconds=1)


def to_date(time_us: int) -> str:
    """Write the UTC date of a time as ``2026-03-02``; one beyond the calendar as above."""
    return _moment(time_us).date().isoformat()


def _moment(time_us: int) -> datetime:
    return EPOCH + min(max(timedelta(microseconds=time_us), _FIRST), _LAST)


SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US
DAY_US = 24 * HOUR_US

MEGABYTE = 1024 * 1024
