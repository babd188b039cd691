"""Shares and their intervals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from groundwatch.launch.results.shares import (
    difference_interval,
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


def test_the_difference_of_independent_shares() -> None:
    # Newcombe's example (a), by his method 11: 56 of 70 and 48 of 80.
    first, second = share_interval(48, 80), share_interval(56, 70)
    assert first is not None
    assert second is not None
    found = difference_interval(first, second)
    assert astuple(found) == pytest.approx((0.2, 0.0428, 0.3422), abs=5e-4)


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
