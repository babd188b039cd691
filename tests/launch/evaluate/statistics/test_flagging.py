"""What thresholds flag."""

import pytest

from launch.evaluate.statistics.example import Example
from launch.evaluate.statistics.flagging import Flagged, best_f1, flag_below


def examples(*scored: tuple[float | None, bool]) -> list[Example]:
    return [Example(score, is_unsupported, "a") for score, is_unsupported in scored]


MIXED = examples((0.1, True), (0.2, False), (0.3, True), (0.8, False), (None, True))


@pytest.mark.parametrize(
    ("threshold", "flagged", "precision", "recall", "f1"),
    [
        pytest.param(0.05, 0, None, 0.0, 0.0, id="below all"),
        pytest.param(0.1, 0, None, 0.0, 0.0, id="a score equal to it is not flagged"),
        pytest.param(0.15, 1, 1.0, 1 / 3, 0.5, id="one, rightly"),
        pytest.param(0.25, 2, 0.5, 1 / 3, 0.4, id="two, one rightly"),
        pytest.param(0.5, 3, 2 / 3, 2 / 3, 2 / 3, id="three, two rightly"),
        pytest.param(1.0, 4, 0.5, 2 / 3, 4 / 7, id="all but the one without a score"),
    ],
)
def test_precision_and_recall_are_of_what_scores_below(
    threshold: float, flagged: int, precision: float | None, recall: float, f1: float
) -> None:
    found = flag_below(MIXED, threshold)
    assert (found.flagged, found.share) == (flagged, flagged / 5)
    assert found.precision == precision
    assert found.recall == pytest.approx(recall)
    assert found.f1 == pytest.approx(f1)


def test_without_anything_unsupported_there_is_no_recall() -> None:
    found = flag_below(examples((0.1, False), (0.9, False)), 0.5)
    assert found == Flagged(
        threshold=0.5, flagged=1, share=0.5, precision=0.0, recall=None, f1=None
    )


def test_of_nothing_no_share_is_flagged() -> None:
    assert flag_below([], 0.5).share is None


def test_the_best_threshold_lies_just_above_a_score() -> None:
    best = best_f1(MIXED)
    assert best is not None
    assert best.f1 == pytest.approx(2 / 3)
    assert 0.3 < best.threshold < 0.3001
    assert best == flag_below(MIXED, best.threshold)


def test_equal_scores_are_flagged_together() -> None:
    best = best_f1(examples((0.5, True), (0.5, False), (0.5, False)))
    assert best is not None
    assert (best.flagged, best.f1) == (3, 0.5)


@pytest.mark.parametrize(
    "hopeless",
    [(), ((0.3, False),), ((None, True), (0.3, False))],
    ids=["nothing", "nothing unsupported", "nothing unsupported with a score"],
)
def test_there_may_be_no_best_threshold(hopeless: tuple[tuple[float | None, bool], ...]) -> None:
    assert best_f1(examples(*hopeless)) is None
