"""A message of Google's clients is the same answer in every serialisation."""

import json
from pkgutil import resolve_name
from typing import Any

import pytest

from groundwatch.schemas.message import UnmappedFields
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from tests.support.answer_messages import message_of
from tests.support.official_messages import filled, the_answer

# The names of the clients' classes: only the process that runs these tests imports the clients.
FILLED = {
    f"{client}:{kind}": input_format
    for clients, kinds in (
        (
            [f"google.cloud.discoveryengine_{api}" for api in ("v1", "v1beta", "v1alpha")],
            {
                "Answer": "discoveryengine.answer",
                "AnswerQueryResponse": "discoveryengine.answer_query",
            },
        ),
        (
            [f"google.ai.generativelanguage_{api}" for api in ("v1beta", "v1alpha")],
            {
                "Candidate": "gemini.candidate",
                "GenerateAnswerResponse": "gemini.generate_answer",
                "GenerateContentResponse": "gemini.generate_content",
            },
        ),
        (
            ["google.cloud.aiplatform_v1"],
            {"Candidate": "gemini.candidate", "GenerateContentResponse": "gemini.generate_content"},
        ),
    )
    for client in clients
    for kind, input_format in kinds.items()
}


@pytest.mark.parametrize(("kind", "input_format"), FILLED.items(), ids=FILLED)
def test_a_message_with_every_field_is_the_same_answer_in_every_serialisation(
    kind: str, input_format: str
) -> None:
    answer = the_answer(filled(resolve_name(kind)))
    assert answer.source_format == input_format


# Fields that decide the verdict before the text and the facts are looked at.
DECIDING = {
    *("state", "answerSkippedReasons", "assistSkippedReasons", "customerPolicyEnforcementResult"),
    *("finishReason", "promptFeedback", "inputFeedback", "safetyRatings", "queryUnderstandingInfo"),
}
LACKING = {
    "nothing": set[str](),
    "texts": {"answerText", "parts", "text"},
    "texts of facts": {"content", "text", "chunkText", "chunkContents", "structuredDocumentInfo"},
    "facts": {"references", "groundingChunks", "supportChunks", "groundingAttributions"},
    "both": {"answerText", "text", "references", "content", "chunkText"},
}
METADATA = {"title": "What a lamp of the series is tested for, and for how long.", "pages": ["1"]}
KINDS = [
    *FILLED,
    "google.cloud.discoveryengine_v1beta:AssistAnswer",
    "google.cloud.discoveryengine_v1beta:GenerateGroundedContentResponse",
]


def lacking(value: Any, names: set[str]) -> Any:
    """Remove fields, and fill the data of documents with texts."""
    if isinstance(value, list):
        return [lacking(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: METADATA if name in ("structData", "derivedStructData") else lacking(field, names)
        for name, field in value.items()
        if name not in names
    }


@pytest.mark.parametrize("names", LACKING.values(), ids=LACKING)
@pytest.mark.parametrize("kind", KINDS)
def test_all_documented_fields_are_known(kind: str, names: set[str]) -> None:
    message = filled(resolve_name(kind))
    written = json.loads(type(message).to_json(message, use_integers_for_enums=False))
    for removed in (names | DECIDING, names):
        for found in parse_answers(message_of(lacking(written, removed))):
            if isinstance(found, ParseFailure):
                assert not isinstance(found.error, UnmappedFields), found.error
