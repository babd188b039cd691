"""The sum of what words and a model say of a claim."""

import pytest

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.contradictions.difference import Difference
from groundwatch.transforms.lexical.scores.claim_result import WRONG, ClaimResult
from groundwatch.transforms.lexical.scores.weighted_sum import WeightedSum

NUMBERS = (Difference(ContradictionKind.NUMBER, "20", "30", 0),)
CITED_FROM = 0.5


@pytest.mark.parametrize(
    ("words", "model", "weight", "expected"),
    [
        # Both log odds and both facts.
        (ClaimResult(0.5, (2,), ()), ClaimResult(1.5, (0,)), 1.0, ClaimResult(2.0, [0, 2], ())),
        # A weight, and no fact below the threshold of citations.
        (ClaimResult(0.5, (2,), ()), ClaimResult(-2.0, ()), 0.25, ClaimResult(0.0, [], ())),
        # A fact at the threshold.
        (ClaimResult(-0.5, (), ()), ClaimResult(1.0, (1,)), 1.0, ClaimResult(CITED_FROM, [1], ())),
        # What is wrong stays wrong, without a fact; a claim that scores lower keeps its sum.
        (
            ClaimResult(WRONG, (), NUMBERS, is_wrong=True),
            ClaimResult(9.0, (1,)),
            1.0,
            ClaimResult(WRONG, [], NUMBERS),
        ),
        (
            ClaimResult(-3.0, (), NUMBERS, is_wrong=True),
            ClaimResult(-1.0),
            1.0,
            ClaimResult(-4.0, [], NUMBERS),
        ),
        (ClaimResult(WRONG, is_wrong=True), ClaimResult(9.0, (1,)), 1.0, ClaimResult(WRONG, [])),
        # Words that say nothing add 0.
        (ClaimResult(None, (), None), ClaimResult(-1.0), 2.0, ClaimResult(-2.0, [], None)),
        # No claim.
        (ClaimResult(0.5, gain=0.3), ClaimResult(), 1.0, ClaimResult(0.5, gain=0.3)),
        # A huge weight.
        (ClaimResult(0.5), ClaimResult(-13.0), 1e9, ClaimResult(-100.0, [])),
    ],
)
def test_the_log_odds_of_a_model_are_added_to_those_of_the_words(
    words: ClaimResult, model: ClaimResult, weight: float, expected: ClaimResult
) -> None:
    assert WeightedSum(weight).add(words, model, CITED_FROM) == expected


@pytest.mark.parametrize(("by_words", "expected"), [(4.0, 2.5), (1.0, 2.0), (-4.0, -0.5)])
def test_words_count_no_more_than_the_limit_up_or_down(by_words: float, expected: float) -> None:
    rule = WeightedSum(1.0, words_within=1.5)
    assert rule.add(ClaimResult(by_words), ClaimResult(1.0), CITED_FROM).log_odds == expected
    assert rule.add(ClaimResult(by_words), ClaimResult(), CITED_FROM).log_odds == by_words


@pytest.mark.parametrize(
    ("words", "is_uncertain"),
    [
        (ClaimResult(1.19), True),
        (ClaimResult(1.2), False),
        (ClaimResult(None), True),
        (ClaimResult(WRONG, is_wrong=True), True),
    ],
)
def test_a_model_is_asked_below_a_limit(words: ClaimResult, *, is_uncertain: bool) -> None:
    assert WeightedSum(ask_below=1.2).is_uncertain(words) is is_uncertain
