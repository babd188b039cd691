"""Untrusted text and times on the page."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from launch.report.page.text import bucket_start, document, moment, visible
from tests.support.builders import NOON_US


def test_times_are_written_in_utc() -> None:
    assert moment(NOON_US) == "3 Mar 2026, 12:00"
    assert bucket_start(NOON_US, 3_600_000_000) == "3 Mar, 12:00"
    assert bucket_start(NOON_US, 24 * 3_600_000_000) == "3 Mar 2026"


@pytest.mark.parametrize(
    ("time_us", "written"),
    [(-(10**18), "1 Jan 1, 00:00"), (10**18, "31 Dec 9999, 23:59")],
    ids=["before the calendar", "after it"],
)
def test_a_time_that_no_calendar_has_is_written_as_the_nearest(time_us: int, written: str) -> None:
    assert moment(time_us) == written


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("projects/p/locations/l/collections/c/dataStores/s/branches/0/documents/d", None),
        ("https://shop.example/a?x=/dataStores/b", "https://shop.example/a?x=/dataStores/b"),
        ("corpora/help/documents/plug", "corpora/help/documents/plug"),
    ],
)
def test_a_resource_name_is_written_from_its_data_store_on(key: str, written: str | None) -> None:
    assert document(key) == (written or "s/branches/0/documents/d")


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
def test_control_characters_are_named(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_markup_and_numbers_are_left_as_they_are() -> None:
    markup = Markup("<b>\u202e</b>")
    assert visible(markup) is markup
    assert visible(3) == 3


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    shown = visible(text)
    assert isinstance(shown, str)
    steering = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not {unicodedata.bidirectional(character) for character in shown} & steering
    controls = {character for character in shown if unicodedata.category(character) == "Cc"}
    assert controls <= {"\n", "\t"}
