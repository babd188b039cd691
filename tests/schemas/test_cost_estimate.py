"""Estimates as JSON, and compared with a run."""

import json

import pytest

from groundwatch.schemas.cost_estimate import (
    Amounts,
    EstimatedAmounts,
    compare,
    estimate_to_json,
    estimated_amounts,
)
from tests.support.builders import an_estimate


def amounts(calls: int, characters: int = 0, cost: float | None = None) -> Amounts:
    return Amounts(calls=calls, characters=characters, cost=cost)


def test_an_estimate_has_the_field_names_of_the_summary_and_an_rfc_3339_time() -> None:
    written = json.loads(estimate_to_json(an_estimate()))
    names = "read", "failures", "duplicates", "sampled_out", "calls", "characters", "cost"
    assert [written[name] for name in names] == [10, 1, 1, 0, 7, 7_000, 0.7]
    assert written["estimated_at"] == "2026-03-03T12:00:00.000000Z"


def test_the_amounts_of_an_estimate_can_be_read() -> None:
    expected = EstimatedAmounts(run="r1", calls=7, characters=7_000, cost=0.7)
    assert estimated_amounts(estimate_to_json(an_estimate())) == expected


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b'{"run": 1}', b"\xff"])
def test_content_that_is_not_an_estimate_raises(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        estimated_amounts(content)


@pytest.mark.parametrize(
    ("estimated", "made", "differences"),
    [
        pytest.param(
            amounts(1_000, 2_000, 4.0), amounts(997, 2_100, 4.2), (-0.003, 0.05, 0.05), id="off"
        ),
        pytest.param(amounts(3, 30, 1.5), amounts(3, 30, 1.5), (0, 0, 0), id="exact"),
        pytest.param(amounts(0), amounts(5, 50, 1.0), (None, None, None), id="nothing estimated"),
        pytest.param(amounts(2, 20, 1.0), amounts(0), (-1, -1, None), id="nothing made, no price"),
    ],
)
def test_differences_are_relative_to_the_estimate(
    estimated: Amounts, made: Amounts, differences: tuple[float | None, ...]
) -> None:
    compared = compare(estimated, made)
    names = "calls", "characters", "cost"
    assert compared.relative_differences == pytest.approx(
        dict(zip(names, differences, strict=True))
    )
    assert (compared.calls, compared.characters, compared.cost) == (
        estimated.calls,
        estimated.characters,
        estimated.cost,
    )
