"""Totals estimated from a sample."""

import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.backfill.estimate.sample_totals import Total, estimate_total

POPULATION = 20_000
TRIALS = 400


def test_a_sample_that_is_the_whole_is_exact() -> None:
    assert estimate_total([1, 0, 4], 3) == Total(expected=5, low=5, high=5)


def test_nothing_adds_up_to_nothing() -> None:
    assert estimate_total([], 0) == Total(expected=0, low=0, high=0)


def test_a_sample_without_exception_does_not_claim_that_there_is_none() -> None:
    total = estimate_total([1.0] * 100, 10_000)
    assert total.expected == 10_000
    assert 9_500 < total.low < 9_900


def test_four_times_the_sample_halves_the_interval() -> None:
    one, four = (estimate_total([0.0, 1.0] * half, 10**9) for half in (500, 2_000))
    assert (four.high - four.low) / (one.high - one.low) == pytest.approx(0.5, rel=0.01)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.integers(0, 10**6))
def test_an_interval_holds_its_estimate_and_no_less_than_was_seen(
    values: list[float], others: int
) -> None:
    total = estimate_total(values, len(values) + others)
    assert total.low <= total.expected * (1 + 1e-9) + 1e-9
    assert total.expected <= total.high
    assert total.low >= sum(values)


def mostly_one(chance: random.Random) -> float:
    return float(chance.random() < 0.7)


def seldom_nothing(chance: random.Random) -> float:
    return float(chance.random() > 0.002)


def seldom_something(chance: random.Random) -> float:
    return float(chance.random() < 0.02)


def sometimes_split(chance: random.Random) -> float:
    return float(chance.randint(2, 12)) if chance.random() < 0.05 else 1.0


def lengths(chance: random.Random) -> float:
    return 0.0 if chance.random() < 0.2 else chance.lognormvariate(7.5, 0.7)


KINDS = [mostly_one, seldom_nothing, seldom_something, sometimes_split, lengths]


def coverage(population: Sequence[float], size: int, chance: random.Random) -> float:
    """The share of samples whose interval holds the population's sum."""
    truth = sum(population)
    totals = [
        estimate_total(chance.sample(population, size), len(population)) for _ in range(TRIALS)
    ]
    return sum(total.low <= truth <= total.high for total in totals) / TRIALS


@pytest.mark.parametrize("size", [200, 2_000])
@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_holds_the_truth_in_95_of_100_samples(
    kind: Callable[[random.Random], float], size: int
) -> None:
    chance = random.Random(f"{kind.__name__} {size}")  # noqa: S311 - a seed, to be repeatable
    population = [kind(chance) for _ in range(POPULATION)]
    # 400 trials at 95 % have a standard deviation of 1.1 %.
    assert coverage(population, size, chance) >= 0.925
