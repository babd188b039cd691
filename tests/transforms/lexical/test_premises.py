"""The figures of the question are premises: neither invented by an answer nor contradicted."""

import json

import pytest
from msgspec.structs import replace

from groundwatch.transforms.lexical.check_claims import check_grounding, find_contradictions
from tests.support.checks import check_request, verdict_of
from tests.support.repository import ROOT

ROWS = (ROOT / "tests/data/premises.jsonl").read_text(encoding="utf-8").splitlines()
"""Questions with a figure, a fact, an answer that repeats the figure and is right, and a wrong one.

They were written by hand for this test.
"""


@pytest.mark.parametrize("row", ROWS)
def test_a_figure_of_the_question_makes_no_right_answer_wrong(row: str) -> None:
    case = json.loads(row)
    for kind, verdict in (("right", "GROUNDED"), ("wrong", "LOW_GROUNDED")):
        [answer] = case[kind]
        request = replace(check_request(answer, case["fact"]), query=case["query"])
        assert verdict_of(check_grounding(request)) == verdict


@pytest.mark.parametrize("is_first", [True, False])
def test_no_statement_of_an_answer_is_contradicted_in_a_figure_of_the_question(
    is_first: bool,
) -> None:
    claims, facts = (
        ["Your 6 kg cat can travel in the cabin."],
        [("Cats up to 8 kg can travel.", {})],
    )
    facts += [("Cats of 8 kg can travel in the cabin.", {})]
    query = "Can my 6 kg cat travel in the cabin?"
    assert find_contradictions(claims, facts, query, is_first=is_first) == [[]]
    assert find_contradictions(claims, facts, is_first=is_first) != [[]]
