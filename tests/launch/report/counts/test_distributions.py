"""Histograms of scores, and quantiles of latencies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.report.counts.distributions import Latencies, ScoreHistogram


@pytest.mark.parametrize(
    ("score", "place"), [(0.0, 0), (0.049, 0), (0.05, 1), (0.6, 12), (0.5999, 11), (1.0, 19)]
)
def test_a_score_on_an_edge_belongs_to_the_upper_bin(score: float, place: int) -> None:
    histogram = ScoreHistogram()
    histogram.add(score)
    assert histogram.bins.index(1) == place


def test_a_missing_score_is_no_score() -> None:
    histogram = ScoreHistogram()
    histogram.add(None)
    assert histogram.total == 0


def test_no_call_has_no_quantile() -> None:
    assert Latencies().quantile_ms(0.5) is None


@pytest.mark.parametrize(("share", "latency_ms"), [(0.5, 50), (0.9, 90), (0.99, 99), (1.0, 100)])
def test_quantiles_of_one_to_a_hundred(share: float, latency_ms: int) -> None:
    latencies = Latencies()
    for each in range(1, 101):
        latencies.add(each)
    assert latencies.quantile_ms(share) == latency_ms


@given(st.lists(st.integers(0, 10_000_000), min_size=1))
def test_the_median_is_off_by_a_tenth_at_most(given_ms: list[int]) -> None:
    latencies = Latencies()
    for each in given_ms:
        latencies.add(each)
    exact = sorted(given_ms)[(len(given_ms) - 1) // 2]
    median = latencies.quantile_ms(0.5)
    assert median is not None
    assert exact * 0.9 <= median <= exact
    assert latencies.max_ms == max(given_ms)
