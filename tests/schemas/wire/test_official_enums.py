"""The enum tables agree with the services' own descriptors."""

from enum import IntEnum

import google.ai.generativelanguage_v1beta as gemini
import pytest
from google.cloud import discoveryengine_v1beta as discovery_engine
from google.cloud.aiplatform_v1.types import content as vertex
from google.cloud.aiplatform_v1.types.prediction_service import GenerateContentResponse

from groundwatch.schemas.wire import enums

TABLES = {
    "state": (discovery_engine.Answer.State, enums.ANSWER_STATES),
    "skip reason": (discovery_engine.Answer.AnswerSkippedReason, enums.ANSWER_SKIPPED_REASONS),
    "query type": (
        discovery_engine.Answer.QueryUnderstandingInfo.QueryClassificationInfo.Type,
        enums.QUERY_CLASSIFICATION_TYPES,
    ),
    "category": (discovery_engine.HarmCategory, enums.DISCOVERY_ENGINE_HARM_CATEGORIES),
    "probability": (discovery_engine.SafetyRating.HarmProbability, enums.HARM_PROBABILITIES),
    "severity": (discovery_engine.SafetyRating.HarmSeverity, enums.HARM_SEVERITIES),
    "gemini category": (gemini.HarmCategory, enums.GEMINI_HARM_CATEGORIES),
    "gemini probability": (gemini.SafetyRating.HarmProbability, enums.HARM_PROBABILITIES),
    "finish reason": (gemini.Candidate.FinishReason, enums.FINISH_REASONS),
    "prompt's block reason": (
        gemini.GenerateContentResponse.PromptFeedback.BlockReason,
        enums.BLOCK_REASONS,
    ),
    "vertex category": (vertex.HarmCategory, enums.VERTEX_HARM_CATEGORIES),
    "vertex probability": (vertex.SafetyRating.HarmProbability, enums.HARM_PROBABILITIES),
    "vertex severity": (vertex.SafetyRating.HarmSeverity, enums.HARM_SEVERITIES),
    "vertex finish reason": (vertex.Candidate.FinishReason, enums.VERTEX_FINISH_REASONS),
    "vertex prompt's block reason": (
        GenerateContentResponse.PromptFeedback.BlockedReason,
        enums.VERTEX_BLOCK_REASONS,
    ),
}


@pytest.mark.parametrize(("official", "names"), TABLES.values(), ids=TABLES)
def test_a_table_has_every_name_at_its_number(
    official: type[IntEnum], names: tuple[str, ...]
) -> None:
    assert {field.name: field.value for field in official} == {
        name: number for number, name in enumerate(names)
    }


def test_the_block_reasons_of_an_input_are_the_first_of_those_of_a_prompt() -> None:
    official = gemini.GenerateAnswerResponse.InputFeedback.BlockReason
    assert [field.name for field in official] == list(enums.BLOCK_REASONS[: len(official)])


@pytest.mark.parametrize(("official", "names"), TABLES.values(), ids=TABLES)
def test_a_value_may_be_written_as_name_number_or_digits(
    official: type[IntEnum], names: tuple[str, ...]
) -> None:
    for field in official:
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
