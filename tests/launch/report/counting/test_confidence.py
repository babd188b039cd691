"""Shares that are sure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.report.counting.confidence import surely_at_least


@pytest.mark.parametrize(
    ("hits", "of", "least"),
    [(0, 0, 0.0), (0, 9, 0.0), (1, 1, 0.055), (6, 10, 0.274), (90, 100, 0.820), (81, 263, 0.2535)],
)
def test_the_lower_end_of_the_interval(hits: int, of: int, least: float) -> None:
    # 81 of 263 is Newcombe's own example; his table says 0.2535.
    assert surely_at_least(hits, of) == pytest.approx(least, abs=5e-4)


def test_ninety_of_a_hundred_outrank_one_of_one() -> None:
    assert surely_at_least(90, 100) > surely_at_least(1, 1)


@given(st.integers(1, 10_000), st.data())
def test_it_lies_between_none_and_the_share_itself(of: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, of))
    assert 0.0 <= surely_at_least(hits, of) <= hits / of
