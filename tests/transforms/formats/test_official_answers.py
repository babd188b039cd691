"""Messages of Google's Discovery Engine clients are read as they were written."""

from importlib import import_module

import pytest

from groundwatch.schemas.answer import Answer, Citation, Fact, GroundingSupport, SafetyRating
from groundwatch.transforms.formats.parser import record_id
from tests.support.answer_messages import ANSWER_NAME
from tests.support.official_messages import NO_MESSAGE, the_answer

COMPLETE_TIME_US = 1_772_438_402_500_000
TEXT = "Grüße 😀 … ships in 3 days."
END = len(TEXT.encode())


# What the clients are given, in each case with what is to be read out of it.

REFERENCES = [
    {
        "chunk_info": {
            "chunk": "c1",
            "content": "It ships in 3 days.",
            "relevance_score": 0.9,
            "document_metadata": {
                "document": "d1",
                "uri": "https://shop.example/faq",
                "title": "FAQ",
                "page_identifier": "4",
                "struct_data": {"left": "out"},
            },
        }
    },
    {
        "unstructured_document_info": {
            "document": "d2",
            "uri": "u2",
            "title": "t2",
            "chunk_contents": [
                {"content": "Passage one."},
                {"content": "Passage two.", "page_identifier": "9"},
            ],
            "struct_data": {"left": "out"},
        }
    },
    {
        "structured_document_info": {
            "document": "d3",
            "uri": "u3",
            "title": "t3",
            "struct_data": {"colour": "red"},
        }
    },
]
FACTS = (
    Fact(
        text="It ships in 3 days.",
        uri="https://shop.example/faq",
        title="FAQ",
        document="d1",
        attributes={"page": "4"},
    ),
    Fact(text="Passage one.", uri="u2", title="t2", document="d2"),
    Fact(text="Passage two.", uri="u2", title="t2", document="d2", attributes={"page": "9"}),
    Fact(text="colour: red", uri="u3", title="t3", document="d3"),
)

CITED = [{"end_index": 7, "sources": [{"reference_id": "0"}, {"reference_id": "1"}]}]
CITATIONS = (Citation(start=0, end=7, facts=(0, 1, 2)),)

SUPPORTED = [
    {
        "start_index": 8,
        "end_index": END,
        "grounding_score": 0.875,
        "grounding_check_required": True,
        "sources": [{"reference_id": "2"}, {"reference_id": "7"}],
    },
    {"grounding_check_required": False},
]
SUPPORTS = (
    GroundingSupport(start=8, end=END, score=0.875, grounding_check_required=True, facts=(3,)),
    GroundingSupport(start=0, end=0, grounding_check_required=False),
)

RATED = [
    {
        "category": 2,
        "probability": 3,
        "severity": 2,
        "blocked": True,
        "probability_score": 0.5,
        "severity_score": 0.25,
    }
]
SAFETY_RATINGS = (
    SafetyRating(
        category="DANGEROUS_CONTENT",
        probability="MEDIUM",
        severity="LOW",
        blocked=True,
        probability_score=0.5,
        severity_score=0.25,
    ),
)

FOUND = {"search_results": [{"document": "d9", "chunk_info": [{"content": "Found."}]}]}
STEPS = [
    {
        "state": 3,
        "description": "Search",
        "actions": [{"search_action": {"query": "delivery time"}, "observation": FOUND}],
    }
]


@pytest.mark.parametrize("api", ["v1", "v1beta"])
def test_an_answer_is_read_as_the_client_wrote_it(api: str) -> None:
    client = import_module(f"google.cloud.discoveryengine_{api}")
    written = client.Answer(
        name=ANSWER_NAME,
        state=client.Answer.State.SUCCEEDED,
        answer_text=TEXT,
        grounding_score=0.75,
        citations=CITED,
        grounding_supports=SUPPORTED,
        references=REFERENCES,
        related_questions=["And abroad?"],
        steps=STEPS,
        create_time={"seconds": 1_772_438_400},
        complete_time={"seconds": 1_772_438_402, "nanos": 500_000_000},
        query_understanding_info={
            "query_classification_info": [{"type_": 1, "positive": True}, {"type_": 2}]
        },
        answer_skipped_reasons=[9, 1],
        safety_ratings=RATED,
    )
    assert the_answer(written) == Answer(
        message=NO_MESSAGE,
        record_id=record_id("name", ANSWER_NAME),
        answer_name=ANSWER_NAME,
        source_format="discoveryengine.answer",
        engine="shop",
        session="s1",
        event_time_us=COMPLETE_TIME_US,
        query="delivery time",
        answer_text=TEXT,
        state="SUCCEEDED",
        skip_reasons=("LOW_GROUNDED_ANSWER", "ADVERSARIAL_QUERY_IGNORED"),
        safety_ratings=SAFETY_RATINGS,
        facts=FACTS,
        citations=CITATIONS,
        supports=SUPPORTS,
        generator_grounding_score=0.75,
        tags=("ADVERSARIAL_QUERY",),
    )


@pytest.mark.parametrize("api", ["v1", "v1beta", "v1alpha"])
def test_an_answer_query_response_is_read_as_the_client_wrote_it(api: str) -> None:
    client = import_module(f"google.cloud.discoveryengine_{api}")
    answer = the_answer(
        client.AnswerQueryResponse(
            answer={"answer_text": TEXT, "state": 3},
            session={
                "name": "projects/1/locations/global/dataStores/faq/sessions/s7",
                "turns": [{"query": {"text": "First?"}}, {"query": {"text": "Second?"}}],
            },
            answer_query_token="token",  # noqa: S106 - no secret
        )
    )
    assert answer.source_format == "discoveryengine.answer_query"
    assert (answer.engine, answer.session, answer.query) == ("faq", "s7", "Second?")
