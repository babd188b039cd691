"""The tint of a claim."""

import pytest

from launch.report.page.claims import claim_style
from tests.support.builders import a_claim


@pytest.mark.parametrize(
    ("score", "css", "told"),
    [
        (0.0, "tint-0 unsupported", "not supported"),
        (0.39, "tint-1 unsupported", "not supported"),
        (0.4, "tint-2", "supported"),
        (0.8, "tint-4", "supported"),
        (1.0, "tint-4", "supported"),
        (None, "unchecked", "needs no check"),
    ],
)
def test_the_lower_the_score_the_deeper_the_tint(score: float | None, css: str, told: str) -> None:
    style = claim_style(a_claim(score=score), 0.4)
    assert (style.css, style.told) == (css, told)


def test_a_score_of_what_needs_no_check_does_not_tint() -> None:
    greeting = a_claim(score=0.0, grounding_check_required=False)
    assert claim_style(greeting, 0.4).css == "unchecked"
