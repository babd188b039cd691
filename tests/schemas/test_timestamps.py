import pytest

from schemas.timestamps import to_date, to_rfc3339

FIRST_US, LAST_US = -62_135_596_800_000_000, 253_402_300_799_999_999
TIMES = {
    "the epoch": (0, "1970-01-01T00:00:00.000000Z"),
    "a microsecond before": (-1, "1969-12-31T23:59:59.999999Z"),
    "a leap day": (1_709_164_800_500_000, "2024-02-29T00:00:00.500000Z"),
    "the first there is": (FIRST_US, "0001-01-01T00:00:00.000000Z"),
    "the last there is": (LAST_US, "9999-12-31T23:59:59.999999Z"),
}


@pytest.mark.parametrize(("time_us", "text"), TIMES.values(), ids=TIMES)
def test_a_time_is_written_as_rfc_3339_in_utc(time_us: int, text: str) -> None:
    assert to_rfc3339(time_us) == text
    assert to_date(time_us) == text[:10]


def test_no_time_stays_none() -> None:
    assert to_rfc3339(None) is None
