"""A message of Google's clients is the same answer in every serialisation."""

from pkgutil import resolve_name

import pytest

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
