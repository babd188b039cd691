"""The figures of the question are premises: neither invented by an answer nor contradicted."""

import json

import pytest
from msgspec.structs import replace

from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.rules.tagging import score_verdict
from groundwatch.transforms.rules.thresholds import Thresholds
from tests.support.checks import check_request
from tests.support.repository import ROOT

ROWS = (ROOT / "tests/data/premises.jsonl").read_text(encoding="utf-8").splitlines()
"""Questions with a figure, a fact, an answer that repeats the figure and is right, and a wrong one.

They were written by hand for this test.
"""


@pytest.mark.parametrize("row", ROWS)
def test_a_figure_of_the_question_makes_no_right_answer_wrong(row: str) -> None:
    case = json.loads(row)
    assert _verdict(case["right"], case) == "GROUNDED"
    assert _verdict(case["wrong"], case) == "LOW_GROUNDED"


def _verdict(answer: str, case: dict[str, str]) -> str:
    request = replace(check_request(answer, case["fact"]), query=case["query"])
    response = check_grounding(request)
    scores = [claim.score for claim in response.claims if claim.score is not None]
    contradicts = any(claim.mismatches for claim in response.claims)
    support, lowest = response.support_score, min(scores)
    return score_verdict(support, lowest, Thresholds(), contradicts=contradicts).verdict
