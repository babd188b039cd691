"""Numbers, times and strangers' text on the page."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from launch.report.page import words
from tests.support.builders import NOON_US


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (None, "—"),
        (0.0, "0.0%"),
        (0.0001, "<0.1%"),
        (0.194, "19.4%"),
        (0.9999, ">99.9%"),
        (1.0, "100.0%"),
    ],
)
def test_none_and_all_are_written_only_where_they_are_meant(
    share: float | None, written: str
) -> None:
    assert words.percent(share) == written


@pytest.mark.parametrize(
    ("number", "written"), [(None, "—"), (0.125, "+0.12"), (-0.5, "-0.50"), (0.0, "+0.00")], ids=str
)
def test_a_difference_of_scores_has_its_sign(number: float | None, written: str) -> None:
    assert words.drift(number) == written


@pytest.mark.parametrize(
    ("number", "written"), [(None, "—"), (0, "0"), (1234567, "1,234,567")], ids=str
)
def test_whole_numbers_have_their_thousands_apart(number: int | None, written: str) -> None:
    assert words.count(number) == written


@pytest.mark.parametrize(("number", "written"), [(0, "0 answers"), (1, "1 answer")])
def test_nouns_agree_with_their_number(number: int, written: str) -> None:
    assert words.counted(number, "answer") == written


@pytest.mark.parametrize(
    ("latency_ms", "written"), [(None, "—"), (999, "999 ms"), (1_500, "1.5 s")], ids=str
)
def test_latencies_from_a_second_on_are_seconds(latency_ms: int | None, written: str) -> None:
    assert words.duration(latency_ms) == written


def test_a_missing_score_is_no_number() -> None:
    assert words.score(None) == "—"


def test_times_are_written_in_utc() -> None:
    assert words.moment(NOON_US) == "3 Mar 2026, 12:00"
    assert words.begin(NOON_US, 3_600_000_000) == "3 Mar, 12:00"
    assert words.begin(NOON_US, 24 * 3_600_000_000) == "3 Mar 2026"


@pytest.mark.parametrize(
    ("time_us", "written"),
    [(-(10**18), "1 Jan 1, 00:00"), (10**18, "31 Dec 9999, 23:59")],
    ids=["before the calendar", "after it"],
)
def test_a_time_that_no_calendar_has_is_written_as_the_nearest(time_us: int, written: str) -> None:
    assert words.moment(time_us) == written


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("projects/p/locations/l/collections/c/dataStores/s/branches/0/documents/d", None),
        ("https://shop.example/a?x=/dataStores/b", "https://shop.example/a?x=/dataStores/b"),
        ("corpora/help/documents/plug", "corpora/help/documents/plug"),
    ],
)
def test_a_resource_name_is_written_from_its_data_store_on(key: str, written: str | None) -> None:
    assert words.document(key) == (written or "s/branches/0/documents/d")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("nul \x00", "nul ⟨U+0000⟩"),
        ("\ufefftext", "⟨U+FEFF⟩text"),
        ("one\r\ntwo\rthree\n\tfour", "one\ntwo\nthree\n\tfour"),
        ("مرحبا", "مرحبا"),
        ("👩‍🚀", "👩‍🚀"),
    ],
    ids=ascii,
)
def test_characters_that_steer_are_named(text: str, shown: str) -> None:
    assert words.visible(text) == shown


def test_markup_and_numbers_are_left_as_they_are() -> None:
    markup = Markup("<b>\u202e</b>")
    assert words.visible(markup) is markup
    assert words.visible(3) == 3


@given(st.text())
def test_nothing_that_steers_is_left(text: str) -> None:
    shown = words.visible(text)
    assert isinstance(shown, str)
    steering = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not {unicodedata.bidirectional(character) for character in shown} & steering
    controls = {character for character in shown if unicodedata.category(character) == "Cc"}
    assert controls <= {"\n", "\t"}
