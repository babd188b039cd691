"""Scores as log odds and back."""

from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.rules.log_odds import logit, sigmoid


@pytest.mark.parametrize(
    ("score", "log_odds"), [(0.0, -inf), (0.25, -log(3)), (0.5, 0.0), (0.75, log(3)), (1.0, inf)]
)
def test_even_odds_are_zero_and_certainty_has_no_bounds(score: float, log_odds: float) -> None:
    assert logit(score) == pytest.approx(log_odds)
    assert sigmoid(log_odds) == pytest.approx(score)


@given(st.floats(1e-9, 1 - 1e-9))
def test_log_odds_lead_back_to_their_score(score: float) -> None:
    assert sigmoid(logit(score)) == pytest.approx(score)
