"""Log odds, and the support score of an answer."""

from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.lexical.scores.support_score import logit, sigmoid, support_score


@pytest.mark.parametrize(
    ("score", "log_odds"), [(0.0, -inf), (0.25, -log(3)), (0.5, 0.0), (0.75, log(3)), (1.0, inf)]
)
def test_even_odds_are_zero_and_certainty_has_no_bounds(score: float, log_odds: float) -> None:
    assert logit(score) == pytest.approx(log_odds)
    assert sigmoid(log_odds) == pytest.approx(score)


SCORES = {
    "no claim": ([], None),
    "a claim at its threshold is an answer at its own": ([0.4], 0.6),
    "a claim below it": ([0.25], 0.27),
    "a claim above it": ([0.55], 0.83),
    "one supported, one not": ([0.99, 0.01], 0.5),
    "all supported": ([0.95, 0.9, 0.99], 1.0),
    "certainty has a logit too": ([1.0, 0.0], 0.5),
    "next to nothing": ([1.0, 5e-324], 0.5),
}


@pytest.mark.parametrize(("claim_scores", "score"), SCORES.values(), ids=SCORES)
def test_the_score_is_about_the_share_of_supported_claims(
    claim_scores: list[float], score: float | None
) -> None:
    assert support_score(claim_scores) == (score and pytest.approx(score, abs=0.01))


@given(st.lists(st.floats(0, 1), min_size=1))
def test_the_score_is_a_share_that_rises_with_every_claims(claim_scores: list[float]) -> None:
    score = support_score(claim_scores)
    better = support_score([*claim_scores[1:], 1.0])
    assert score is not None
    assert better is not None
    assert 0 <= score <= better + 1e-12 <= 1 + 2e-12
