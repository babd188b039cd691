"""Messages of Google's Gemini clients are read as they were written."""

from importlib import import_module
from typing import Any

import pytest

from groundwatch.schemas.answer import Citation, Fact, GroundingSupport, SafetyRating
from groundwatch.schemas.message import Message
from tests.support.answer_messages import parse_answer
from tests.support.official_messages import all_serialisations, the_answer

TEXT = "Grüße 😀 … ships in 3 days."
END = len(TEXT.encode())

CANDIDATE: dict[str, Any] = {
    "content": {"parts": [{"text": "Grüße "}, {"text": "hm", "thought": True}, {"text": TEXT[6:]}]},
    "finish_reason": 2,
    "safety_ratings": [{"category": 8, "probability": 4, "blocked": True}],
    "citation_metadata": {"citation_sources": [{"start_index": 0, "end_index": 7, "uri": "u"}]},
    "grounding_attributions": [
        {
            "content": {"parts": [{"text": "Attributed."}]},
            "source_id": {
                "semantic_retriever_chunk": {
                    "source": "corpora/c",
                    "chunk": "corpora/c/documents/d/chunks/k",
                }
            },
        }
    ],
    "grounding_metadata": {
        "grounding_chunks": [
            {"web": {"uri": "w", "title": "web"}},
            {"retrieved_context": {"uri": "u", "title": "t", "text": "Retrieved."}},
            {"maps": {"text": "A place.", "place_id": "place"}},
        ],
        "grounding_supports": [
            {
                "segment": {"part_index": 2, "end_index": END - 8},
                "grounding_chunk_indices": [0, 1],
                "confidence_scores": [0.5, 0.75],
            }
        ],
    },
}


def test_a_candidate_is_read_as_the_client_wrote_it() -> None:
    client = import_module("google.ai.generativelanguage_v1beta")
    answer = the_answer(client.Candidate(CANDIDATE))
    assert answer.source_format == "gemini.candidate"
    assert answer.answer_text == TEXT
    assert answer.finish_reason == "MAX_TOKENS"
    assert answer.safety_ratings == (
        SafetyRating(category="HATE_SPEECH", probability="HIGH", blocked=True),
    )
    assert answer.facts == (
        Fact(text="Attributed.", document="corpora/c/documents/d/chunks/k"),
        Fact(text="Retrieved.", uri="u", title="t"),
        Fact(text="A place.", document="place"),
    )
    assert answer.supports == (GroundingSupport(start=8, end=END, score=0.75, facts=(1,)),)
    assert answer.citations == (Citation(start=8, end=END, facts=(1,)), Citation(start=0, end=7))
    assert answer.tags == ()


@pytest.mark.parametrize("api", ["v1beta", "v1alpha"])
def test_a_logged_generate_answer_is_read_in_every_serialisation(api: str) -> None:
    client = import_module(f"google.ai.generativelanguage_{api}")
    request = client.GenerateAnswerRequest(
        contents=[{"role": "user", "parts": [{"text": "How long?"}]}],
        inline_passages={
            "passages": [{"id": "p1", "content": {"parts": [{"text": "One."}, {"text": "Two."}]}}]
        },
    )
    response = client.GenerateAnswerResponse(
        answer={"content": {"parts": [{"text": TEXT}]}, "finish_reason": 1},
        answerable_probability=0.25,
        input_feedback={"block_reason": 2},
    )
    requests, responses = all_serialisations(request), all_serialisations(response)
    for way, written in requests.items():
        payload = b'{"request": %b, "response": %b}' % (written, responses[way])
        answer = parse_answer(Message(payload=payload, place="p"))
        assert answer.source_format == "gemini.generate_answer"
        assert answer.query == "How long?"
        assert answer.facts == (Fact(text="One.\nTwo.", document="p1"),)
        assert (answer.answer_text, answer.finish_reason) == (TEXT, "STOP")
        assert (answer.answerable_probability, answer.block_reason) == (0.25, "OTHER")
