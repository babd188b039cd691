"""The area under the curve, and its interval."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from launch.evaluate.statistics.example import Example
from launch.evaluate.statistics.ranking import Auroc, measure_auroc


def examples(supported: list[float | None], unsupported: list[float | None]) -> list[Example]:
    """Each a cluster of its own."""
    labelled = [(each, False) for each in supported] + [(each, True) for each in unsupported]
    return [Example(score, label, str(n)) for n, (score, label) in enumerate(labelled)]


def auroc(*args: list[float | None], resamples: int = 20) -> Auroc:
    found = measure_auroc(examples(*args), resamples)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("supported", "unsupported", "value"),
    [
        pytest.param([0.9, 0.8], [0.1, 0.2], 1.0, id="perfect"),
        pytest.param([0.1, 0.2], [0.9, 0.8], 0.0, id="upside down"),
        pytest.param([0.5, 0.5], [0.5], 0.5, id="all the same"),
        pytest.param([0.35, 0.8], [0.1, 0.4], 0.75, id="the example in scikit-learn's manual"),
        # 0.9 and 0.8 outscore both; 0.4 loses to 0.7 and ties with 0.4: 4.5 of 6 pairs.
        pytest.param([0.9, 0.8, 0.4], [0.7, 0.4], 0.75, id="a tie counts half"),
        pytest.param([None, 0.5], [0.9], 0.5, id="without a score above all"),
        pytest.param([None], [None], 0.5, id="both without a score"),
    ],
)
def test_it_is_the_share_of_pairs_in_the_right_order(
    supported: list[float | None], unsupported: list[float | None], value: float
) -> None:
    assert auroc(supported, unsupported).value == value


@pytest.mark.parametrize("only", [([0.1, 0.9], []), ([], [0.1, 0.9]), ([], [])], ids=str)
def test_it_is_unknown_where_there_is_no_pair(only: tuple[list[float], list[float]]) -> None:
    assert measure_auroc(examples(*only), 20) is None


SCORES = st.lists(st.sampled_from([0.1, 0.2, 0.4, 0.7, 0.9]), min_size=1, max_size=12)


@given(SCORES, SCORES)
def test_it_is_what_counting_pairs_one_by_one_gives(
    supported: list[float], unsupported: list[float]
) -> None:
    pairs = [(high > low) + (high == low) / 2 for high in supported for low in unsupported]
    found = auroc([*supported], [*unsupported])
    assert found.value == pytest.approx(sum(pairs) / len(pairs))
    assert 0 <= found.low <= found.high <= 1


def spread(count: int, shift: float) -> list[float | None]:
    """Scores evenly over a stretch."""
    return [shift + 0.6 * n / count for n in range(count)]


def test_the_interval_is_as_wide_as_the_theory_says() -> None:
    # J. Hanley and B. McNeil, Radiology 143 (1982): the standard error of the area.
    supported, unsupported = spread(200, 0.3), spread(100, 0.1)
    found = auroc(supported, unsupported, resamples=2_000)
    area = found.value
    by_score, by_label = area / (2 - area), 2 * area**2 / (1 + area)
    variance = (area * (1 - area) + 99 * (by_score - area**2) + 199 * (by_label - area**2)) / (
        200 * 100
    )
    assert (found.high - found.low) / 2 == pytest.approx(1.96 * sqrt(variance), rel=0.15)
    assert found.low < area < found.high


def test_the_same_scores_give_the_same_interval() -> None:
    assert auroc(spread(20, 0.3), spread(20, 0.1)) == auroc(spread(20, 0.3), spread(20, 0.1))


def test_copies_within_their_clusters_make_nothing_surer() -> None:
    once = examples(spread(20, 0.3), spread(20, 0.1))
    assert measure_auroc(once * 5, 100) == measure_auroc(once, 100)


def test_copies_in_clusters_of_their_own_make_the_interval_narrower() -> None:
    few = auroc(spread(20, 0.3), spread(20, 0.1), resamples=200)
    many = auroc(spread(20, 0.3) * 16, spread(20, 0.1) * 16, resamples=200)
    assert many.high - many.low < (few.high - few.low) / 2


def test_resamples_with_only_one_kind_count_for_nothing() -> None:
    found = auroc([0.9], [0.1], resamples=50)
    assert (found.low, found.high) == (1.0, 1.0)
    assert auroc([0.9], [0.1] * 99, resamples=1) == Auroc(value=1.0, low=1.0, high=1.0)
