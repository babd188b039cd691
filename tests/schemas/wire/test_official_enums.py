"""The enum tables agree with the services' own descriptors."""

from pkgutil import resolve_name

import pytest

from groundwatch.schemas.wire import enums

# Only the process that runs these tests imports the clients.
DISCOVERY_ENGINE = "google.cloud.discoveryengine_v1beta"
GEMINI, VERTEX = "google.ai.generativelanguage_v1beta", "google.cloud.aiplatform_v1"
TABLES = {
    "state": (f"{DISCOVERY_ENGINE}:Answer.State", enums.ANSWER_STATES),
    "skip reason": (f"{DISCOVERY_ENGINE}:Answer.AnswerSkippedReason", enums.ANSWER_SKIPPED_REASONS),
    "query type": (
        f"{DISCOVERY_ENGINE}:Answer.QueryUnderstandingInfo.QueryClassificationInfo.Type",
        enums.QUERY_CLASSIFICATION_TYPES,
    ),
    "category": (f"{DISCOVERY_ENGINE}:HarmCategory", enums.DISCOVERY_ENGINE_HARM_CATEGORIES),
    "probability": (f"{DISCOVERY_ENGINE}:SafetyRating.HarmProbability", enums.HARM_PROBABILITIES),
    "severity": (f"{DISCOVERY_ENGINE}:SafetyRating.HarmSeverity", enums.HARM_SEVERITIES),
    "gemini category": (f"{GEMINI}:HarmCategory", enums.GEMINI_HARM_CATEGORIES),
    "gemini probability": (f"{GEMINI}:SafetyRating.HarmProbability", enums.HARM_PROBABILITIES),
    "finish reason": (f"{GEMINI}:Candidate.FinishReason", enums.FINISH_REASONS),
    "prompt's block reason": (
        f"{GEMINI}:GenerateContentResponse.PromptFeedback.BlockReason",
        enums.BLOCK_REASONS,
    ),
    "vertex category": (f"{VERTEX}:HarmCategory", enums.VERTEX_HARM_CATEGORIES),
    "vertex probability": (f"{VERTEX}:SafetyRating.HarmProbability", enums.HARM_PROBABILITIES),
    "vertex severity": (f"{VERTEX}:SafetyRating.HarmSeverity", enums.HARM_SEVERITIES),
    "vertex finish reason": (f"{VERTEX}:Candidate.FinishReason", enums.VERTEX_FINISH_REASONS),
    "vertex prompt's block reason": (
        f"{VERTEX}:GenerateContentResponse.PromptFeedback.BlockedReason",
        enums.VERTEX_BLOCK_REASONS,
    ),
}


@pytest.mark.parametrize(("official", "names"), TABLES.values(), ids=TABLES)
def test_a_table_has_every_name_at_its_number(official: str, names: tuple[str, ...]) -> None:
    assert {field.name: field.value for field in resolve_name(official)} == {
        name: number for number, name in enumerate(names)
    }


def test_the_block_reasons_of_an_input_are_the_first_of_those_of_a_prompt() -> None:
    official = resolve_name(f"{GEMINI}:GenerateAnswerResponse.InputFeedback.BlockReason")
    assert [field.name for field in official] == list(enums.BLOCK_REASONS[: len(official)])


@pytest.mark.parametrize(("official", "names"), TABLES.values(), ids=TABLES)
def test_a_value_may_be_written_as_name_number_or_digits(
    official: str, names: tuple[str, ...]
) -> None:
    for field in resolve_name(official):
        expected = field.name if field.value else None
        written = (field.name, field.value, str(field.value))
        assert [enums.enum_name(value, names) for value in written] == [expected] * 3


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("", None),
        ("NEWER_REASON", "NEWER_REASON"),
        (47, "47"),
        ("47", "47"),
        (-1, "-1"),
        (10**30, "1" + "0" * 30),
        ("9" * 5000, "9" * 5000),
    ],
    ids=["absent", "new name", "new number", "new digits", "negative", "huge", "endless"],
)
def test_an_unknown_value_stays_unchanged(value: int | str, name: str | None) -> None:
    assert enums.enum_name(value, enums.ANSWER_SKIPPED_REASONS) == name
