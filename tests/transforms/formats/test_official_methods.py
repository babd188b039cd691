"""Messages of Discovery Engine's other methods are read as the client wrote them."""

from importlib import import_module
from itertools import combinations
from types import ModuleType
from typing import Any

import pytest

from groundwatch.schemas.answer import Citation, Fact, GroundingSupport
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.rules.routing import route
from tests.support.answer_messages import parsed
from tests.support.official_messages import the_answer

TEXT = "Grüße! Lamps glow. Lamps glow."
START, END = len("Grüße! ".encode()), len("Grüße! Lamps glow.".encode())


@pytest.fixture(scope="module")
def client() -> ModuleType:
    return import_module("google.cloud.discoveryengine_v1beta")


def test_grounded_content_is_read_with_its_claims(client: ModuleType) -> None:
    response = client.GenerateGroundedContentResponse(
        candidates=[
            {
                "content": {"role": "model", "parts": [{"text": TEXT}]},
                "grounding_score": 0.75,
                "grounding_metadata": {
                    "support_chunks": [
                        {"chunk_text": "Lamps glow.", "uri": "u", "title": "t", "source": "0"},
                        {"chunk_text": "A lamp is a light."},
                    ],
                    "grounding_support": [
                        {
                            "claim_text": "Lamps glow.",
                            "support_chunk_indices": [0],
                            "support_score": 0.5,
                        },
                        {"claim_text": "Lamps glow.", "support_chunk_indices": [1]},
                        {"claim_text": "Not said."},
                    ],
                },
            }
        ]
    )
    answer = the_answer(response)
    assert (answer.answer_text, answer.generator_grounding_score) == (TEXT, 0.75)
    assert answer.facts == (
        Fact(text="Lamps glow.", uri="u", title="t", document="0"),
        Fact(text="A lamp is a light."),
    )
    first, second = answer.supports
    assert first == GroundingSupport(start=START, end=END, facts=(0,), score=0.5)
    assert (second.start, second.end, second.facts) == (END + 1, len(TEXT.encode()), (1,))


SUMMARY: dict[str, Any] = {
    "summary_text": f"{TEXT} [1]",
    "summary_with_metadata": {
        "summary": TEXT,
        "citation_metadata": {
            "citations": [
                {"start_index": START, "end_index": END, "sources": [{"reference_index": 1}]}
            ]
        },
        "references": [
            {"title": "a", "uri": "u", "chunk_contents": [{"content": "A lamp is a light."}]},
            {"document": "d", "chunk_contents": [{"content": "Lamps glow."}]},
        ],
    },
}


def test_a_summary_is_read_from_search_and_from_a_conversation(client: ModuleType) -> None:
    found = the_answer(client.SearchResponse(summary=SUMMARY, attribution_token="t"))  # noqa: S106
    said = the_answer(
        client.ConverseConversationResponse(
            reply={"summary": SUMMARY},
            conversation={
                "name": "projects/1/conversations/c1",
                "messages": [{"user_input": {"input": "q"}}, {"reply": {"reply": "r"}}],
            },
        )
    )
    assert (said.query, said.session) == ("q", "c1")
    for answer in (found, said):
        assert answer.answer_text == TEXT
        assert answer.facts == (
            Fact(text="A lamp is a light.", uri="u", title="a"),
            Fact(text="Lamps glow.", document="d"),
        )
        assert answer.citations == (Citation(start=START, end=END, facts=(1,)),)


GIVEN = ("summary", "summary_text", "references", "struct_data", "derived_struct_data")


@pytest.mark.parametrize(
    "given", [each for count in range(6) for each in combinations(GIVEN, count)], ids=" ".join
)
def test_documents_of_a_search_are_no_unread_facts(
    client: ModuleType, given: tuple[str, ...]
) -> None:
    texts = {"body": "A lamp is a light. " * 20}
    found = {"struct_data": texts, "derived_struct_data": {"snippets": [{"snippet": TEXT * 9}]}}
    document = {name: field for name, field in found.items() if name in given}
    detailed = SUMMARY["summary_with_metadata"]
    summary = {
        "summary_text": TEXT if "summary_text" in given else "",
        "summary_with_metadata": {name: detailed[name] for name in detailed if name in given},
    }
    results = [{"id": "1", "document": {"id": "1", **document}}]
    for message in (
        client.SearchResponse(summary=summary, results=results),
        client.ConverseConversationResponse(reply={"summary": summary}, search_results=results),
    ):
        answer = the_answer(message)
        assert bool(answer.answer_text) is bool({"summary", "summary_text"}.intersection(given))
        assert len(answer.facts) == 2 * ("references" in given)


def test_a_summary_that_was_skipped_keeps_its_reason() -> None:
    decision = route(parsed({"summary": {"summaryText": "Sorry.", "summarySkippedReasons": [7]}}))
    assert decision is not None
    assert (decision.verdict, decision.reason) == (
        Verdict.POLICY_SKIPPED,
        "JAIL_BREAKING_QUERY_IGNORED",
    )


def test_a_request_to_check_is_read(client: ModuleType) -> None:
    answer = the_answer(
        client.CheckGroundingRequest(
            grounding_config="projects/1/groundingConfigs/c",
            answer_candidate=TEXT,
            facts=[{"fact_text": "Lamps glow.", "attributes": {"title": "t", "author": "a"}}],
            grounding_spec={"citation_threshold": 0.5},
            user_labels={"team": "x"},
        )
    )
    assert answer.answer_text == TEXT
    assert answer.facts == (Fact(text="Lamps glow.", title="t", attributes={"author": "a"}),)


DECISIONS = {
    "groundingSignals": ("REJECTED_BY_GROUNDING", Verdict.LOW_GROUNDED),
    "safetySignals": ("REJECTED_BY_SAFETY_CHECK", Verdict.POLICY_SKIPPED),
}


def test_the_decisions_of_dialogflow_are_reasons() -> None:
    for signals, (decision, verdict) in DECISIONS.items():
        data = {"answer": TEXT, signals: {"decision": decision}}
        found = route(parsed({"queryResult": {"dataStoreConnectionSignals": data}}))
        assert found is not None
        assert found.verdict is verdict
