"""Dates as people write them."""

import pytest

from transforms.contradictions.dates import Date, may_agree, read_dates
from transforms.contradictions.parsed_sentence import ParsedSentence
from transforms.contradictions.tokenized_text import TokenizedText

WRITTEN = {
    "in 1887": [("1887", 1887, None, None)],
    "28 January 1887": [("28 January 1887", 1887, 1, 28)],
    "the 5th of March, 1999": [("5th of March, 1999", 1999, 3, 5)],
    "January 28, 1887": [("January 28, 1887", 1887, 1, 28)],
    "Sept 3rd": [("Sept 3rd", None, 9, 3)],
    "May 2020": [("May 2020", 2020, 5, None)],
    "in December": [("December", None, 12, None)],
    "1999-12-31": [("1999-12-31", 1999, 12, 31)],
    "the 1960s": [("1960s", 1960, None, None)],
    "March 3 and March 4": [("March 3", None, 3, 3), ("March 4", None, 3, 4)],
    "from May 1 to 3 June 2001": [("May 1", None, 5, 1), ("3 June 2001", 2001, 6, 3)],
    "am 3. Mai 2024": [("3. Mai 2024", 2024, 5, 3)],
    "am 03.05.2024": [("03.05.2024", 2024, 5, 3)],
    "le 1er mai 2024": [("1er mai 2024", 2024, 5, 1)],
    "el 3 de mayo de 2024": [("3 de mayo de 2024", 2024, 5, 3)],
    "em 1º de maio": [("1º de maio", None, 5, 1)],
    "il 3 maggio 2024": [("3 maggio 2024", 2024, 5, 3)],
    "2024年5月3日に": [("2024年5月3日", 2024, 5, 3)],
    "5月3日": [("5月3日", None, 5, 3)],
    "2024年": [("2024年", 2024, None, None)],
    "2024円、5年、3日、99.99.2024": [],
    "Mars et mai, 2024-99-01": [],
    "You may march": [],
    "May I? March!": [],
    "1500 metres for $1999 or 2000 million": [],
    "room 12, 3,000 or 99999": [],
    f"March {'7' * 5_000}": [],
    f"{'7' * 5_000} June": [("June", None, 6, None)],
}


@pytest.mark.parametrize(("text", "expected"), WRITTEN.items(), ids=[text[:40] for text in WRITTEN])
def test_dates_are_read_in_the_ways_that_people_write_them(
    text: str, expected: list[tuple[str, int | None, int | None, int | None]]
) -> None:
    dates, _ = read_dates(TokenizedText(text))
    assert [date[:4] for date in dates] == expected
    # The features of its words do not hide a date.
    assert ParsedSentence(text).dates == dates


def test_the_tokens_of_dates_are_returned() -> None:
    _, places = read_dates(TokenizedText("12 men came on 5 March 1999, in time"))
    assert places == {4, 5, 6}


AGREEING = {
    "the same": (Date("a", 1887, 1, 28), Date("b", 1887, 1, 28), True),
    "a part": (Date("a", 1887), Date("b", 1887, 1, 28), True),
    "another part differs": (Date("a", 1887, 2), Date("b", 1887, 1, 28), False),
    "nothing in common": (Date("a", 1887), Date("b", None, 1, 28), False),
    "within the decade": (Date("a", 1890, is_decade=True), Date("b", 1894), True),
    "another decade": (Date("a", 1890, is_decade=True), Date("b", 1904), False),
}


@pytest.mark.parametrize(("one", "other", "agree"), AGREEING.values(), ids=AGREEING)
def test_dates_agree_where_they_share_a_part_and_none_differs(
    one: Date, other: Date, agree: bool
) -> None:
    assert one.agrees_with(other) is agree
    assert other.agrees_with(one) is agree


@pytest.mark.parametrize("text", ["28 January 1887", "Jan 1", "in 1887", "1887-01-28", "1880s"])
def test_a_text_with_a_date_that_agrees_is_not_passed_over(text: str) -> None:
    date = Date("28 January 1887", 1887, 1, 28)
    assert may_agree(date, text)
    assert not may_agree(date, "12 metres, in May 1999")
