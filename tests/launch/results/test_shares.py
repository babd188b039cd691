"""Shares and their intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.shares import (
    Sample,
    describe_share,
    share_interval,
    wilson_lower_bound,
)


@pytest.mark.parametrize(
    ("hits", "of", "least"),
    [(0, 0, 0.0), (0, 9, 0.0), (1, 1, 0.055), (6, 10, 0.274), (90, 100, 0.820), (81, 263, 0.2535)],
)
def test_the_lower_end_of_the_interval(hits: int, of: int, least: float) -> None:
    # 81 of 263 is Newcombe's own example; his table says 0.2535.
    assert wilson_lower_bound(hits, of) == pytest.approx(least, abs=5e-4)


@pytest.mark.parametrize(
    ("strata", "said"),
    [
        ([], "—"),
        ([Sample(0, 0, 0)], "—"),
        ([Sample(11, 11, 1)], "1 of 11"),
        ([Sample(1, 1, 1)], "1 of 1"),
        ([Sample(6, 6, 2), Sample(5, 5, 0)], "2 of 11"),
        ([Sample(1_000, 1, 1)], "too few drawn (1): --sample 0.04"),
        ([Sample(1_000, 29, 3)], "too few drawn (29): --sample 0.04"),
        ([Sample(1_000, 30, 3)], "10.0% (2.7% to 27.3%), by 30 drawn"),
        # What was checked whole is not what was drawn.
        ([Sample(90, 90, 9), Sample(20, 4, 4)], "too few drawn (4): --sample 1"),
        ([Sample(90, 90, 9), Sample(20, 0, 0)], "too few drawn (0): --sample 1"),
        ([Sample(60, 60, 0), Sample(40, 30, 0)], "0.0% (0.0% to 1.6%), by 30 drawn"),
    ],
)
def test_what_was_counted_is_a_count_and_what_was_drawn_an_estimate(
    strata: list[Sample], said: str
) -> None:
    assert describe_share(strata, "drawn", "--sample") == said
    assert describe_share(strata, "drawn") == said.partition(": ")[0]


@given(st.integers(1, 500), st.data())
def test_an_interval_holds_its_share(total: int, data: st.DataObject) -> None:
    found = share_interval(data.draw(st.integers(0, total)), total)
    assert found is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert share_interval(0, 0) is None


def test_ninety_of_a_hundred_outrank_one_of_one() -> None:
    assert wilson_lower_bound(90, 100) > wilson_lower_bound(1, 1)


@given(st.integers(1, 10_000), st.data())
def test_the_lower_bound_is_between_zero_and_the_share(of: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, of))
    assert 0.0 <= wilson_lower_bound(hits, of) <= hits / of
