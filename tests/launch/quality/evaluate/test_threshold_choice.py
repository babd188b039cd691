"""Thresholds for a wanted precision or recall, and the weight of a model."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from groundwatch.launch.quality.evaluate.choose_thresholds import (
    ChosenThresholds,
    calibrate,
    choose_thresholds,
    choose_weight,
)
from groundwatch.launch.quality.evaluate.find_thresholds import (
    Goal,
    find_thresholds,
    held_out_flags,
    is_flagged,
    part_of,
)
from groundwatch.launch.quality.evaluate.labelled_answers import LabelledAnswer
from groundwatch.transforms.rules.thresholds import NO_THRESHOLDS, Thresholds
from tests.support.evaluations import a_labelled

_SCORES = st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0])
_PRECISE, _COMPLETE = Goal(1.0, is_recall=False), Goal(1.0, is_recall=True)
_GOALS = st.builds(Goal, st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]), st.booleans())


def answer_of(
    claim: float | None,
    support: float,
    cluster: str,
    *,
    is_unsupported: bool,
    contradicts: bool = False,
) -> LabelledAnswer:
    scores = () if claim is None else (claim,)
    answer = a_labelled(*scores, support=support, is_unsupported=is_unsupported, spans=None)
    return replace(answer, cluster=cluster, is_always_flagged=contradicts)


def turned(answer: LabelledAnswer) -> LabelledAnswer:
    """The same answer with the other label."""
    label = replace(answer.label, is_unsupported=not answer.label.is_unsupported)
    return replace(answer, label=label)


_ANSWERS = st.lists(
    st.builds(
        answer_of,
        st.none() | _SCORES,
        _SCORES,
        st.sampled_from("abcdefgh"),
        is_unsupported=st.booleans(),
        contradicts=st.booleans(),
    ),
    max_size=20,
)


def shares(
    labelled: Sequence[LabelledAnswer], thresholds: Thresholds, goal: Goal
) -> tuple[float, float] | None:
    """The wanted share and the other one, by counting; None if no flag is right."""
    flagged = [each for each in labelled if is_flagged(each, thresholds)]
    hits = sum(each.label.is_unsupported for each in flagged)
    if not hits:
        return None
    pair = hits / len(flagged), hits / sum(each.label.is_unsupported for each in labelled)
    return pair[::-1] if goal.is_recall else pair


@given(_ANSWERS, _GOALS)
def test_no_other_thresholds_reach_the_goal_at_a_lower_cost(
    labelled: list[LabelledAnswer], goal: Goal
) -> None:
    steps = [0.0, 0.05, 0.2, 0.28, 0.4, 0.6, 0.8, 0.95]
    possible = [
        shares(labelled, Thresholds(claim=claim, low_grounded=support), goal)
        for claim in steps
        for support in steps
    ]
    reaching = [pair for pair in possible if pair and pair[0] >= goal.value]
    found = find_thresholds(labelled, goal)
    assert (found is None) == (not reaching)
    if found is not None:
        assert 0 <= max(found.claim, found.low_grounded) <= 1
        reached = shares(labelled, found, goal)
        assert reached is not None
        assert reached[0] >= goal.value
        assert reached[1] == max(other for _, other in reaching)


def test_a_threshold_is_a_short_number_between_two_scores() -> None:
    labelled = [
        answer_of(0.2, 1.0, "a", is_unsupported=True),
        answer_of(0.6000000000000001, 1.0, "b", is_unsupported=False),
    ]
    assert find_thresholds(labelled, _PRECISE) == Thresholds(claim=0.4, low_grounded=0.0)


def test_a_contradiction_is_flagged_by_any_thresholds() -> None:
    wrongly = answer_of(0.9, 0.9, "a", is_unsupported=False, contradicts=True)
    lowest = [answer_of(0.1 * n, 1.0, f"{n}", is_unsupported=True) for n in range(1, 5)]
    high = answer_of(0.8, 1.0, "b", is_unsupported=False)
    # Three right flags of four need three answers below the threshold, not two.
    found = find_thresholds([wrongly, *lowest, high], Goal(0.75, is_recall=False))
    assert found == Thresholds(claim=0.6, low_grounded=0.0)
    assert find_thresholds([wrongly, lowest[0], high], Goal(0.6, is_recall=False)) is None
    rightly = answer_of(0.9, 0.9, "c", is_unsupported=True, contradicts=True)
    assert find_thresholds([rightly, high], _PRECISE) == NO_THRESHOLDS
    assert is_flagged(rightly, NO_THRESHOLDS)


@given(_ANSWERS, _GOALS)
def test_an_answer_is_flagged_without_its_own_label(
    labelled: list[LabelledAnswer], goal: Goal
) -> None:
    flags = held_out_flags(labelled, goal)
    for cluster in {each.cluster for each in labelled}:
        changed = [turned(each) if each.cluster == cluster else each for each in labelled]
        places = [place for place, each in enumerate(labelled) if each.cluster == cluster]
        again = held_out_flags(changed, goal)
        assert [again[place] for place in places] == [flags[place] for place in places]


@pytest.mark.parametrize(
    ("scores", "thresholds"),
    [
        pytest.param(
            [(0.9, 0.9, False), (0.2, 0.2, True)], (0.55, 0.0), id="equal: the claim alone"
        ),
        pytest.param(
            [(0.9, 0.2, False), (0.2, 0.9, True)],
            (0.55, 0.0),
            id="the support score is the wrong way round",
        ),
        pytest.param(
            [(0.5, 0.9, False), (0.5, 0.2, True)], (0.0, 0.55), id="the claims say nothing"
        ),
        pytest.param(
            [(0.9, 0.2, True), (0.2, 0.9, True), (0.5, 0.5, False)],
            (0.35, 0.35),
            id="each finds what the other does not",
        ),
    ],
)
@pytest.mark.parametrize("goal", [_PRECISE, _COMPLETE], ids=["precision", "recall"])
def test_the_scores_that_separate_decide_and_one_alone_where_that_is_enough(
    scores: list[tuple[float, float, bool]], thresholds: tuple[float, float], goal: Goal
) -> None:
    labelled = [
        answer_of(claim, support, str(number), is_unsupported=label)
        for number, (claim, support, label) in enumerate(scores)
    ]
    choice = choose_thresholds(labelled, goal, 10)
    assert choice is not None
    assert (choice.thresholds.claim, choice.thresholds.low_grounded) == thresholds


def noisy(count: int, spread: float = 0.2, seed: int = 8) -> list[LabelledAnswer]:
    """Answers, two in five unsupported, whose claims score lower on average than the others'."""
    chance = np.random.default_rng(seed)
    labels = chance.random(count) < 0.4
    scores = np.clip(chance.normal(np.where(labels, 0.35, 0.65), spread), 0, 1)
    return [
        answer_of(float(score), 0.5, str(number), is_unsupported=bool(label))
        for number, (score, label) in enumerate(zip(scores, labels, strict=True))
    ]


@pytest.mark.parametrize("by_half", [False, True], ids=["fifths", "halves"])
@pytest.mark.parametrize("is_recall", [False, True], ids=["precision", "recall"])
def test_the_wanted_share_holds_on_other_answers(is_recall: bool, by_half: bool) -> None:
    """Thresholds of 2,000 noisy answers, on 2,000 others; and what was held out says so."""
    labelled = noisy(4_000)
    chosen, others = labelled[:2_000], labelled[2_000:]
    goal = Goal(0.8, is_recall)
    choice = choose_thresholds(chosen, goal, 50, by_half=by_half)
    assert choice is not None
    reached = shares(others, choice.thresholds, goal)
    assert reached is not None
    assert reached[0] == pytest.approx(0.8, abs=0.05)
    estimate = choice.held_out.recall if is_recall else choice.held_out.precision
    assert estimate is not None
    # The half that reports may be luckier than the one that chooses: its share is its own.
    assert by_half or estimate.low <= 0.8 <= estimate.high


def test_one_half_chooses_and_the_other_reports() -> None:
    labelled = noisy(400)
    fitted, others = ([each for each in labelled if part_of(each, 2) == n] for n in (0, 1))
    choice = choose_thresholds(labelled, Goal(0.8, is_recall=False), 10, by_half=True)
    assert choice is not None
    assert choice.thresholds == find_thresholds(fitted, Goal(0.8, is_recall=False))
    flags = [is_flagged(each, choice.thresholds) for each in others]
    assert (choice.held_out.flagged, choice.held_out.unsupported) == (
        sum(flags),
        sum(each.label.is_unsupported for each in others),
    )
    assert choice.flagged.flagged == sum(is_flagged(each, choice.thresholds) for each in fitted)


def by_weight(spreads: Mapping[float, float], count: int) -> dict[float, list[LabelledAnswer]]:
    return {weight: noisy(count, spread) for weight, spread in spreads.items()}


@pytest.mark.parametrize(
    ("spreads", "weight"),
    [
        pytest.param({0.0: 0.3, 0.5: 0.2, 1.0: 0.1, inf: 0.4}, 1.0, id="the best"),
        pytest.param({0.0: 0.1, 0.5: 0.2, 1.0: 0.3, inf: 0.4}, 0.0, id="words"),
        pytest.param({0.0: 0.4, 0.5: 0.3, 1.0: 0.2, inf: 0.1}, inf, id="the model"),
        pytest.param({0.0: 0.2, 0.5: 0.2, 4.0: 0.2, inf: 0.2}, 0.5, id="equal: nearest one"),
    ],
)
def test_the_weight_with_the_greatest_area_in_one_half_is_chosen(
    spreads: dict[float, float], weight: float
) -> None:
    choice = choose_weight(by_weight(spreads, 400), 10)
    assert choice.weight == weight
    assert list(choice.areas) == list(spreads)
    fitted, other = choice.areas[weight]
    assert fitted is not None
    assert other is not None
    assert fitted == max(area for area, _ in choice.areas.values() if area is not None)
    assert other.low <= fitted <= other.high or abs(other.value - fitted) < 0.05


def test_the_labels_of_the_other_half_do_not_choose() -> None:
    given = by_weight({0.5: 0.2, 1.0: 0.15, inf: 0.4}, 400)
    changed = {
        weight: [turned(each) if part_of(each, 2) else each for each in labelled]
        for weight, labelled in given.items()
    }
    found, other = (calibrated(each) for each in (given, changed))
    assert found.weight is not None
    assert other.weight is not None
    assert found.weight.weight == other.weight.weight == 1.0
    first, second = found.choices[None], other.choices[None]
    assert first is not None
    assert second is not None
    assert first.thresholds == second.thresholds
    assert first.held_out != second.held_out


def calibrated(given: dict[float, list[LabelledAnswer]], **more: Any) -> ChosenThresholds:
    labelled = given[1.0]
    return calibrate(labelled, Goal(0.8, is_recall=False), 10, {}, by_weight=given, **more)


@pytest.mark.parametrize(("count", "warns"), [(400, False), (100, True)])
def test_it_warns_where_labels_are_too_few_for_three_numbers(count: int, warns: bool) -> None:
    found = calibrated(by_weight({1.0: 0.2, inf: 0.2}, count))
    assert found.weight is not None
    assert (found.weight.rarer < 30) is warns
    few = "a weight and two thresholds are fitted to a half with"
    assert any(few in warning for _, warning in found.warnings) is warns


def test_engines_share_the_weight_and_have_thresholds_of_their_own() -> None:
    given = {
        weight: [
            replace(each, engine="shop" if number % 2 else "tea")
            for number, each in enumerate(labelled)
        ]
        for weight, labelled in by_weight({0.5: 0.1, 1.0: 0.3}, 400).items()
    }
    found = calibrated(given)
    assert found.weight is not None
    assert found.weight.weight == 0.5
    assert list(found.choices) == [None, "shop", "tea"]
    assert all(found.choices.values())
    alone = calibrated(given, engine="tea")
    assert (list(alone.choices), len(alone.groups[None])) == ([None], 200)
