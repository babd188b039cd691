"""Sampled answers, and totals estimated from a sample."""

import random
from collections.abc import Callable, Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms.rules.sampling import SamplingRule, Total, estimate_total, is_in_sample

LEAST, MIDDLE, MOST = "0" * 64, "8" + "0" * 63, "f" * 64
IDS = [sha256(str(number).encode()).hexdigest() for number in range(20_000)]

record_ids = st.binary(max_size=8).map(lambda data: sha256(data).hexdigest())
shares = st.floats(0, 1)
engines = st.sampled_from([None, "", "shop", "help"])

TABLE = {
    "all": (SamplingRule(), "shop", MOST, True),
    "none": (SamplingRule(rate=0.0), "shop", LEAST, False),
    "below the share": (SamplingRule(rate=0.51), "shop", MIDDLE, True),
    "at the share": (SamplingRule(rate=0.5), "shop", MIDDLE, False),
    "above the share": (SamplingRule(rate=0.49), "shop", MIDDLE, False),
    "an engine's own share": (
        SamplingRule(rate=0.0, engine_rates={"shop": 1.0}),
        "shop",
        MOST,
        True,
    ),
    "an engine's own share of nothing": (
        SamplingRule(engine_rates={"shop": 0.0}),
        "shop",
        LEAST,
        False,
    ),
    "another engine": (SamplingRule(engine_rates={"shop": 0.0}), "help", MOST, True),
    "no engine": (SamplingRule(engine_rates={"shop": 0.0}), None, MOST, True),
    "no engine, and a share for all": (SamplingRule(rate=0.0), None, LEAST, False),
}


@pytest.mark.parametrize(("rule", "engine", "record_id", "kept"), TABLE.values(), ids=TABLE)
def test_an_answer_is_kept_whose_id_is_below_the_most_specific_share(
    rule: SamplingRule, engine: str | None, record_id: str, kept: bool
) -> None:
    assert is_in_sample(record_id, engine, rule) is kept


@given(record_ids, engines, shares, shares)
def test_a_larger_share_keeps_what_a_smaller_one_keeps(
    record_id: str, engine: str | None, one: float, other: float
) -> None:
    smaller, larger = (SamplingRule(rate=share) for share in sorted((one, other)))
    assert is_in_sample(record_id, engine, larger) or not is_in_sample(record_id, engine, smaller)


@given(record_ids, shares, shares)
def test_a_larger_share_of_one_engine_takes_nothing_from_another(
    record_id: str, share: float, engine_share: float
) -> None:
    rule = SamplingRule(rate=share, engine_rates={"shop": engine_share})
    assert is_in_sample(record_id, "help", rule) is is_in_sample(
        record_id, "help", SamplingRule(rate=share)
    )


@pytest.mark.parametrize("share", [0.001, 0.1, 1 / 3, 0.5, 0.9])
def test_the_sample_is_as_large_as_its_share_within_what_chance_allows(share: float) -> None:
    kept = sum(is_in_sample(record_id, None, SamplingRule(rate=share)) for record_id in IDS)
    four_deviations = 4 * (len(IDS) * share * (1 - share)) ** 0.5
    assert abs(kept - len(IDS) * share) <= four_deviations


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
