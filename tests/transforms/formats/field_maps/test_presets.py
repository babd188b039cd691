"""Read what well-known tools write."""

import json
from typing import Any, NamedTuple

import pytest

from groundwatch.schemas.answer import Answer, Fact
from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from groundwatch.transforms.formats.field_maps.presets import PRESETS
from tests.support.answer_messages import parsed

QUERY = "How hot is the kettle?"
ANSWER = "The kettle reaches 95 degrees."
FACTS = ("The kettle heats water to 95 degrees.", "It holds two litres.")
LONG = "An unrelated remark of the annotator. " * 9
NOON_US = 1_772_539_200_000_000


class Shape(NamedTuple):
    """A row as a tool writes it, and what is read beside its text and facts."""

    row: dict[str, Any]
    query: str | None = QUERY
    facts: tuple[str, ...] = FACTS
    others: dict[str, object] = {}


def documents(text: str = "page_content", **fields: Any) -> list[dict[str, Any]]:
    return [{text: fact, **fields} for fact in FACTS]


GENERATED = {"data": ANSWER, "query": QUERY, "documents": documents("content"), "meta": {}}
CHAT = [{"role": "user", "content": QUERY}, *({"role": "tool", "content": fact} for fact in FACTS)]
CHOICES: list[dict[str, Any]] = [{"message": {"role": "assistant", "content": ANSWER}}]
SHAPES = {
    "ragas.sample": Shape(
        {
            "user_input": QUERY,
            "response": ANSWER,
            "retrieved_contexts": list(FACTS),
            "reference": LONG,
        }
    ),
    "ragas.dataset": Shape({"question": QUERY, "answer": ANSWER, "contexts": list(FACTS)}),
    "deepeval.test_case": Shape(
        {"input": QUERY, "actual_output": ANSWER, "retrieval_context": list(FACTS)}
    ),
    "azure.evaluation": Shape(
        {"query": QUERY, "response": ANSWER, "context": FACTS[0], "ground_truth": "95"},
        facts=FACTS[:1],
    ),
    "vertex.evaluation": Shape(
        {"prompt": QUERY, "response": ANSWER, "context": FACTS[0], "reference": "95"},
        facts=FACTS[:1],
    ),
    "langchain.retrieval_chain": Shape(
        {"input": QUERY, "answer": ANSWER, "context": documents(metadata={"source": "kettle.md"})}
    ),
    "langchain.rag_state": Shape(
        {"question": QUERY, "context": documents(), "answer": {"content": ANSWER, "type": "ai"}}
    ),
    "langchain.retrieval_qa": Shape(
        {"query": QUERY, "result": ANSWER, "source_documents": documents()}
    ),
    "langchain.messages": Shape(
        {
            "messages": [
                {"type": "human", "data": {"content": "An earlier question?"}},
                {"type": "ai", "data": {"content": "An earlier answer."}},
                {"type": "human", "data": {"content": QUERY}},
                {"type": "ai", "data": {"content": ""}},
                *({"type": "tool", "data": {"content": fact}} for fact in FACTS),
                {"type": "ai", "data": {"content": ANSWER}},
            ]
        }
    ),
    "langsmith.run": Shape(
        {
            "id": "run-1",
            "run_type": "chain",
            "trace_id": "trace-1",
            "start_time": "2026-03-03T12:00:00",
            "inputs": {"question": QUERY},
            "outputs": {"answer": ANSWER, "source_documents": documents()},
        },
        others={"answer_name": "run-1", "event_time_us": NOON_US, "trace_id": "trace-1"},
    ),
    "llamaindex.response": Shape(
        {
            "response": ANSWER,
            "source_nodes": [{"node": {"text": fact}, "score": 0.5} for fact in FACTS],
        },
        query=None,
    ),
    "haystack.answers": Shape(
        {"query": QUERY, "answers": [{"data": ANSWER, "documents": documents("content")}]}
    ),
    "haystack.pipeline": Shape({"answer_builder": {"answers": [GENERATED]}}),
    "haystack.generated_answer": Shape(GENERATED),
    "haystack.component": Shape({"type": "haystack.GeneratedAnswer", "init_parameters": GENERATED}),
    "phoenix.example": Shape(
        {"input": QUERY, "output": ANSWER, "reference": FACTS[0]}, facts=FACTS[:1]
    ),
    "langfuse.trace": Shape(
        {
            "id": "trace-1",
            "timestamp": "2026-03-03T12:00:00.000Z",
            "sessionId": "session-1",
            "input": {"question": QUERY},
            "output": {"answer": ANSWER},
            "metadata": {"contexts": list(FACTS)},
        },
        others={
            "answer_name": "trace-1",
            "trace_id": "trace-1",
            "session": "session-1",
            "event_time_us": NOON_US,
        },
    ),
    "langfuse.observation": Shape(
        {
            "id": "span-1",
            "traceId": "trace-1",
            "type": "GENERATION",
            "startTime": "2026-03-03T12:00:00.000Z",
            "input": [*CHAT[:1], {"role": "system", "content": "Be brief."}, *CHAT[1:]],
            "output": {"role": "assistant", "content": ANSWER},
        },
        others={"span_id": "span-1", "trace_id": "trace-1", "event_time_us": NOON_US},
    ),
    "litellm.payload": Shape({"id": "1", "messages": CHAT, "response": {"choices": CHOICES}}),
    "openai.chat_completions": Shape({"messages": CHAT, "choices": CHOICES}),
    "openai.chat_exchange": Shape(
        {
            "request": {"messages": CHAT},
            "response": {"id": "c-1", "created": NOON_US // 1_000_000, "choices": CHOICES},
        },
        others={"response_id": "c-1", "event_time_us": NOON_US},
    ),
    "openai.messages": Shape({"messages": [*CHAT, CHOICES[0]["message"]]}),
    "anthropic.exchange": Shape(
        {
            "request": {
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "document", "source": {"type": "text", "data": FACTS[0]}},
                            {"type": "text", "text": QUERY},
                        ],
                    },
                    {"role": "user", "content": [{"type": "tool_result", "content": FACTS[1]}]},
                ]
            },
            "response": {
                "id": "msg-1",
                "stop_reason": "end_turn",
                "content": [{"type": "text", "text": ANSWER}],
            },
        },
        others={"response_id": "msg-1"},
    ),
    "openai.responses": Shape(
        {
            "id": "resp-1",
            "object": "response",
            "created_at": NOON_US // 1_000_000,
            "output": [
                {
                    "type": "file_search_call",
                    "results": documents("text", filename="kettle.pdf", file_id="file-1"),
                },
                {"type": "message", "content": [{"type": "output_text", "text": ANSWER}]},
            ],
        },
        query=None,
        others={"answer_name": "resp-1", "response_id": "resp-1", "event_time_us": NOON_US},
    ),
    "anthropic.messages": Shape(
        {
            "id": "msg-1",
            "type": "message",
            "role": "assistant",
            "stop_reason": "end_turn",
            "content": [
                {"type": "text", "text": ANSWER[:10], "citations": documents("cited_text")},
                {"type": "text", "text": ANSWER[10:]},
            ],
        },
        query=None,
        others={"answer_name": "msg-1", "response_id": "msg-1"},
    ),
    "bedrock.retrieve_and_generate": Shape(
        {
            "sessionId": "session-1",
            "input": {"text": QUERY},
            "output": {"text": ANSWER},
            "citations": [{"retrievedReferences": [{"content": {"text": fact}}]} for fact in FACTS],
        },
        others={"session": "session-1"},
    ),
}


def the_fields(answer: Answer, others: dict[str, object]) -> dict[str, object]:
    return {name: getattr(answer, name) for name in others}


def test_every_preset_has_an_example() -> None:
    assert {*SHAPES} == {preset.name for preset in PRESETS}


@pytest.mark.parametrize(("name", "shape"), SHAPES.items(), ids=SHAPES)
def test_a_preset_is_recognised_and_read(name: str, shape: Shape) -> None:
    answer = parsed(shape.row)
    assert (answer.source_format, answer.query, answer.answer_text) == (name, shape.query, ANSWER)
    assert tuple(fact.text for fact in answer.facts) == shape.facts
    assert the_fields(answer, shape.others) == shape.others
    assert answer.tags == ()


@pytest.mark.parametrize(("name", "shape"), SHAPES.items(), ids=SHAPES)
def test_a_preset_is_read_from_texts_of_json(name: str, shape: Shape) -> None:
    """Tables hold nested values as texts."""
    row = {
        field: json.dumps(value) if isinstance(value, dict | list) else value
        for field, value in shape.row.items()
    }
    answer = parsed(row)
    assert (answer.source_format, answer.answer_text) == (name, ANSWER)
    assert tuple(fact.text for fact in answer.facts) == shape.facts


def test_the_sources_of_facts_are_kept() -> None:
    fact, _ = parsed(SHAPES["openai.responses"].row).facts
    assert fact == Fact(text=FACTS[0], title="kettle.pdf", document="file-1")
    assert parsed(SHAPES["langchain.retrieval_chain"].row).facts[0].uri == "kettle.md"


@pytest.mark.parametrize(
    ("source", "fact"),
    [
        ({"kwargs": {"page_content": "F", "metadata": {"source": "u"}}}, Fact(text="F", uri="u")),
        (
            {"node": {"text_resource": {"text": "F"}, "id_": "n", "metadata": {"file_name": "t"}}},
            Fact(text="F", title="t", document="n"),
        ),
        ({"content": "F", "meta": {"name": "t", "url": "u"}}, Fact(text="F", title="t", uri="u")),
        (
            {"content": {"text": "F"}, "location": {"s3Location": {"uri": "s3://b/1"}}},
            Fact(text="F", uri="s3://b/1"),
        ),
        ({"document.content": "F", "document.id": "d"}, Fact(text="F", document="d")),
        ({"cited_text": "F", "document_title": "t"}, Fact(text="F", title="t")),
    ],
)
def test_the_ways_to_write_a_source_are_known(source: dict[str, Any], fact: Fact) -> None:
    assert parsed({"question": "q", "answer": "a", "contexts": [source]}).facts == (fact,)


@pytest.mark.parametrize(
    "time", ["2026-03-03 12:00:00", "2026-03-03T12:00:00", NOON_US // 10**6, f"{NOON_US // 1000}"]
)
def test_a_time_without_an_offset_is_utc(time: object) -> None:
    answer = parsed(SHAPES["langfuse.trace"].row | {"timestamp": time})
    assert (answer.event_time_us, answer.tags) == (NOON_US, ())


def test_a_flag_is_no_time() -> None:
    answer = parsed(SHAPES["langfuse.trace"].row | {"timestamp": True}, format="langfuse.trace")
    assert (answer.event_time_us, answer.tags) == (None, ("BAD_TIMESTAMP",))


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("ragas.sample", str(list(FACTS))),
        ("ragas.sample", "['It\\'s hot.'\n \"It isn't cold.\"]"),  # as NumPy prints arrays
        ("deepeval.test_case", "|".join(FACTS)),
    ],
)
def test_lists_that_a_table_holds_as_text_are_several_facts(name: str, facts: str) -> None:
    field = "retrieved_contexts" if name == "ragas.sample" else "retrieval_context"
    answer = parsed(SHAPES[name].row | {field: facts})
    expected = ("It's hot.", "It isn't cold.") if "cold" in facts else FACTS
    assert tuple(fact.text for fact in answer.facts) == expected


@pytest.mark.timeout(20)  # seconds
@pytest.mark.parametrize("text", ["['" + "\\'" * 10**6, "[" + " " * 10**6, "['a'" + " " * 10**6])
def test_a_text_that_only_begins_like_a_list_is_one_fact(text: str) -> None:
    row = SHAPES["ragas.sample"].row | {"retrieved_contexts": text}
    assert [fact.text for fact in parsed(row).facts] == [text]


def test_what_a_tool_observed_is_no_answer() -> None:
    with pytest.raises(UnreadableAnswer, match="not recognised"):
        parsed(SHAPES["langfuse.observation"].row | {"type": "TOOL", "output": FACTS[0]})


def test_a_trace_may_hold_the_messages_of_its_input() -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": QUERY}]
    row = SHAPES["langfuse.trace"].row | {"input": {"messages": messages}}
    assert parsed(row).query == QUERY


def test_a_preset_can_be_named() -> None:
    row = SHAPES["langfuse.trace"].row
    assert parsed(row, format="langfuse").source_format == "langfuse.trace"
    with pytest.raises(UnreadableAnswer, match="not recognised as ragas input format"):
        parsed(row, format="ragas")


@pytest.mark.parametrize(
    ("row", "words"),
    [
        pytest.param(
            {"user_input": QUERY, "response": ANSWER, "docs": list(FACTS)},
            ["ragas.sample has no facts at $.retrieved_contexts", "docs", "facts=$.docs[*]'"],
            id="facts under another name",
        ),
        pytest.param(
            {"messages": [{"content": LONG}], "response": SHAPES["haystack.answers"].row}
            | {"response": {"choices": [{"message": {"content": ANSWER}}]}},
            ["the prompt may hold them", "--map 'facts=$.messages[*].content'"],
            id="facts only in the prompt",
        ),
        pytest.param(
            {**SHAPES["langfuse.trace"].row, "metadata": {"retrieved": documents("chunk")}},
            ["metadata", "--map 'facts=$.metadata.retrieved[*].chunk'"],
            id="facts in another field of one that is known",
        ),
    ],
)
def test_a_row_whose_facts_may_be_elsewhere_says_where(
    row: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(UnmappedFields) as raised:
        parsed(row)
    for word in words:
        assert word in str(raised.value)


@pytest.mark.parametrize("contexts", [[], "", "[]", [""], [None]])
def test_a_row_that_says_it_has_no_facts_is_read(contexts: object) -> None:
    row = {"user_input": QUERY, "response": ANSWER, "retrieved_contexts": contexts, "more": [LONG]}
    assert parsed(row).facts == ()


def test_a_fact_with_a_blank_text_is_none() -> None:
    row = {"question": QUERY, "answer": ANSWER, "contexts": [{"text": ""}, *FACTS]}
    assert len(parsed(row).facts) == len(FACTS)


def test_a_fact_without_a_text_is_a_failure() -> None:
    with pytest.raises(UnreadableAnswer, match="map the field that holds its text"):
        parsed({"question": QUERY, "answer": ANSWER, "contexts": [{"score": 0.5}]})
