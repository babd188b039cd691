"""Statistics of scores against labels."""

from math import sqrt
from statistics import mean, variance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.quality.evaluate.statistics import (
    Bin,
    Example,
    Flagged,
    best_f1,
    flag_below,
    measure_auroc,
    measure_calibration,
    measure_flags,
    measure_worst,
)
from groundwatch.launch.results.shares import Interval, share_interval


def examples(supported: list[float | None], unsupported: list[float | None]) -> list[Example]:
    """Each a cluster of its own."""
    labelled = [(each, False) for each in supported] + [(each, True) for each in unsupported]
    return [Example(score, label, str(n)) for n, (score, label) in enumerate(labelled)]


def auroc(*args: list[float | None], resamples: int = 20) -> Interval:
    found = measure_auroc(examples(*args), resamples)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("supported", "unsupported", "value"),
    [
        pytest.param([0.35, 0.8], [0.1, 0.4], 0.75, id="the example in scikit-learn's manual"),
        pytest.param([None, 0.5], [0.9], 0.5, id="without a score above all"),
        pytest.param([None], [None], 0.5, id="both without a score"),
    ],
)
def test_the_area_is_the_share_of_ordered_pairs(
    supported: list[float | None], unsupported: list[float | None], value: float
) -> None:
    assert auroc(supported, unsupported).value == value


@pytest.mark.parametrize("only", [([0.1, 0.9], []), ([], [0.1, 0.9]), ([], [])], ids=str)
def test_the_area_is_unknown_without_a_pair(only: tuple[list[float], list[float]]) -> None:
    assert measure_auroc(examples(*only), 20) is None


def worst(
    supported: list[float | None], unsupported: list[float | None], *shares: float
) -> list[tuple[int, float]]:
    """How many examples each share has, and how many of them are unsupported."""
    found = measure_worst(examples(supported, unsupported), shares, 50)
    for each in found:
        assert each.precision.value == pytest.approx(each.unsupported / each.examples)
        assert each.precision.low <= each.precision.value <= each.precision.high
    return [(each.examples, pytest.approx(each.unsupported)) for each in found]


@pytest.mark.parametrize(
    ("supported", "unsupported", "expected"),
    [
        pytest.param([0.8] * 15, [0.1] * 5, [(1, 1), (2, 2), (4, 4)], id="perfect"),
        pytest.param([0.1] * 15, [0.8] * 5, [(1, 0), (2, 0), (4, 0)], id="upside down"),
        pytest.param([0.3, *[0.8] * 17], [0.1, 0.5], [(1, 1), (2, 1), (4, 2)], id="mixed"),
        pytest.param([0.3] * 15, [0.3] * 5, [(1, 0.25), (2, 0.5), (4, 1)], id="all the same"),
        pytest.param([0.2, *[0.9] * 16], [0.1, 0.2, 0.2], [(1, 1), (2, 5 / 3), (4, 3)], id="edge"),
        pytest.param([0.9] * 3, [None] * 97, [(1, 0)] * 3, id="without a score left out"),
        pytest.param([0.9] * 29, [0.1], [(2, 1), (3, 1), (6, 1)], id="rounded up"),
        pytest.param([], [0.1], [(1, 1)] * 3, id="one"),
        pytest.param([None], [None], [], id="none"),
    ],
)
def test_the_worst_scored_are_counted_with_a_part_of_equal_scores(
    supported: list[float | None],
    unsupported: list[float | None],
    expected: list[tuple[int, float]],
) -> None:
    assert worst(supported, unsupported, 0.05, 0.1, 0.2) == expected


def test_the_worst_that_are_all_alike_have_wilsons_interval() -> None:
    [found] = measure_worst(examples([0.9] * 90, [0.1] * 10), [0.1], 50)
    wilson = share_interval(10, 10)
    assert wilson
    assert (found.precision.low, found.precision.high) == (wilson.low, 1.0)


def test_the_interval_of_the_worst_is_wider_where_answers_come_from_the_same_facts() -> None:
    own = [Example(n / 100, n // 10 % 2 == 0, str(n)) for n in range(100)]
    shared = [each._replace(cluster=str(n // 10)) for n, each in enumerate(own)]
    [single], [together] = (measure_worst(each, [0.2], 400) for each in (own, shared))
    assert single.precision.value == together.precision.value == 0.5
    widths = [each.precision.high - each.precision.low for each in (single, together)]
    assert widths[1] > 1.5 * widths[0]


SCORES = st.lists(st.sampled_from([0.1, 0.2, 0.4, 0.7, 0.9]), min_size=1, max_size=12)


@given(SCORES, SCORES)
def test_the_area_agrees_with_counting_pairs_one_by_one(
    supported: list[float], unsupported: list[float]
) -> None:
    pairs = [(high > low) + (high == low) / 2 for high in supported for low in unsupported]
    found = auroc([*supported], [*unsupported])
    assert found.value == pytest.approx(sum(pairs) / len(pairs))
    assert 0 <= found.low <= found.high <= 1


def spread(count: int, shift: float) -> list[float | None]:
    """Scores evenly spread from a start."""
    return [shift + 0.6 * n / count for n in range(count)]


def test_the_interval_is_that_of_the_theory() -> None:
    # E. DeLong and others, Biometrics 44 (1988): the variance of the area.
    supported, unsupported = spread(200, 0.3), spread(100, 0.1)
    found = auroc(supported, unsupported, resamples=4_000)
    above = [mean([high > low for low in unsupported]) for high in supported]
    below = [mean([high > low for high in supported]) for low in unsupported]
    error = 1.96 * sqrt(variance(above) / len(above) + variance(below) / len(below))
    assert found.value - found.low == pytest.approx(error, rel=0.08)
    assert found.high - found.value == pytest.approx(error, rel=0.08)


def test_copies_within_their_clusters_keep_the_interval() -> None:
    once = examples(spread(20, 0.3), spread(20, 0.1))
    assert measure_auroc(once * 5, 100) == measure_auroc(once, 100)


def test_copies_in_clusters_of_their_own_make_the_interval_narrower() -> None:
    few = auroc(spread(20, 0.3), spread(20, 0.1), resamples=200)
    many = auroc(spread(20, 0.3) * 16, spread(20, 0.1) * 16, resamples=200)
    assert many.high - many.low < (few.high - few.low) / 2


def test_resamples_with_only_one_label_are_ignored() -> None:
    found = auroc([0.9], [0.1], resamples=50)
    assert (found.low, found.high) == (1.0, 1.0)
    assert auroc([0.9], [0.1] * 99, resamples=1) == Interval(1.0, 1.0, 1.0)


def labelled(*scored: tuple[float | None, bool]) -> list[Example]:
    return [Example(score, is_unsupported, "a") for score, is_unsupported in scored]


MIXED = labelled((0.1, True), (0.2, False), (0.3, True), (0.8, False), (None, True))


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
def test_precision_and_recall_are_of_scores_below_the_threshold(
    threshold: float, flagged: int, precision: float | None, recall: float, f1: float
) -> None:
    found = flag_below(MIXED, threshold)
    assert (found.flagged, found.share) == (flagged, flagged / 5)
    assert found.precision == precision
    assert found.recall == pytest.approx(recall)
    assert found.f1 == pytest.approx(f1)


def test_without_an_unsupported_example_recall_is_unknown() -> None:
    found = flag_below(labelled((0.1, False), (0.9, False)), 0.5)
    assert found == Flagged(
        threshold=0.5, flagged=1, share=0.5, precision=0.0, recall=None, f1=None
    )


def test_without_examples_the_share_is_unknown() -> None:
    assert flag_below([], 0.5).share is None


def test_the_best_threshold_lies_just_above_a_score() -> None:
    best = best_f1(MIXED)
    assert best is not None
    assert best.f1 == pytest.approx(2 / 3)
    assert 0.3 < best.threshold < 0.3001
    assert best == flag_below(MIXED, best.threshold)


def test_equal_scores_are_flagged_together() -> None:
    best = best_f1(labelled((0.5, True), (0.5, False), (0.5, False)))
    assert best is not None
    assert (best.flagged, best.f1) == (3, 0.5)


@pytest.mark.parametrize(
    "hopeless",
    [(), ((0.3, False),), ((None, True), (0.3, False))],
    ids=["nothing", "nothing unsupported", "nothing unsupported with a score"],
)
def test_there_may_be_no_best_threshold(hopeless: tuple[tuple[float | None, bool], ...]) -> None:
    assert best_f1(labelled(*hopeless)) is None


def with_support(*scored: tuple[float | None, bool]) -> list[Example]:
    """Scores, and whether each is supported."""
    return [Example(score, not is_supported, "a") for score, is_supported in scored]


def test_each_tenth_has_its_mean_score_and_supported_share() -> None:
    found = measure_calibration(
        with_support((0.12, False), (0.18, True), (0.95, True), (0.85, True))
    )
    assert found is not None
    low, high, highest = found.bins
    assert low == Bin(low=0.1, high=0.2, count=2, mean_score=pytest.approx(0.15), supported=0.5)
    assert (high.count, high.supported) == (1, 1.0)
    assert highest.high == 1.0
    # (2 * |0.15 - 0.5| + |0.85 - 1| + |0.95 - 1|) / 4
    assert found.expected_error == pytest.approx(0.225)


def test_a_score_that_is_a_probability_has_no_error() -> None:
    found = measure_calibration(with_support(*[(0.75, True)] * 3, (0.75, False)))
    assert found is not None
    assert found.expected_error == 0


@pytest.mark.parametrize(("score", "low"), [(0.0, 0.0), (0.1, 0.1), (0.99, 0.9), (1.0, 0.9)])
def test_a_tenth_begins_with_its_lower_end_and_the_last_holds_one(score: float, low: float) -> None:
    found = measure_calibration(with_support((score, True)))
    assert found is not None
    assert [each.low for each in found.bins] == [low]


def test_an_example_without_a_score_is_not_in_a_tenth() -> None:
    found = measure_calibration(with_support((None, True), (0.5, True)))
    assert found is not None
    assert sum(each.count for each in found.bins) == 1
    assert measure_calibration(with_support((None, True))) is None


def test_flags_have_precision_and_recall_with_intervals() -> None:
    found = measure_flags(
        examples([0.9] * 60, [0.1] * 40), [True] * 20 + [False] * 50 + [True] * 30, 200
    )
    assert found.hits == 30
    assert found.precision
    assert found.recall
    assert (found.precision.value, found.recall.value) == (0.6, 0.75)
    for each in (found.precision, found.recall):
        assert 0 < each.low < each.value < each.high < 1


def test_without_a_flag_precision_is_unknown() -> None:
    found = measure_flags(examples([0.9], [0.1]), [False, False], 20)
    assert (found.hits, found.precision) == (0, None)
    assert found.recall == Interval(0.0, 0.0, 0.0)
