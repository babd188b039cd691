"""The colours of the page in both schemes, untrusted text, and times."""

import re
import unicodedata
from importlib.resources import files
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from groundwatch.launch.cli.terminal.figures import moment
from groundwatch.launch.results.report.page.presentation import (
    document,
    format_bucket,
    visible,
    web_host,
)
from tests.support.builders import NOON_US

STYLE = (
    files("groundwatch.launch.results.report.page")
    .joinpath("templates/style.css")
    .read_text(encoding="utf-8")
)
LIGHT, DARK = (
    dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", block))
    for block in re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
)
SCHEMES = {"light": LIGHT, "dark": DARK}


def luminance(colour: str) -> float:
    """Relative luminance: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_both_schemes_name_the_same_colours() -> None:
    assert set(LIGHT) == set(DARK)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("ink", "ground"),
    [(ink, ground) for ink in ("ink", "soft", "accent") for ground in ("paper", "surface")]
    + [("ink", f"tint-{tint}") for tint in range(5)],
)
def test_text_stands_out_from_its_ground(scheme: str, ink: str, ground: str) -> None:
    assert contrast(SCHEMES[scheme][ink], SCHEMES[scheme][ground]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("mark", ["accent", "grounded", "policy", "failed", "quiet"])
def test_marks_stand_out_from_the_paper(scheme: str, mark: str) -> None:
    assert contrast(SCHEMES[scheme][mark], SCHEMES[scheme]["paper"]) >= 3.0


def test_times_are_written_in_utc() -> None:
    assert moment(NOON_US) == "3 Mar 2026, 12:00"
    assert format_bucket(NOON_US, 3_600_000_000) == "3 Mar, 12:00"
    assert format_bucket(NOON_US, 24 * 3_600_000_000) == "3 Mar 2026"


@pytest.mark.parametrize(
    ("time_us", "written"),
    [(-(10**18), "1 Jan 1, 00:00"), (10**18, "31 Dec 9999, 23:59")],
    ids=["before the calendar", "after it"],
)
def test_a_time_outside_the_calendar_is_written_as_the_nearest(time_us: int, written: str) -> None:
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


def test_markup_and_numbers_are_unchanged() -> None:
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


@pytest.mark.parametrize(
    ("uri", "host"),
    [
        ("https://docs.example.com/a", "docs.example.com"),
        ("HTTP://127.0.0.1:8080", "127.0.0.1"),
        ("https://example.com?q=1", "example.com"),
        ("https://example.com/日本", "example.com"),
        ("https://good.example@evil.example/", None),
        ("https://good.example\\@evil.example/", None),
        ("https:/\\evil.example", None),
        ("https:evil.example", None),
        ("//evil.example", None),
        ("javascript:alert(1)//https://a.example", None),
        ("data:text/html,x", None),
        ("file:///etc/passwd", None),
        ("gs://bucket/a", None),
        (" https://example.com", None),
        ("https://example.com/\u202egpj", None),
        ("https://example.com/\n", None),
        ("https://\u0435xample.com/", None),  # a Cyrillic letter
        ("https://example.com/<b>", None),
        ("", None),
        (None, None),
    ],
)
def test_only_plain_web_addresses_are_links(uri: str | None, host: str | None) -> None:
    assert web_host(uri) == host


@given(st.text(alphabet="htps:/\\@.ax#?[]1%\t", max_size=30))
def test_a_link_leads_to_the_host_that_is_named(uri: str) -> None:
    host = web_host(uri)
    assert host is None or urlsplit(uri).hostname == host.lower()
