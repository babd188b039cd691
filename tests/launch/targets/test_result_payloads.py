"""What each tool is told of who decided a verdict."""

import pytest
from msgspec.structs import replace

from groundwatch.launch.targets import result_payloads as payloads
from groundwatch.schemas.checked_answer import VerdictThresholds
from groundwatch.schemas.grounding_result import GroundingResult
from tests.support.builders import a_screen
from tests.support.results import a_result

DECIDED = {
    "check_checker": "judge",
    "check_revision": "m-1",
    "check_thresholds_low_grounded": 0.6,
    "check_thresholds_claim": 0.0,
}
SCREENED = {
    "screen_checker": "local",
    "screen_revision": "words-1",
    "screen_verdict": "GROUNDED",
    "screen_support_score": 0.9,
    "screen_min_claim_score": 0.8,
}
OF_ONE = a_result(
    checker="judge", revision="m-1", thresholds=VerdictThresholds(low_grounded=0.6, claim=0.0)
)
OF_TWO = replace(OF_ONE, screen=a_screen())


def own(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if name.startswith(("check", "screen"))}


@pytest.mark.parametrize(
    ("result", "expected"),
    [(a_result(), {}), (OF_ONE, DECIDED), (OF_TWO, DECIDED | SCREENED)],
    ids=["not said", "one checker", "two checkers"],
)
def test_every_tool_gets_who_decided(result: GroundingResult, expected: dict[str, object]) -> None:
    for score in payloads.langfuse_scores(result):
        assert own(score["metadata"]) == expected
    assert own(payloads.phoenix_annotation(result)["metadata"]) == expected
    texts = {name: str(value) for name, value in expected.items()}
    assert own(payloads.mlflow_assessment(result)["metadata"]) == texts
    attributes = payloads.opentelemetry_attributes(result)
    assert (
        own({name.removeprefix("groundwatch."): value for name, value in attributes.items()})
        == expected
    )
