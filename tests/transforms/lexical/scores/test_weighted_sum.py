"""The sum of what words and a model say of a claim."""

import pytest

from groundwatch.schemas.verdict import ContradictionKind
from groundwatch.transforms.lexical.contradictions.difference import Difference
from groundwatch.transforms.lexical.scores.claim_result import CONTRADICTED, ClaimResult
from groundwatch.transforms.lexical.scores.weighted_sum import add_model

NUMBERS = (Difference(ContradictionKind.NUMBER, "20", "30", 0),)
CITED_FROM = 0.5


@pytest.mark.parametrize(
    ("words", "model", "weight", "expected"),
    [
        pytest.param(
            ClaimResult(0.5, (2,), ()),
            ClaimResult(1.5, (0,)),
            1.0,
            ClaimResult(2.0, [0, 2], ()),
            id="both log odds and both facts",
        ),
        pytest.param(
            ClaimResult(0.5, (2,), ()),
            ClaimResult(-2.0, ()),
            0.25,
            ClaimResult(0.0, [], ()),
            id="a weight, and no fact below the threshold of citations",
        ),
        pytest.param(
            ClaimResult(-0.5, (), ()),
            ClaimResult(1.0, (1,)),
            1.0,
            ClaimResult(CITED_FROM, [1], ()),
            id="a fact at the threshold",
        ),
        pytest.param(
            ClaimResult(CONTRADICTED, (), NUMBERS),
            ClaimResult(9.0, (1,)),
            1.0,
            ClaimResult(CONTRADICTED, [], NUMBERS),
            id="a contradiction decides, without a fact",
        ),
        pytest.param(
            ClaimResult(-3.0, (), NUMBERS),
            ClaimResult(-1.0),
            1.0,
            ClaimResult(-4.0, [], NUMBERS),
            id="a contradiction that scores lower keeps its sum",
        ),
        pytest.param(
            ClaimResult(None, (), None),
            ClaimResult(-1.0),
            2.0,
            ClaimResult(-2.0, [], None),
            id="words that say nothing add 0",
        ),
        pytest.param(
            ClaimResult(0.5, gain=0.3),
            ClaimResult(),
            1.0,
            ClaimResult(0.5, gain=0.3),
            id="no claim",
        ),
        pytest.param(
            ClaimResult(0.5), ClaimResult(-13.0), 1e9, ClaimResult(-100.0, []), id="a huge weight"
        ),
    ],
)
def test_the_log_odds_of_a_model_are_added_to_those_of_the_words(
    words: ClaimResult, model: ClaimResult, weight: float, expected: ClaimResult
) -> None:
    assert add_model(words, model, weight, CITED_FROM) == expected
