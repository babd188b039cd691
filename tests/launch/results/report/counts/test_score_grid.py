"""Other thresholds, from stored scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.report.counts.score_grid import ScoreGrid
from groundwatch.transforms.rules.thresholds import Thresholds

scores = st.none() | st.floats(0, 1)
DEFAULTS = Thresholds()


@pytest.mark.parametrize(
    ("support_score", "claim_score", "is_low"),
    [
        (0.6, 0.4, False),
        (0.5999, 0.4, True),
        (0.6, 0.3999, True),
        (0.1, None, True),
        (None, 0.1, True),
        (0.9, None, False),
        (None, 0.9, False),
        (0.0, 0.0, True),
        (1.0, 1.0, False),
    ],
)
def test_an_answer_is_low_when_either_score_is_below_its_threshold(
    support_score: float | None, claim_score: float | None, is_low: bool
) -> None:
    grid = ScoreGrid(DEFAULTS)
    grid.add(support_score, claim_score)
    assert grid.in_force == is_low


def test_a_threshold_between_the_tenths_is_a_further_step() -> None:
    grid = ScoreGrid(Thresholds(low_grounded=0.63, claim=0.4))
    grid.add(0.62, None)
    by_support = grid.by_support()
    assert (by_support[0.6], by_support[0.63], by_support[0.7]) == (0, 1, 1)


@given(st.lists(st.tuples(scores, scores)))
def test_the_grid_agrees_with_counting_one_by_one(
    answers: list[tuple[float | None, float | None]],
) -> None:
    grid = ScoreGrid(DEFAULTS)
    for support, claim in answers:
        grid.add(support, claim)
    for support_step in grid.support_steps:
        for claim_step in grid.claim_steps:
            assert grid.low_grounded(support_step, claim_step) == sum(
                (support is not None and support < support_step)
                or (claim is not None and claim < claim_step)
                for support, claim in answers
            )
