"""Times in microseconds and as text."""

from datetime import datetime

import pytest

from groundwatch.schemas.quantities import from_rfc3339, to_date, to_rfc3339, to_us

FIRST_US, LAST_US = -62_135_596_800_000_000, 253_402_300_799_999_999
TIMES = {
    "the epoch": (0, "1970-01-01T00:00:00.000000Z"),
    "a microsecond before": (-1, "1969-12-31T23:59:59.999999Z"),
    "a leap day": (1_709_164_800_500_000, "2024-02-29T00:00:00.500000Z"),
    "the first there is": (FIRST_US, "0001-01-01T00:00:00.000000Z"),
    "the last there is": (LAST_US, "9999-12-31T23:59:59.999999Z"),
}


@pytest.mark.parametrize(("time_us", "text"), TIMES.values(), ids=TIMES)
def test_a_time_is_formatted_as_rfc_3339_in_utc_and_parsed(time_us: int, text: str) -> None:
    assert to_rfc3339(time_us) == text
    assert to_date(time_us) == text[:10]
    assert from_rfc3339(text) == time_us


@pytest.mark.parametrize(
    ("time_us", "nearest_us"),
    [
        pytest.param(LAST_US + 1, LAST_US, id="after the year 9999"),
        pytest.param(FIRST_US - 1, FIRST_US, id="before the year 1"),
    ],
)
def test_a_time_outside_the_calendar_is_replaced_by_the_nearest(
    time_us: int, nearest_us: int
) -> None:
    assert to_rfc3339(time_us) == to_rfc3339(nearest_us)
    assert to_date(time_us) == to_date(nearest_us)


def test_none_stays_none() -> None:
    assert to_rfc3339(None) is None
    assert from_rfc3339(None) is None


@pytest.mark.parametrize("text", ["", "yesterday", "2026-02-30T00:00:00Z"])
def test_text_that_is_not_a_time_raises(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        from_rfc3339(text)


@pytest.mark.parametrize(
    ("moment", "time_us"),
    [
        pytest.param("1970-01-01T00:00:01", 1_000_000, id="without a zone it is UTC"),
        pytest.param("1970-01-01T01:00:01+01:00", 1_000_000, id="with one it is moved there"),
    ],
)
def test_a_datetime_is_converted_to_microseconds_in_utc(moment: str, time_us: int) -> None:
    assert to_us(datetime.fromisoformat(moment)) == time_us
