"""Sampled answers."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.transforms.rules.sampling import SamplingRule, is_in_sample

LEAST, MIDDLE, MOST = "0" * 64, "8" + "0" * 63, "f" * 64
IDS = [sha256(str(number).encode()).hexdigest() for number in range(5_000)]

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


@pytest.mark.parametrize("share", [0.001, 0.1, 1 / 3, 0.5, 0.9])
def test_the_sample_is_as_large_as_its_share_within_what_chance_allows(share: float) -> None:
    kept = sum(is_in_sample(record_id, None, SamplingRule(rate=share)) for record_id in IDS)
    four_deviations = 4 * (len(IDS) * share * (1 - share)) ** 0.5
    assert abs(kept - len(IDS) * share) <= four_deviations
