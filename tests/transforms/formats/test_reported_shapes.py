"""Shapes of answers that users of other tools reported: what is read of each, or why it is not."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from groundwatch.schemas.message import UnmappedFields, UnreadableAnswer
from groundwatch.schemas.verdict import Tag
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers
from groundwatch.transforms.rules.routing import route, routing_tags
from tests.support.answer_messages import message_of, parse_answer, parsed
from tests.transforms.formats.carriers.test_carriers import attributes_of

Q = "How long is the warranty?"
TEXT = "The warranty lasts three years."
FACT = "The warranty lasts two years."
OTHER = "It covers water damage."
CHAT = [{"role": "user", "content": Q}]
CHOICE = {"message": {"role": "assistant", "content": TEXT}}
CHUNK = {"retrievedContext": {"text": FACT}}


def said(text: str, **fields: Any) -> dict[str, Any]:
    return {"content": {"role": "model", "parts": [{"text": text}]}, **fields}


def chat_with_tool(returned: dict[str, Any]) -> dict[str, Any]:
    found = {"role": "tool", "content": json.dumps(returned)}
    return {"messages": [*CHAT, found, {"role": "assistant", "content": TEXT}]}


def inference(**fields: Any) -> dict[str, Any]:
    names = {name.replace("__", "."): value for name, value in fields.items()}
    return {"name": "s", "attributes": {"openinference.span.kind": "LLM", **names}}


def spans(*attributes: dict[str, Any]) -> dict[str, Any]:
    items = [
        {"traceId": "t", "spanId": f"s{number}", "attributes": attributes_of(each)}
        for number, each in enumerate(attributes)
    ]
    return {"resourceSpans": [{"scopeSpans": [{"spans": items}]}]}


CALLED = {
    "id": "c",
    "function": {"name": "f", "arguments": "{}"},
    "output": {"days": "two years from now"},
}
OUTPUT = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": TEXT}]}])

UNREAD: dict[str, tuple[Any, str]] = {
    "a run whose answer has another name": (
        {"id": "r", "run_type": "chain", "inputs": {"question": Q}}
        | {"outputs": {"finding": TEXT, "documents": [{"page_content": FACT}]}},
        "outputs.finding",
    ),
    "a trace with empty metadata": (
        {"id": "t", "timestamp": "2026-03-02T08:00:00Z", "input": Q, "output": TEXT}
        | {"metadata": {}, "observations": [{"type": "RETRIEVER", "output": [{"text": FACT}]}]},
        "observations",
    ),
    "an empty cell beside the facts": (
        {"id": "t", "timestamp": "2026-03-02T08:00:00Z", "input": Q, "output": TEXT}
        | {"metadata": "", "retrieved": json.dumps([FACT])},
        "retrieved",
    ),
    "one empty path of several": (
        {"messages": CHAT, "choices": [{"message": {**CHOICE["message"], "found": [FACT]}}]},
        "choices[].message.found",
    ),
    "the grounding of a proxy": (
        {"messages": CHAT, "response": {"choices": [CHOICE], "grounding": [{"chunk": FACT}]}},
        "response.grounding",
    ),
    "the metadata of a message": (
        {"messages": [{"type": "human", "content": Q}]}
        | {
            "messages": [
                {"type": "ai", "content": TEXT, "response_metadata": {"grounding": [CHUNK]}}
            ]
        },
        "messages[].response_metadata",
    ),
    "an attribute beside the answer's own": (
        {"name": "s", "attributes": {"gen_ai.output.messages": OUTPUT, "rag.context": [FACT]}},
        "span.attributes.rag.context",
    ),
    "an event of the answer's span": (
        {
            "attributes": {"gen_ai.output.messages": OUTPUT},
            "events": [{"name": "search", "attributes": {"hits": json.dumps([FACT])}}],
        },
        "span.events[].attributes.hits",
    ),
    "an attribute of another span of the trace": (
        spans(
            {"gen_ai.output.messages": OUTPUT},
            {"traceloop.span.kind": "task", "traceloop.entity.output": json.dumps([FACT])},
        ),
        "OTLP.traceloop.entity.output",
    ),
    "the fields of a logger beside its text": (
        {
            "logName": "l",
            "insertId": "i",
            "jsonPayload": {"message": json.dumps({"answer": TEXT}), "found": [FACT]},
        },
        "LogEntry.jsonPayload.found",
    ),
    "attributes of a push body": (
        {
            "message": {
                "data": "eyJhbnN3ZXIiOiAiTGFtcHMuIn0=",
                "messageId": "1",
                "attributes": {"context": FACT},
            }
        },
        "push_body.message.attributes",
    ),
    "what a search in a database found": (
        {
            "attributes": {"gen_ai.output.messages": OUTPUT},
            "events": [{"name": "db", "attributes": {"db.query.result.document": FACT}}],
        },
        "span.events[].attributes.db.query.result.document",
    ),
    "an attribute of OpenInference's own": (
        inference(output__value=TEXT, output__found=[FACT]),
        "span.attributes.output.found",
    ),
    "what a tool of a span returned, in its call": (
        inference(
            llm__output_messages__0__message__content=TEXT,
            llm__output_messages__0__message__tool_calls__0__tool_call__function__arguments=Q,
            llm__output_messages__0__message__tool_calls__0__tool_call__result="two",
        ),
        "span.attributes.llm.output_messages[].message.tool_calls",
    ),
    "parameters of a session": (
        {"sessionInfo": {"parameters": {"found": [FACT]}}}
        | {"queryResult": {"text": Q, "responseMessages": [{"text": {"text": [TEXT]}}]}},
        "sessionInfo",
    ),
    "what a tool of a run returned, in its call": (
        {"id": "r", "run_type": "chain", "inputs": {"question": Q}}
        | {"outputs": {"answer": TEXT, "tool_calls": [{"name": "f", "result": "two"}]}},
        "outputs.tool_calls",
    ),
    "what a tool of a chat returned, in its call": (
        {"messages": [*CHAT, {"role": "assistant", "content": TEXT, "tool_calls": [CALLED]}]},
        "messages[].tool_calls",
    ),
    "one of two spellings of a field": (
        {"user_input": Q, "response": TEXT, "found_here": [FACT], "foundHere": []},
        "found_here",
    ),
    "what a pipeline says of its answer": (
        {"answers": [{"data": TEXT, "query": Q, "meta": {"prompt_documents": [FACT]}}]},
        "answers[].meta",
    ),
}


@pytest.mark.parametrize(("value", "name"), UNREAD.values(), ids=UNREAD)
def test_what_is_not_read_is_named(value: Any, name: str) -> None:
    failures = list(parse_answers(message_of(value)))
    for failure in failures:
        assert isinstance(failure, ParseFailure)
        assert type(failure.error) is UnmappedFields
        assert name in str(failure.error)
        # The message of the failure alone is replayed with the same end.
        [again] = parse_answers(failure.message)
        assert isinstance(again, ParseFailure)
        assert str(again.error) == str(failure.error)


TWO_PARTS = f"{TEXT}\n\n{OTHER}"
MCP = {
    "content": [
        {"type": "text", "text": FACT},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///b", "text": OTHER}},
    ],
    "isError": False,
    "structuredContent": {"days": 730},
}
"""What a tool of the Model Context Protocol returns."""

REPEATED = {
    "content": [{"type": "text", "text": '{"days": 730}'}],
    "structuredContent": {"days": 730},
}


def row(output: object, kind: str = "CHAIN", **fields: Any) -> dict[str, Any]:
    """A row of a table of spans, as Phoenix exports it."""
    return {
        "context.span_id": "s",
        "attributes.openinference.span.kind": kind,
        "attributes.input.value": Q,
        "attributes.output.value": output if isinstance(output, str) else json.dumps(output),
        "reference": FACT,
        **fields,
    }


def trace(output: object) -> dict[str, Any]:
    """A trace of Langfuse."""
    fields = {"id": "t", "timestamp": "2026-03-02T08:00:00Z", "input": Q, "output": output}
    return fields | {"metadata": {"contexts": [FACT]}}


SPOKEN = {"message": {"content": None, "audio": {"transcript": TEXT}}}
MESSAGES = [{"type": "human", "content": Q}, {"type": "tool", "content": FACT}]
AI = {"type": "ai", "content": TEXT}
OUTPUTS: dict[str, Any] = {
    "a response of Gemini with thoughts": {
        "candidates": [
            {
                "content": {
                    "parts": [
                        {"text": "Is it five?", "thought": True},
                        {"text": TEXT[:9]},
                        {"text": TEXT[9:]},
                    ]
                }
            }
        ]
    },
    "a response of OpenAI": {
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Is it five?"}]},
            {"type": "message", "content": [{"type": "output_text", "text": TEXT}]},
        ]
    },
    "a completion of OpenAI": {"choices": [{"message": {"role": "assistant", "content": TEXT}}]},
    "a completion in speech": {"choices": [SPOKEN]},
    "a response of Bedrock": {"output": {"message": {"content": [{"text": TEXT}]}}},
    "a response of Ollama": {"message": {"role": "assistant", "content": TEXT}},
    "messages": [{"role": "assistant", "content": TEXT}],
    "messages of a graph": {"messages": [*MESSAGES, AI]},
    "messages of a graph that goes on": {"messages": [*MESSAGES, AI, MESSAGES[0]]},
    "messages, the last a tool's": [
        {"role": "assistant", "content": TEXT},
        {"role": "tool", "content": FACT},
    ],
    "a generation": {"generation": TEXT},
    "generations": {"generations": [[{"text": TEXT}]]},
    "a message": {"content": TEXT, "type": "ai"},
    "a text": TEXT,
}


def run(output: object) -> dict[str, Any]:
    """A run of LangSmith."""
    fields = {"id": "r", "run_type": "llm", "inputs": {"question": Q, "messages": MESSAGES[1:]}}
    return fields | {"outputs": output if isinstance(output, dict) else {"output": output}}


TOOLS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "Phoenix": row,
    "Langfuse": trace,
    "JSON in Langfuse": lambda output: trace(
        output if isinstance(output, str) else json.dumps(output)
    ),
    "LangSmith": run,
    "a printed span": lambda output: {
        **inference(input__value=Q, output__value=row(output)["attributes.output.value"]),
        "reference": FACT,
    },
    "OTLP": lambda output: spans(
        {"input.value": Q, "output.value": row(output)["attributes.output.value"]},
        {"openinference.span.kind": "TOOL", "output.value": FACT},
    ),
}


@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS)
@pytest.mark.parametrize("tool", TOOLS)
def test_an_output_of_any_shape_is_read(tool: str, output: Any) -> None:
    answer = parsed(TOOLS[tool](output))
    assert (answer.query, answer.answer_text) == (Q, TEXT)
    assert {fact.text for fact in answer.facts} == {FACT}


@pytest.mark.parametrize("tool", [row, trace])
@pytest.mark.parametrize("output", [{"messages": MESSAGES}, MESSAGES], ids=["object", "list"])
def test_what_others_say_is_no_answer(tool: Any, output: Any) -> None:
    [answer] = parse_answers(message_of(tool(output)))
    assert isinstance(answer, ParseFailure) or not answer.answer_text


EVENT = {"invocationId": "e", "author": "bot"}
TOLD = [*CHAT, {"role": "tool", "content": FACT}]


def candidate(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"parts": list(parts)}, "finishReason": "STOP"}


def returned(response: object) -> dict[str, Any]:
    """An event of an agent's run, in which a function has returned something."""
    return {**EVENT, "content": {"parts": [{"functionResponse": {"response": response}}]}}


def gen_ai(*parts: dict[str, Any], told: object = TOLD[1]) -> dict[str, Any]:
    """The attributes of an answer whose tool has returned something."""
    outputs = [{"role": "assistant", "parts": list(parts)}] if parts else OUTPUT
    return {"gen_ai.input.messages": [told], "gen_ai.output.messages": outputs}


def answered(**fields: object) -> dict[str, Any]:
    """The message of a tool."""
    return {"role": "tool", "parts": [{"type": "tool_call_response", **fields}]}


def of_model(*messages: dict[str, str]) -> dict[str, Any]:
    """A span of OpenInference, in which a retriever's document stands."""
    names = {
        f"llm.output_messages.{number}.message.{name}": value
        for number, message in enumerate(messages)
        for name, value in message.items()
    }
    return inference(retrieval__documents__0__document__content=FACT, **names)


SPEAKING = said(TEXT, **EVENT)
SAID = {"type": "output_text", "text": TEXT}
DOCUMENTS = json.dumps(json.dumps({"documents": [json.dumps(json.dumps({"page_content": FACT}))]}))
TABLE = {"type": "ROW", "row": [{"columnName": "years", "columnValue": "2"}]}
FIRST = "contents.0.message_content"
ONE_TEXT: dict[str, Any] = {
    "reasoning among the contents of a message": of_model(
        {
            f"{FIRST}.type": "reasoning",
            f"{FIRST}.text": "Is it five?",
            "contents.1.message_content.type": "text",
            "contents.1.message_content.text": TEXT,
        }
    ),
    "content and contents of a message": of_model({"content": TEXT, f"{FIRST}.text": TEXT}),
    "a partner model's exchange in the log": {
        "logging_time": "2026-03-02 08:00:00 UTC",
        "full_request": json.dumps({"messages": TOLD}),
        "full_response": json.dumps({"id": "c", "choices": [CHOICE]}),
    },
    "JSON in the output of a row": {
        "attributes.input.value": json.dumps({"question": Q}),
        "attributes.output.value": json.dumps(
            {"answer": TEXT, "context": [{"page_content": FACT}]}
        ),
    },
    "a document without a text beside others": {
        "question": Q,
        "answer": TEXT,
        "contexts": [{"text": FACT}, {"content": None, "id": 7}],
    },
    "the messages of a graph in a trace": trace({"messages": [*MESSAGES, AI]})
    | {"input": {"messages": MESSAGES[:1]}, "metadata": {}},
    "documents that were retrieved, and not cited": {
        "messages": CHAT,
        "choices": [
            {
                "message": {
                    "content": TEXT,
                    "context": {"citations": [], "all_retrieved_documents": [{"content": FACT}]},
                }
            }
        ],
    },
    "a tool's message in a row of Phoenix": {
        "attributes.llm.input_messages": json.dumps(
            [{"message.role": "tool", "message.content": FACT}]
        ),
        "attributes.llm.output_messages": [
            {
                "message.role": "assistant",
                "message.contents": [
                    {"message_content.type": "text", "message_content.text": TEXT}
                ],
            }
        ],
    },
    "speech": {"messages": TOLD, "choices": [SPOKEN]},
    "speech through a proxy": {"messages": TOLD, "response": {"choices": [SPOKEN]}},
    "documents in the metadata of an answer": {
        "data": TEXT,
        "query": Q,
        "documents": [],
        "meta": {"source_documents": [{"text": FACT}]},
    },
    "a context in an object": {"input": Q, "actual_output": TEXT}
    | {"retrieval_context": [{"context": FACT, "id": 1}]},
    "a list of Python with a missing item": {"user_input": Q, "response": TEXT}
    | {"retrieved_contexts": f"['{FACT}', None, nan]"},
    "messages of a run in lists": {
        "id": "r",
        "run_type": "llm",
        "inputs": {"messages": [[{"kwargs": each} for each in MESSAGES]]},
        "outputs": {"generations": [[{"text": TEXT}]]},
    },
    "the events of an agent's run": [
        said(Q, invocationId="e", author="user"),
        returned({"result": FACT}),
        said(TEXT[:9], **EVENT, partial=True),
        SPEAKING,
    ],
}
TWO_TEXTS: dict[str, Any] = {
    "texts around a function's call": {
        "candidates": [
            candidate(
                {"text": TEXT},
                {"functionCall": {"name": "f"}},
                {"functionResponse": {"response": {"result": FACT}}},
                {"text": OTHER},
            )
        ]
    },
    "texts around reasoning in a span": gen_ai(
        {"type": "text", "content": TEXT},
        {"type": "reasoning", "content": "And the water?"},
        {"type": "text", "content": OTHER},
    ),
    "two messages of a span": of_model(
        {"role": "assistant", "content": TEXT}, {"role": "assistant", "content": OTHER}
    ),
    "texts around a picture": {
        "candidates": [candidate({"text": TEXT}, {"inlineData": {}}, {"text": OTHER})],
        "automaticFunctionCallingHistory": [returned({"result": FACT})["content"]],
    },
    "texts of several events of a run": [
        SPEAKING,
        returned({"result": FACT}),
        said(OTHER, invocationId="e", author="writer", finishReason="STOP"),
    ],
}
ANNOUNCED: dict[str, Any] = {
    "texts around the use of a tool": {
        "role": "assistant",
        "stop_reason": "end_turn",
        "content": [
            {"type": "text", "text": Q},
            {"type": "mcp_tool_use", "name": "f", "input": {}},
            {"type": "mcp_tool_result", "content": [{"type": "text", "text": FACT}]},
            {"type": "text", "text": TEXT[:9]},
            {"type": "text", "text": TEXT[9:]},
        ],
    },
    "two messages of a response": {
        "output": [
            {"type": "message", "content": [{"type": "output_text", "text": Q}]},
            {"type": "mcp_call", "output": FACT},
            {"type": "message", "content": [{"type": "output_text", "text": TEXT}]},
        ]
    },
    "texts around a tool's call in a span": gen_ai(
        {"type": "text", "content": Q},
        {"type": "tool_call", "name": "f"},
        {"type": "text", "content": TEXT},
    ),
    "a comment of a response": {
        "output": [
            {"type": "message", "phase": "commentary", "content": [{**SAID, "text": OTHER}]},
            {"type": "mcp_call", "output": FACT},
            {"type": "message", "phase": "final_answer", "content": [SAID]},
        ]
    },
    "a comment behind the answer": trace(
        {
            "output": [
                {"type": "message", "content": [SAID]},
                {"type": "message", "phase": "commentary", "content": [{**SAID, "text": Q}]},
            ]
        }
    ),
    "an announcement in a trace": trace(
        {
            "content": [
                {"type": "text", "text": Q},
                {"type": "server_tool_use", "name": "f", "input": {}},
                {"type": "text", "text": TEXT},
            ]
        }
    ),
    "an announcement in a response of Bedrock": trace(
        {"output": {"message": {"content": [{"text": Q}, {"toolUse": {}}, {"text": TEXT}]}}}
    ),
    "an announcement in a chat": {
        "messages": [
            *TOLD,
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": Q},
                    {"type": "server_tool_use", "name": "f", "input": {}},
                    {"type": "text", "text": TEXT},
                ],
            },
        ]
    },
    "an announcement in a span": of_model(
        {"role": "assistant", "content": Q, "tool_calls.0.tool_call.function.name": "f"},
        {"role": "tool", "content": FACT},
        {"role": "assistant", "content": TEXT},
    ),
    "an announcement of which nothing follows": {
        "role": "assistant",
        "stop_reason": "tool_use",
        "content": [
            {"type": "mcp_tool_result", "content": [{"type": "text", "text": FACT}]},
            {"type": "text", "text": TEXT},
            {"type": "tool_use", "name": "f", "input": {}},
        ],
    },
}
CITED = {"type": "text", "text": TEXT, "citations": [{"cited_text": FACT}]}
TWO_TEXTS |= {
    "two messages behind a call": {
        "output": [
            {"type": "mcp_call", "output": FACT},
            {"type": "message", "content": [SAID]},
            {"type": "message", "content": [{**SAID, "text": OTHER}]},
        ]
    },
    "a text that cites a source in front of a call": {
        "role": "assistant",
        "stop_reason": "end_turn",
        "content": [
            {"type": "text", "text": Q},
            {"type": "server_tool_use", "name": "f", "input": {}},
            CITED,
            {"type": "server_tool_use", "name": "f", "input": {}},
            {"type": "text", "text": OTHER},
        ],
    },
}
FACTS: dict[str, tuple[Any, list[str]]] = {
    "blocks of a tool's content in a function's response": (
        [returned(MCP), SPEAKING],
        [FACT, OTHER, "days: 730"],
    ),
    "blocks of a tool's content in a chat": (chat_with_tool(MCP), [FACT, OTHER, '{"days":730}']),
    "the object of a tool that a text of it repeats": (chat_with_tool(REPEATED), ['{"days": 730}']),
    "the object of a tool without blocks": (
        [returned({"content": [], "structuredContent": {"days": 730}}), SPEAKING],
        ["days: 730"],
    ),
    "the row of a table": (
        {
            "output": {"text": TEXT},
            "sessionId": "s",
            "citations": [{"retrievedReferences": [{"content": TABLE}]}],
        },
        ["years: 2"],
    ),
    "documents and another text that a tool returned": (
        gen_ai(told=answered(response={"documents": [{"content": FACT}], "summary": OTHER})),
        [FACT, f"summary: {OTHER}"],
    ),
    "documents and a box that a tool returned": (
        chat_with_tool({"documents": [FACT], "query": Q, "answer_box": OTHER, "took": "3 ms"}),
        [FACT, f'{{"answer_box":"{OTHER}"}}'],
    ),
    "documents and objects that a function returned": (
        [returned({"documents": [FACT], "boxes": [{"title": Q, "snippet": OTHER}]}), SPEAKING],
        [FACT, f"boxes.title: {Q}\nboxes.snippet: {OTHER}"],
    ),
    "a text and a box that a function returned": (
        [returned({"content": FACT, "answer_box": OTHER, "query": Q, "title": Q}), SPEAKING],
        [FACT, f"answerBox: {OTHER}"],
    ),
    "what a tool of an evaluation returned": (
        {"input": Q, "actual_output": TEXT, "retrieval_context": [FACT]}
        | {"tools_called": [{"name": "f", "input_parameters": {"q": Q}, "output": OTHER}]},
        [FACT, OTHER],
    ),
    "a result in the call of a model": (
        gen_ai(
            {"type": "tool_call", "name": "f", "result": {"text": FACT}},
            {"type": "text", "content": TEXT},
            told=CHAT[0],
        ),
        [FACT],
    ),
    "a fact that was encoded twice": (
        {"question": Q, "answer": TEXT, "facts": [json.dumps(json.dumps({"days": FACT}))]},
        [json.dumps({"days": FACT})],
    ),
    "a document that a tool encoded twice": (
        {"messages": [*CHAT, {"role": "tool", "content": DOCUMENTS}, CHOICE["message"]]},
        [FACT],
    ),
    "a document with a content and a body": (
        {"gen_ai.retrieval.documents": [{"content": FACT, "body": OTHER}]}
        | {"gen_ai.output.messages": OUTPUT},
        [f"{FACT}\n\n{OTHER}"],
    ),
    "two results in one part": (gen_ai(told=answered(response=FACT, content=OTHER)), [FACT, OTHER]),
    "an event that is there twice": (
        [*(returned({"result": fact}) for fact in (FACT, OTHER, FACT)), *[SPEAKING] * 2],
        [FACT, OTHER],
    ),
}
FOUND: dict[str, Any] = {"answer": TEXT, "documents": [{"page_content": FACT}]}
ENCODED: dict[str, Callable[[str], Any]] = {
    "the output of a trace": lambda text: trace(text) | {"metadata": {}},
    "the outputs of a run": lambda text: run(text) | {"inputs": {"question": Q}},
    "a row of Phoenix": lambda text: row(text, reference=""),
}


@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("place", ENCODED)
def test_json_is_decoded_until_it_is_none(place: str, times: int) -> None:
    text = json.dumps(FOUND)
    for _ in range(times - 1):
        text = json.dumps(text)
    answer = parsed(ENCODED[place](text))
    assert (answer.answer_text, [fact.text for fact in answer.facts]) == (TEXT, [FACT])


def test_an_answer_that_is_json_is_encoded_once() -> None:
    text = json.dumps({"years": TEXT})
    for said in (text, json.dumps(text), json.dumps(json.dumps(text))):
        answer = parsed({"query": said, "answer": said, "facts": [FACT]})
        assert (answer.query, answer.answer_text) == (text, text)


PROGRAMS = (
    *("generated_answer", "prediction", "model_response", "actual_output", "llm_output"),
    *("response", "output", "bot_reply", "generation", "predictedAnswer"),
)
ROWS: dict[str, dict[str, Any]] = {
    "an envelope": {"question": Q, "answer": FACT, "facts": [FACT]},
    "a data set": {"question": Q, "answer": FACT, "contexts": [FACT]},
    "a chain": {"input": Q, "answer": FACT, "context": [{"page_content": FACT}]},
    "a log entry": {"logName": "l", "insertId": "i"}
    | {"jsonPayload": {"question": Q, "answer": FACT, "facts": [FACT]}},
    "a run": run({"answer": FACT, "documents": [FACT]}) | {"inputs": {"question": Q}},
    "a row of Phoenix": row({"answer": FACT, "documents": [FACT]}, reference=""),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("value", ROWS.values(), ids=ROWS)
def test_what_a_program_generated_is_the_answer(value: dict[str, Any], name: str) -> None:
    written = json.dumps(value)
    for said in (f'"answer": "{FACT}"', f'\\"answer\\": \\"{FACT}\\"'):
        quote = "\\" if said.startswith("\\") else ""
        written = written.replace(said, f'{said}, {quote}"{name}{quote}": {quote}"{TEXT}{quote}"')
    answer = parsed(written.encode())
    assert (answer.answer_text, [fact.text for fact in answer.facts]) == (TEXT, [FACT])


TWO_ANSWERS: dict[str, tuple[dict[str, Any], str]] = {
    "two programs": (
        {"answer": FACT, "prediction": TEXT, "model_response": OTHER, "facts": [FACT]},
        "modelResponse and .*prediction and .*'answer=",
    ),
    "an object and a text": (
        {"question": Q, "answer": {"content": FACT}, "generated_answer": TEXT, "context": [FACT]},
        "generatedAnswer and .*answer: ",
    ),
    "a prediction beside a chat": (
        {"messages": [*TOLD, {"role": "assistant", "content": FACT}], "prediction": TEXT},
        "prediction and the answer of openai.messages",
    ),
}


@pytest.mark.parametrize(("value", "words"), TWO_ANSWERS.values(), ids=TWO_ANSWERS)
def test_two_answers_that_names_do_not_decide_are_a_failure(
    value: dict[str, Any], words: str
) -> None:
    with pytest.raises(UnmappedFields, match=words):
        parsed(value)
    own = parse_answer(
        message_of(value), own_map=(("answer", "$['prediction','generated_answer']"),)
    )
    assert own.answer_text == TEXT


BOTH = {"prediction": OTHER, "model_response": TEXT}
TRIED: dict[str, tuple[dict[str, Any], str]] = {
    "in an envelope": ({**BOTH, "answer": FACT, "facts": [FACT]}, "answer=$.model_response"),
    "in what a run returned": (
        run({**BOTH, "documents": [FACT]}) | {"inputs": {"question": Q}},
        "answer=$.outputs.model_response",
    ),
    "with spaces in their names": (
        {"answer": FACT, "Bot Reply": OTHER, "LLM Output": TEXT, "facts": [FACT]},
        'answer=$["LLM Output"]',
    ),
    "beside a chat": (
        {"messages": [*TOLD, {"role": "assistant", "content": FACT}], "prediction": TEXT},
        "answer=$.prediction",
    ),
    "one of them in the facts": ({**BOTH, "answer": TEXT, "facts": [f"{TEXT} {FACT}"]}, ""),
}


@pytest.mark.parametrize(("value", "flag"), TRIED.values(), ids=TRIED)
def test_a_map_that_decides_between_two_answers_was_tried(value: dict[str, Any], flag: str) -> None:
    with pytest.raises(UnmappedFields) as failure:
        parsed(value)
    assert (f"Try --map '{flag}'" in str(failure.value)) is bool(flag)
    assert ("--map" in str(failure.value)) is bool(flag)
    if flag:
        field, _, path = flag.partition("=")
        own = parse_answer(message_of(value), own_map=((field, path),))
        assert (own.answer_text, [fact.text for fact in own.facts]) == (TEXT, [FACT])


@pytest.mark.parametrize("tool", TOOLS)
def test_a_map_decides_between_two_answers_in_what_a_call_returned(tool: str) -> None:
    value = TOOLS[tool](BOTH)
    with pytest.raises(UnmappedFields, match=r"model_?[rR]esponse and .*prediction: ") as failure:
        parsed(value)
    tried = re.search(r"answer=(\$[\w.]*)\.\w+'", str(failure.value))
    assert tried
    for name, text in BOTH.items():
        own = parse_answer(message_of(value), own_map=(("answer", f"{tried[1]}.{name}"),))
        assert (own.answer_text, own.query) == (text, Q)
        assert {fact.text for fact in own.facts} == {FACT}


def test_an_answer_that_names_do_not_decide_takes_no_other_span_along() -> None:
    both, one = ({"output.value": json.dumps(each)} for each in (BOTH, {"answer": TEXT}))
    failure, answer = parse_answers(message_of(spans(both, one)))
    assert isinstance(failure, ParseFailure)
    assert not isinstance(answer, ParseFailure)
    assert (answer.answer_text, answer.span_id) == (TEXT, "s1")
    chat = {"llm.output_messages": json.dumps([{"message": {"role": "user", "content": TEXT}}])}
    assert parsed(spans(both | chat)).answer_text == TEXT


SEVERAL = {
    "choices": [{"message": {"content": TEXT}}, {"message": {"content": OTHER}}],
    "candidates": [said(TEXT), said(OTHER)],
}


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("tool", TOOLS)
def test_of_several_candidates_the_first_is_read_and_the_others_are_no_facts(
    tool: str, name: str
) -> None:
    value = TOOLS[tool]({name: SEVERAL[name]})
    without = json.loads(json.dumps(value).replace(FACT, ""))
    for each, facts in ((value, {FACT}), (without, set[str]())):
        answer = parsed(each)
        assert (answer.answer_text, answer.tags) == (TEXT, (Tag.MULTIPLE_CANDIDATES,))
        assert {fact.text for fact in answer.facts} == facts


@pytest.mark.parametrize(
    "beside",
    [{"response": "r-1"}, {"expected_answer": OTHER}, {"ground_truth": OTHER}, {"prediction": ""}],
)
def test_an_id_and_an_expected_answer_are_no_answers(beside: dict[str, str]) -> None:
    assert parsed({"question": Q, "answer": TEXT, "facts": [FACT], **beside}).answer_text == TEXT


READ = (
    {name: (value, TEXT, [FACT]) for name, value in ONE_TEXT.items()}
    | {name: (value, TWO_PARTS, [FACT]) for name, value in TWO_TEXTS.items()}
    | {name: (value, TEXT, [FACT]) for name, value in ANNOUNCED.items()}
    | {name: (value, TEXT, facts) for name, (value, facts) in FACTS.items()}
)


@pytest.mark.parametrize(("value", "text", "facts"), READ.values(), ids=READ)
def test_a_reported_shape_is_read(value: Any, text: str, facts: list[str]) -> None:
    answer = parsed(value)
    assert answer.answer_text == text
    assert [fact.text for fact in answer.facts] == facts


def test_a_source_without_a_text_is_a_tag() -> None:
    row = {"question": Q, "answer": TEXT, "contexts": [{"text": FACT}, {"content": None, "id": 7}]}
    assert Tag.SOURCE_WITHOUT_TEXT in parsed(row).tags


def test_the_runs_of_a_session_are_answers() -> None:
    events = [
        said(text, invocationId=run, author=author)
        for run in ("e1", "e2")
        for text, author in ((Q, "user"), (TEXT, "bot"))
    ]
    for value in (events, {"id": "s", "appName": "shop", "userId": "u", "events": events}):
        found = list(parse_answers(message_of(value)))
        assert [getattr(each, "query", None) for each in found] == [Q, Q]
        for each in found:
            assert not isinstance(each, ParseFailure)
            [again] = parse_answers(each.message)
            assert again == each


NO_ANSWERS: dict[str, tuple[dict[str, Any], str]] = {
    "what the user said": (said(Q, invocationId="e", author="user"), "is of the user"),
    "a search": (
        {"run_type": "retriever", "inputs": {"query": Q}, "outputs": {"documents": [FACT]}},
        "'retriever'",
    ),
    **{
        f"a span of kind {kind}": (row(TEXT, kind), kind)
        for kind in ("RETRIEVER", "EMBEDDING", "TOOL", "RERANKER", "EVALUATOR", "GUARDRAIL")
    },
    "a printed span of a tool": (
        inference(output__value=TEXT, openinference__span__kind="TOOL"),
        "TOOL",
    ),
    "a row with its kind in a column": (
        {"attributes.output.value": TEXT, "span_kind": "TOOL"},
        "TOOL",
    ),
}


@pytest.mark.parametrize(("value", "words"), NO_ANSWERS.values(), ids=NO_ANSWERS)
def test_what_is_no_answer_is_a_failure_that_says_so(value: dict[str, Any], words: str) -> None:
    with pytest.raises(UnreadableAnswer, match=words):
        parsed(value)


UNSCORABLE: dict[str, tuple[dict[str, Any], str]] = {
    "documents without a text": (
        {"gen_ai.retrieval.documents": [{"id": "d", "score": 0.9}, {"id": "e", "score": 0.8}]}
        | {"gen_ai.output.messages": OUTPUT},
        "NO_FACTS",
    ),
    "a cell that pandas writes": (
        {"user_input": Q, "response": TEXT, "retrieved_contexts": "nan"},
        "NO_FACTS",
    ),
    "items that Python writes": (
        {"user_input": Q, "response": TEXT, "retrieved_contexts": ["None", "null"]},
        "NO_FACTS",
    ),
    "a list of cells that pandas writes": (
        {"user_input": Q, "response": TEXT, "retrieved_contexts": "[nan]"},
        "NO_FACTS",
    ),
    "a cell without an answer": (
        {"user_input": Q, "response": "nan", "retrieved_contexts": [FACT]},
        "NO_TEXT",
    ),
    "a cell without a reference": (row(TEXT, reference="nan"), "NO_FACTS"),
    "an empty object": (
        {"user_input": Q, "response": TEXT, "retrieved_contexts": "{}"},
        "NO_FACTS",
    ),
    "the call of a tool": (
        row({"choices": [{"finish_reason": "tool_calls", "message": {"tool_calls": [{"id": 1}]}}]}),
        "NO_TEXT",
    ),
    "masked facts": (
        inference(output__value=TEXT, retrieval__documents__0__document__content="__REDACTED__"),
        "ELIDED",
    ),
    "a masked answer": ({"answer": "[REDACTED]", "facts": [FACT]}, "ELIDED"),
    "stars": ({"answer": TEXT, "facts": ["***", "*****"]}, "ELIDED"),
    **{
        f"the mask {mask}": ({"answer": mask, "facts": [FACT]}, "ELIDED")
        for mask in ("[FILTERED]", "<masked>", "[Removed]", "\u2588" * 5, "redacted-by-litellm")
    },
}


@pytest.mark.parametrize(("value", "reason"), UNSCORABLE.values(), ids=UNSCORABLE)
def test_what_is_not_there_is_not_compared(value: dict[str, Any], reason: str) -> None:
    decision = route(parsed(value))
    assert decision is not None
    assert (decision.verdict, decision.reason) == ("UNSCORABLE", reason)


def test_one_masked_fact_of_several_is_no_reason() -> None:
    assert route(parsed({"answer": TEXT, "facts": ["__REDACTED__", FACT]})) is None


ENDS: dict[str, tuple[dict[str, Any], str, str | None]] = {
    "a part": (said(TEXT, partial=True), "INCOMPLETE", "UNFINISHED"),
    "an interrupted part": (said(TEXT, interrupted=True), "INCOMPLETE", "UNFINISHED"),
    "a block": ({"content": None, "errorCode": "SAFETY"}, "POLICY_SKIPPED", None),
    "a limit": ({"errorCode": "MAX_TOKENS"}, "UNSCORABLE", "TRUNCATED"),
    "an error": ({"errorCode": "TIMEOUT"}, "GENERATION_FAILED", "ABNORMAL_FINISH"),
}


@pytest.mark.parametrize(("fields", "verdict", "tag"), ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("is_run", [False, True])
def test_an_event_says_how_it_ended(
    fields: dict[str, Any], verdict: str, tag: str | None, *, is_run: bool
) -> None:
    event = EVENT | fields
    answer = parsed([{**EVENT, "actions": {}}, event] if is_run else event)
    decision = route(answer)
    assert decision is not None
    assert (decision.verdict, [*routing_tags(answer)]) == (verdict, [tag] if tag else [])


def test_the_sources_of_several_events_are_those_of_their_texts() -> None:
    def grounded(text: str, found: str) -> dict[str, Any]:
        support = {"segment": {"endIndex": 12, "text": text[:12]}, "groundingChunkIndices": [0]}
        metadata = {
            "groundingChunks": [{"retrievedContext": {"text": found}}],
            "groundingSupports": [support],
        }
        recited = {"citationSources": [{"startIndex": 4, "endIndex": 12}]}
        return said(text, **EVENT, groundingMetadata=metadata, citationMetadata=recited)

    answer = parsed([grounded(TEXT, FACT), grounded(OTHER, OTHER)])
    text = answer.answer_text
    cited = [(text[each.start : each.end], each.facts) for each in answer.citations]
    assert cited == [(TEXT[:12], (0,)), (OTHER[:12], (1,)), (TEXT[4:12], ()), (OTHER[4:12], ())]


SEGMENTS = {
    "the number of the part is left out": ({"endIndex": len(OTHER), "text": OTHER}, [OTHER]),
    "characters, not bytes, in another part": ({"endIndex": 7, "text": "x" * 7}, []),
    "the text of the part": ({"partIndex": 0, "endIndex": 3, "text": TEXT[:3]}, [TEXT[:3]]),
    "no text": ({"partIndex": 1, "endIndex": 5}, [OTHER[:5]]),
}


@pytest.mark.parametrize(("segment", "cited"), SEGMENTS.values(), ids=SEGMENTS)
def test_a_segment_is_where_its_text_is(segment: dict[str, Any], cited: list[str]) -> None:
    answer = parsed(
        {
            "content": {"parts": [{"text": TEXT}, {"text": OTHER}]},
            "finishReason": "STOP",
            "groundingMetadata": {
                "groundingChunks": [CHUNK],
                "groundingSupports": [{"segment": segment, "groundingChunkIndices": [0]}],
            },
        }
    )
    text = answer.answer_text.encode()
    assert [text[each.start : each.end].decode() for each in answer.supports] == cited
    assert (Tag.BAD_OFFSETS in answer.tags) is not bool(cited)


def test_recited_spans_count_without_what_stands_between_the_parts() -> None:
    parts = [{"text": TEXT}, {"functionCall": {"name": "f"}}, {"text": OTHER}]
    span = {"startIndex": len(TEXT), "endIndex": len(TEXT) + len(OTHER)}
    answer = parsed(
        {"content": {"parts": parts}, "finishReason": "STOP"}
        | {"citationMetadata": {"citationSources": [span, {"endIndex": len(TEXT)}]}}
    )
    found = [answer.answer_text[each.start : each.end] for each in answer.citations]
    assert found == [OTHER, TEXT]


@pytest.mark.parametrize(
    "paths", [("$.parts[*]",), ("$.parts[0]",)], ids=["all parts", "the first part"]
)
def test_the_parts_of_a_map_are_separate(paths: tuple[str, ...]) -> None:
    row = {"parts": [TEXT, OTHER], "found": [FACT]}
    own_map = (*(("answer", path) for path in paths), ("facts", "$.found[*]"))
    answer = parse_answer(message_of(row), own_map=own_map)
    assert answer.answer_text == (TWO_PARTS if "*" in paths[0] else TEXT)


@pytest.mark.parametrize("empty", ["", None])
def test_an_empty_answer_of_a_map_has_no_text(empty: str | None) -> None:
    row = {"said": empty, "found": FACT, "asked": Q}
    answer = parse_answer(message_of(row), own_map=(("answer", "$.said"), ("facts", "$.found")))
    decision = route(answer)
    assert decision is not None
    assert (decision.verdict, decision.reason) == ("UNSCORABLE", "NO_TEXT")
