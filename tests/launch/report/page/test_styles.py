"""The colours of the page, in the light and the dark scheme."""

import re
from importlib.resources import files

import pytest

from launch.report.page.styles import claim_style
from tests.support.builders import a_claim

STYLE = files("launch.report.page").joinpath("templates/style.css").read_text(encoding="utf-8")
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


@pytest.mark.parametrize(
    ("score", "css", "meaning"),
    [
        (0.0, "tint-0 unsupported", "not supported"),
        (0.39, "tint-1 unsupported", "not supported"),
        (0.4, "tint-2", "supported"),
        (0.8, "tint-4", "supported"),
        (1.0, "tint-4", "supported"),
        (None, "unchecked", "needs no check"),
    ],
)
def test_the_lower_the_score_the_deeper_the_tint(
    score: float | None, css: str, meaning: str
) -> None:
    style = claim_style(a_claim(score=score), 0.4)
    assert (style.css, style.meaning) == (css, meaning)


def test_a_score_of_what_needs_no_check_does_not_tint() -> None:
    greeting = a_claim(score=0.0, grounding_check_required=False)
    assert claim_style(greeting, 0.4).css == "unchecked"
