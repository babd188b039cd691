"""Scores against the share that is supported."""

import pytest

from launch.evaluate.statistics.calibration import Bin, calibrate
from launch.evaluate.statistics.example import Example


def examples(*scored: tuple[float | None, bool]) -> list[Example]:
    """Scores, and whether each is supported."""
    return [Example(score, not is_supported, "a") for score, is_supported in scored]


def test_each_tenth_tells_its_mean_and_how_much_of_it_is_supported() -> None:
    found = calibrate(examples((0.12, False), (0.18, True), (0.95, True), (0.85, True)))
    assert found is not None
    low, high, highest = found.bins
    assert low == Bin(low=0.1, high=0.2, count=2, mean_score=pytest.approx(0.15), supported=0.5)
    assert (high.count, high.supported) == (1, 1.0)
    assert highest.high == 1.0
    # (2 * |0.15 - 0.5| + |0.85 - 1| + |0.95 - 1|) / 4
    assert found.expected_error == pytest.approx(0.225)


def test_a_score_that_is_a_probability_has_no_error() -> None:
    found = calibrate(examples(*[(0.75, True)] * 3, (0.75, False)))
    assert found is not None
    assert found.expected_error == 0


@pytest.mark.parametrize(("score", "low"), [(0.0, 0.0), (0.1, 0.1), (0.99, 0.9), (1.0, 0.9)])
def test_a_tenth_begins_with_its_lower_end_and_the_last_holds_one(score: float, low: float) -> None:
    found = calibrate(examples((score, True)))
    assert found is not None
    assert [each.low for each in found.bins] == [low]


def test_what_has_no_score_is_in_no_tenth() -> None:
    found = calibrate(examples((None, True), (0.5, True)))
    assert found is not None
    assert sum(each.count for each in found.bins) == 1
    assert calibrate(examples((None, True))) is None
