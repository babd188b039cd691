"""The support score of an answer, put together from its claims."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.rules.support import support_score

SCORES = {
    "no claim": ([], None),
    "the midpoint counts half": ([0.4], 0.5),
    "a little above the midpoint counts for much": ([0.5], 0.835),
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
