"""Thresholds for a wanted precision or recall."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.evaluate.calibrate_thresholds import (
    CLAIM,
    SUPPORT,
    choose_threshold,
)
from groundwatch.launch.results.evaluate.statistics import (
    Example,
    Goal,
    find_threshold,
    flag_below,
    held_out_flags,
    measure_flags,
)
from tests.support.evaluations import a_labelled

_SCORES = st.none() | st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.75, 0.9, 1.0])
_EXAMPLES = st.lists(
    st.builds(Example, _SCORES, st.booleans(), st.sampled_from("abcdefgh")), max_size=20
)
_GOALS = st.builds(Goal, st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]), st.booleans())


@given(_EXAMPLES, _GOALS)
def test_no_other_threshold_reaches_the_goal_at_a_lower_cost(
    examples: list[Example], goal: Goal
) -> None:
    def shares(threshold: float) -> tuple[float, float] | None:
        flagged = flag_below(examples, threshold)
        if not (flagged.precision and flagged.recall):
            return None
        pair = flagged.precision, flagged.recall
        return pair[::-1] if goal.is_recall else pair

    possible = [shares(number / 100) for number in range(101)]
    reaching = [pair for pair in possible if pair and pair[0] >= goal.value]
    found = find_threshold(examples, goal)
    assert (found is None) == (not reaching)
    if found is not None:
        assert 0 < found <= 1
        reached = shares(found)
        assert reached is not None
        assert reached[0] >= goal.value
        assert reached[1] == max(other for _, other in reaching)


def test_the_threshold_is_a_short_number_between_two_scores() -> None:
    examples = [Example(0.2, True, "a"), Example(0.6000000000000001, False, "b")]
    assert find_threshold(examples, Goal(1.0, is_recall=False)) == 0.4


@given(_EXAMPLES, _GOALS)
def test_an_answer_is_flagged_without_its_own_label(examples: list[Example], goal: Goal) -> None:
    flags = held_out_flags(examples, goal)
    for place, example in enumerate(examples):
        other = [each._replace(is_unsupported=not each.is_unsupported) for each in examples]
        changed = [
            new if old.cluster == example.cluster else old
            for old, new in zip(examples, other, strict=True)
        ]
        assert held_out_flags(changed, goal)[place] == flags[place]


@pytest.mark.parametrize(
    ("support", "setting"),
    [
        pytest.param((0.9, 0.2), CLAIM, id="equal: the claim"),
        pytest.param((0.2, 0.9), CLAIM, id="the support score is the wrong way round"),
    ],
)
def test_the_score_that_separates_better_decides(
    support: tuple[float, float], setting: str
) -> None:
    labelled = [
        a_labelled(0.9, support=support[0], is_unsupported=False, spans=None),
        a_labelled(0.2, support=support[1], is_unsupported=True, spans=None),
    ]
    choice = choose_threshold(labelled, Goal(1.0, is_recall=False), 10)
    assert choice is not None
    assert choice.thresholds == {SUPPORT: 0.0, CLAIM: 0.0} | {setting: 0.55}


@pytest.mark.parametrize("is_recall", [False, True], ids=["precision", "recall"])
def test_the_wanted_share_holds_on_other_answers(is_recall: bool) -> None:
    """A threshold of 2,000 noisy answers, on 2,000 others; and what was held out says so."""
    random = np.random.default_rng(8)
    labels = random.random(4_000) < 0.4
    scores = np.clip(random.normal(np.where(labels, 0.35, 0.65), 0.2), 0, 1)
    examples = [
        Example(float(score), bool(label), str(number))
        for number, (score, label) in enumerate(zip(scores, labels, strict=True))
    ]
    chosen, others = examples[:2_000], examples[2_000:]
    goal = Goal(0.8, is_recall)
    flagged = flag_below(others, find_threshold(chosen, goal) or 0)
    reached = flagged.recall if is_recall else flagged.precision
    assert reached == pytest.approx(0.8, abs=0.04)
    held_out = measure_flags(chosen, held_out_flags(chosen, goal), 50)
    estimate = held_out.recall if is_recall else held_out.precision
    assert estimate is not None
    assert estimate.low <= 0.8 <= estimate.high


def test_the_support_score_decides_if_the_claims_say_nothing() -> None:
    labelled = [
        a_labelled(0.5, support=0.9, spans=None, is_unsupported=False),
        a_labelled(0.5, 0.5, support=0.2, spans=None, is_unsupported=True),
    ]
    choice = choose_threshold(labelled, Goal(1.0, is_recall=True), 10)
    assert choice is not None
    assert choice.thresholds == {SUPPORT: 0.55, CLAIM: 0.0}
