"""A message of Google's clients is the same answer in every serialisation."""

import google.ai.generativelanguage_v1alpha as gemini_alpha
import google.ai.generativelanguage_v1beta as gemini_beta
import proto
import pytest
from google.cloud import discoveryengine_v1, discoveryengine_v1alpha, discoveryengine_v1beta
from google.cloud.aiplatform_v1.types import content, prediction_service

from tests.support.official_messages import filled, the_answer

FILLED = [
    *(
        pytest.param(kind, input_format, id=f"{client.__name__}.{kind.__name__}")
        for client in (discoveryengine_v1, discoveryengine_v1beta, discoveryengine_v1alpha)
        for kind, input_format in (
            (client.Answer, "discoveryengine.answer"),
            (client.AnswerQueryResponse, "discoveryengine.answer_query"),
        )
    ),
    *(
        pytest.param(kind, input_format, id=f"{client.__name__}.{kind.__name__}")
        for client in (gemini_beta, gemini_alpha)
        for kind, input_format in (
            (client.Candidate, "gemini.candidate"),
            (client.GenerateAnswerResponse, "gemini.generate_answer"),
            (client.GenerateContentResponse, "gemini.generate_content"),
        )
    ),
    pytest.param(content.Candidate, "gemini.candidate", id="aiplatform_v1.Candidate"),
    pytest.param(
        prediction_service.GenerateContentResponse,
        "gemini.generate_content",
        id="aiplatform_v1.GenerateContentResponse",
    ),
]


@pytest.mark.parametrize(("kind", "input_format"), FILLED)
def test_a_message_with_every_field_is_the_same_answer_in_every_serialisation(
    kind: type[proto.Message], input_format: str
) -> None:
    answer = the_answer(filled(kind))
    assert answer.source_format == input_format
