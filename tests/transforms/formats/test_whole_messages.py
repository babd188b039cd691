"""All text and facts of a message are read, or a tag says that some are left out."""

import json
import re
from typing import Any

import pytest

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import UnmappedFields
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.formats.parser import parse_answers
from tests.support.answer_messages import message_of, parsed

TEXT, FACT, OTHER, QUERY = "Lamps glow.", "All lamps glow.", "Some lamps blink.", "Do lamps glow?"
SAID = {"parts": [{"text": TEXT}]}
ASKED = {"role": "user", "parts": [{"text": QUERY}]}
OUTPUT = {"role": "assistant", "parts": [{"type": "text", "content": TEXT}]}
FINISHED = {"state": "SUCCEEDED", "answerText": TEXT}


def chunks(*texts: str) -> list[dict[str, Any]]:
    return [{"retrievedContext": {"text": text}} for text in texts]


def gemini(**fields: Any) -> dict[str, Any]:
    return {"candidates": [{"content": SAID, "finishReason": "STOP", **fields}]}


def returned(response: Any) -> dict[str, Any]:
    """A request of generateContent in which a function has returned something."""
    part = {"functionResponse": {"name": "search", "response": response}}
    return {"contents": [ASKED, {"role": "user", "parts": [part]}]}


def gen_ai(*inputs: Any, outputs: Any = (OUTPUT,), **fields: Any) -> dict[str, Any]:
    return {
        "gen_ai.input.messages": list(inputs),
        "gen_ai.output.messages": list(outputs),
        **fields,
    }


def tool(*parts: Any, **fields: Any) -> dict[str, Any]:
    return {"role": "tool", "parts": list(parts), **fields}


def cites(*references: Any, **fields: Any) -> dict[str, Any]:
    return FINISHED | {"references": list(references)} | fields


def of_anthropic(*blocks: dict[str, Any]) -> dict[str, Any]:
    content = [*blocks, {"type": "text", "text": TEXT}]
    return {"role": "assistant", "stop_reason": "end_turn", "content": content}


def told_anthropic(*results: dict[str, Any]) -> dict[str, Any]:
    """A request of Anthropic's in which a tool has returned blocks, and the response."""
    result = {"type": "tool_result", "content": list(results)}
    asked = [{"role": "user", "content": QUERY}, {"role": "user", "content": [result]}]
    return {"request": {"messages": asked}, "response": of_anthropic()}


def response_of(*outputs: dict[str, Any]) -> dict[str, Any]:
    said = {"type": "message", "content": [{"type": "output_text", "text": TEXT}]}
    return {"object": "response", "output": [*outputs, said]}


def proxied(told: dict[str, Any]) -> dict[str, Any]:
    """What a proxy writes of a chat in which this message stands."""
    messages = [{"role": "user", "content": QUERY}, told]
    return {"messages": messages, "response": {"choices": [{"message": {"content": TEXT}}]}}


def traced(given: Any, said: Any) -> dict[str, Any]:
    """A trace of Langfuse."""
    return {"id": "t", "timestamp": "2026-03-02T08:00:00Z", "input": given, "output": said}


def reply(text: str, *references: dict[str, str]) -> dict[str, Any]:
    metadata = {"textGroundingMetadata": {"references": list(references)}} if references else {}
    return {"groundedContent": {"content": {"text": text}, **metadata}}


RESPONSE = {"type": "tool_call_response"}
ONE_FACT: dict[str, Any] = {
    "a tool's message among the outputs": gen_ai(
        outputs=[tool(RESPONSE | {"response": FACT}), OUTPUT]
    ),
    "a tool's text": gen_ai(tool({"type": "text", "content": FACT})),
    "a tool's content": gen_ai(tool(content=FACT)),
    "a function's content": gen_ai({"role": "function", "content": FACT}),
    "an empty result beside a response": gen_ai(tool(RESPONSE | {"result": "", "response": FACT})),
    "an empty response beside a result": gen_ai(tool(RESPONSE | {"result": FACT, "response": ""})),
    "empty documents beside a result": gen_ai(
        tool(RESPONSE | {"response": {"documents": [], "result": FACT}})
    ),
    "a document without its first text": gen_ai(
        tool(RESPONSE | {"response": [{"content": " ", "text": FACT}]})
    ),
    "empty parts beside content": gen_ai(
        outputs=[{"role": "assistant", "parts": [{"type": "text"}], "content": TEXT}],
        **{"gen_ai.retrieval.documents": [{"content": FACT}]},
    ),
    "a function's response": {"request": returned({"result": FACT}), "response": gemini()},
    "a function's documents": {
        "request": returned({"documents": [{"content": FACT}]}),
        "response": gemini(),
    },
    "the history of function calls": gemini()
    | {"automaticFunctionCallingHistory": returned({"output": FACT})["contents"]},
    "an empty context beside a place": gemini(
        groundingMetadata={"groundingChunks": [{"retrievedContext": {}, "maps": {"text": FACT}}]}
    ),
    "a blank text beside a chunk": gemini(
        groundingMetadata={
            "groundingChunks": [{"retrievedContext": {"text": " ", "ragChunk": {"text": FACT}}}]
        }
    ),
    "empty passages beside attributions": {
        "request": {"contents": [ASKED], "inlinePassages": {"passages": [{"id": "1"}]}},
        "response": {
            "answer": {
                "content": SAID,
                "groundingAttributions": [{"content": {"parts": [{"text": FACT}]}}],
            }
        },
    },
    "an empty text of a fact": {"answer": TEXT, "facts": [{"text": "", "content": FACT}]},
    "two spellings of the answer": {
        "answer_text": TEXT,
        "answerText": "",
        "references": [{"chunkInfo": {"content": FACT}}],
    },
    "two spellings of a chunk": {
        "answerText": TEXT,
        "references": [{"chunkInfo": {}, "chunk_info": {"content": FACT}}],
    },
    "an empty chunk beside a document": cites(
        {"chunkInfo": {}, "unstructuredDocumentInfo": {"chunkContents": [{"content": FACT}]}}
    ),
    "references before the last answer": [
        {"answer": {"state": "STREAMING", "references": [{"chunkInfo": {"content": FACT}}]}},
        {"answer": FINISHED},
    ],
    "references of a reply before the last": [
        {"answer": {"state": "IN_PROGRESS", "replies": [reply(TEXT, {"content": FACT})]}},
        {"answer": {"state": "SUCCEEDED", "replies": [reply(TEXT)]}},
    ],
    "a blank summary": {
        "summary": {
            "summaryText": TEXT,
            "summaryWithMetadata": {
                "summary": " ",
                "references": [{"chunkContents": [{"content": FACT}]}],
            },
        }
    },
    "a blank answer of a data store": {
        "queryResult": {
            "responseMessages": [{"text": {"text": [TEXT]}}],
            "dataStoreConnectionSignals": {"answer": " ", "searchSnippets": [{"text": FACT}]},
        }
    },
    "an empty answer of a chain": {
        "run_type": "chain",
        "inputs": {"question": QUERY},
        "outputs": {"answer": "", "output": TEXT, "context": [], "documents": [FACT]},
    },
    "the output of an MCP server": response_of({"type": "mcp_call", "output": FACT}),
    "the output of a function": response_of({"type": "function_call_output", "output": FACT}),
    "the logs of code": response_of(
        {"type": "code_interpreter_call", "outputs": [{"type": "logs", "logs": FACT}]}
    ),
    "the message of a tool": proxied({"role": "tool", "content": FACT}),
    "the message of a function": proxied({"role": "function", "content": FACT}),
    "the result of an MCP server": of_anthropic(
        {"type": "mcp_tool_result", "content": [{"type": "text", "text": FACT}]}
    ),
    "what Claude's code printed": of_anthropic(
        {"type": "bash_code_execution_tool_result", "content": {"stdout": FACT, "stderr": ""}}
    ),
    "a file that Claude viewed": of_anthropic(
        {
            "type": "text_editor_code_execution_tool_result",
            "content": {"file_type": "text", "content": FACT},
        }
    ),
    "a page that Claude fetched": of_anthropic(
        {
            "type": "web_fetch_tool_result",
            "content": {"content": {"source": {"type": "text", "data": FACT}}},
        }
    ),
    "a picture beside a text": told_anthropic(
        {"type": "image", "source": {"type": "base64", "data": "aGk="}},
        {"type": "text", "text": FACT},
    ),
    "a search result that a tool returned": told_anthropic(
        {"type": "search_result", "source": "u", "content": [{"type": "text", "text": FACT}]}
    ),
    "a document that a tool returned": told_anthropic(
        {"type": "document", "source": {"type": "text", "data": FACT}}
    ),
    "what Gemini's code printed": {
        "candidates": [
            {"content": {"parts": [{"codeExecutionResult": {"output": FACT}}, *SAID["parts"]]}}
        ]
    },
    "what the assistant's code printed": {
        "replies": [
            {"groundedContent": {"content": {"codeExecutionResult": {"output": FACT}}}},
            reply(TEXT),
        ]
    },
    "the output of a custom tool": response_of({"type": "custom_tool_call_output", "output": FACT}),
    "the output of a shell": response_of(
        {"type": "shell_call_output", "output": [{"stdout": FACT, "stderr": ""}]}
    ),
    "the citations of Azure OpenAI": {
        "messages": [{"role": "user", "content": QUERY}],
        "choices": [{"message": {"content": TEXT, "context": {"citations": [{"content": FACT}]}}}],
    },
    "a tool in a trace of Langfuse": traced(
        [{"role": "user", "content": QUERY}, {"role": "tool", "content": FACT}],
        [{"role": "assistant", "content": TEXT}],
    ),
    "the context of a chain in Langfuse": traced(
        {"query": QUERY}, {"answer": TEXT, "context": [{"page_content": FACT}]}
    ),
    "a stored answer of Haystack": {
        "init_parameters": {
            "data": TEXT,
            "query": QUERY,
            "documents": [{"type": "Document", "init_parameters": {"content": FACT}}],
        }
    },
    "the document of an extracted answer": {
        "answers": [{"data": TEXT, "query": QUERY, "document": {"content": FACT}}]
    },
    "the result of a call beside an answer": gen_ai(**{"gen_ai.tool.call.result": FACT}),
    "the event of a printed span": {
        "name": "chat",
        "attributes": {"gen_ai.operation.name": "chat"},
        "events": [
            {"attributes": {"gen_ai.output.messages": json.dumps([OUTPUT])}},
            {"attributes": {"gen_ai.retrieval.documents": json.dumps([FACT])}},
        ],
    },
    "documents that a tool returned as JSON": proxied(
        {"role": "tool", "content": json.dumps({"documents": [{"content": FACT}]})}
    ),
    "a picture beside a passage": {
        "output": {"text": TEXT},
        "citations": [
            {
                "retrievedReferences": [
                    {"content": {"type": "TEXT", "text": FACT}},
                    {"content": {"type": "IMAGE", "byteContent": "aGk="}},
                ]
            }
        ],
    },
    "nodes as JSON": {
        "response": TEXT,
        "source_nodes": [json.dumps({"node": {"text": FACT}, "score": 0.5})],
    },
    "the tools of a chat engine": {
        "response": TEXT,
        "source_nodes": [],
        "sources": [{"tool_name": "search", "blocks": [{"block_type": "text", "text": FACT}]}],
    },
    "the context of a graph": {
        "messages": [{"type": "human", "content": QUERY}, {"type": "ai", "content": TEXT}],
        "context": [{"page_content": FACT}],
    },
}


@pytest.mark.parametrize("value", ONE_FACT.values(), ids=ONE_FACT)
def test_the_fact_is_read_wherever_it_stands(value: Any) -> None:
    answer = parsed(value)
    assert (answer.answer_text, [fact.text for fact in answer.facts]) == (TEXT, [FACT])
    assert answer.query in (QUERY, None)


def test_the_fields_of_a_call_are_no_facts() -> None:
    call = {"type": "ai", "content": TEXT, "tool_calls": [{"args": {"context": FACT}}]}
    assert parsed({"messages": [{"type": "human", "content": QUERY}, call]}).facts == ()


@pytest.mark.parametrize("text", ["[1] Lamps glow.", "{a} Lamps glow.", "['a'] Lamps glow."])
def test_a_text_that_begins_as_json_does_is_a_text(text: str) -> None:
    attributes = {
        "openinference.span.kind": "LLM",
        "input.value": text,
        "output.value": text,
        "retrieval.documents.0.document.content": text,
        "retrieval.documents.0.document.metadata": text,
    }
    pairs = [{"key": name, "value": {"stringValue": field}} for name, field in attributes.items()]
    records = [{"body": {"stringValue": text}}, {"attributes": pairs}]
    for value in (
        gen_ai(tool(RESPONSE | {"response": text})),
        gen_ai(tool(content=text)),
        {"request": returned({"result": text}), "response": gemini()},
        {"attributes": attributes},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]},
    ):
        answer = parsed(value)
        assert [fact.text for fact in answer.facts] == [text]
        assert (answer.answer_text, answer.query) in ((TEXT, QUERY), (TEXT, None), (text, text))


def text_blocks(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": text} for text in texts]


@pytest.mark.parametrize("earlier", ["Hello.", text_blocks("Hello.")])
@pytest.mark.parametrize("role", ["role", "type"])
def test_the_last_answer_and_question_count_also_in_blocks(role: str, earlier: Any) -> None:
    asking, answering = ("user", "assistant") if role == "role" else ("human", "ai")
    messages = [
        {role: asking, "content": earlier},
        {role: answering, "content": earlier},
        {role: asking, "content": text_blocks("Do lamps ", "glow?")},
        {role: "tool", "content": FACT},
        {role: answering, "content": text_blocks("Lamps ", "glow.")},
    ]
    answer = parsed({"messages": messages})
    assert (answer.query, answer.answer_text) == (QUERY, TEXT)
    assert [fact.text for fact in answer.facts] == [FACT]


@pytest.mark.parametrize("content", [[], text_blocks(""), ""])
def test_an_answer_of_empty_blocks_is_empty(content: Any) -> None:
    asked = [{"role": "user", "content": QUERY}, {"role": "tool", "content": FACT}]
    assert not parsed(
        {"messages": asked, "choices": [{"message": {"content": content}}]}
    ).answer_text


def test_a_log_entry_with_a_bare_answer_may_have_no_facts() -> None:
    response = {"replies": [reply(TEXT)]}
    answer = parsed({"logMetadata": {}, "request": {"query": QUERY}, "response": response})
    assert (answer.answer_text, answer.facts) == (TEXT, ())


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (
            {
                "run_type": "chain",
                "inputs": {"query": QUERY},
                "outputs": {"answer": TEXT, "sources": [FACT]},
            },
            "outputs.sources",
        ),
        (
            {
                "messages": [{"role": "user", "content": QUERY}],
                "choices": [{"message": {"content": TEXT, "documents": [FACT]}}],
            },
            "choices[].message.documents",
        ),
        (response_of({"type": "other_call", "results": [{"text": FACT}]}), "output[].results"),
    ],
)
def test_facts_below_a_known_field_are_not_left_out(value: Any, place: str) -> None:
    with pytest.raises(UnmappedFields, match=re.escape(f"not read: {place}.")):
        parsed(value)


def both_places(first: Any, second: Any) -> list[dict[str, Any]]:
    """A stream of two chunks, each with its own grounding."""
    return [
        {"candidates": [{"content": {"parts": [{"text": "Lamps "}]}, **first}]},
        {"candidates": [{"content": {"parts": [{"text": "glow."}]}, **second}]},
    ]


def grounded(chunk: str | None, index: int = 0) -> dict[str, Any]:
    supports = [{"segment": {"endIndex": 5 + index}, "groundingChunkIndices": [index]}]
    found = {"groundingChunks": chunks(chunk)} if chunk else {}
    return {"groundingMetadata": found | {"groundingSupports": supports}}


TWO_FACTS: dict[str, tuple[Any, tuple[tuple[int, ...], ...]]] = {
    "metadata in two chunks": (both_places(grounded(FACT), grounded(OTHER)), ((0,), (1,))),
    "attributions in two chunks": (
        both_places(
            {"groundingAttributions": [{"content": {"parts": [{"text": FACT}]}}]},
            {"groundingAttributions": [{"content": {"parts": [{"text": OTHER}]}}]},
        ),
        (),
    ),
    "metadata that grows": (
        both_places(
            grounded(FACT),
            {
                "groundingMetadata": {
                    "groundingChunks": chunks(FACT, OTHER),
                    "groundingSupports": [
                        *grounded(FACT)["groundingMetadata"]["groundingSupports"],
                        *grounded(OTHER, 1)["groundingMetadata"]["groundingSupports"],
                    ],
                }
            },
        ),
        ((0,), (1,)),
    ),
    "supports after their chunks": (
        both_places(
            {"groundingMetadata": {"groundingChunks": chunks(FACT, OTHER)}}, grounded(None, 1)
        ),
        ((1,),),
    ),
    "results and documents": (
        gen_ai(
            tool(RESPONSE | {"response": FACT}), **{"gen_ai.retrieval.documents": [{"text": OTHER}]}
        ),
        (),
    ),
    "a function and a search": (
        {
            "request": returned({"result": OTHER}),
            "response": gemini(groundingMetadata={"groundingChunks": chunks(FACT)}),
        },
        (),
    ),
    "two calls": (
        response_of(
            {"type": "file_search_call", "results": [{"text": FACT}]},
            {"type": "mcp_call", "output": OTHER},
        ),
        (),
    ),
    "two lists of documents": (
        {
            "run_type": "chain",
            "inputs": {"question": QUERY},
            "outputs": {"answer": TEXT, "source_documents": [FACT], "context": [OTHER]},
        },
        (),
    ),
}


@pytest.mark.parametrize(("value", "cited"), TWO_FACTS.values(), ids=TWO_FACTS)
def test_the_facts_of_two_places_are_read(value: Any, cited: tuple[tuple[int, ...], ...]) -> None:
    answer = parsed(value)
    assert (answer.answer_text, {fact.text for fact in answer.facts}) == (TEXT, {FACT, OTHER})
    assert tuple(each.facts for each in answer.citations) == cited


SEVERAL: dict[str, Any] = {
    "outputs of a model": gen_ai(
        tool(RESPONSE | {"response": FACT}),
        outputs=[{"role": "assistant", "content": OTHER}, OUTPUT],
    ),
    "answers of Haystack": {
        "answers": [{"data": TEXT, "documents": [{"content": FACT}]}, {"data": OTHER}]
    },
    "choices": {
        "messages": [{"role": "tool", "content": FACT}],
        "response": {"choices": [{"message": {"content": TEXT}}, {"message": {"content": OTHER}}]},
    },
    "candidates in separate chunks": [
        gemini(index=0),
        {"candidates": [{"index": 1, "content": {"parts": [{"text": OTHER}]}}]},
    ],
}


@pytest.mark.parametrize("value", SEVERAL.values(), ids=SEVERAL)
def test_a_tag_says_that_other_candidates_are_left_out(value: Any) -> None:
    answer = next(iter(parse_answers(message_of(value))))
    assert isinstance(answer, Answer)
    assert (answer.answer_text, Tag.MULTIPLE_CANDIDATES in answer.tags) == (TEXT, True)


def test_whole_responses_of_which_one_has_no_id_are_two() -> None:
    found = list(parse_answers(message_of([gemini(), gemini() | {"responseId": "r1"}])))
    assert [each.answer_text for each in found if isinstance(each, Answer)] == [TEXT, TEXT]
