"""All text and facts of a message are read, or a tag says that some are left out."""

from typing import Any

import pytest

from schemas.answer import Answer
from schemas.verdict import Tag
from tests.support.answer_messages import message_of, parsed
from transforms.formats.parser import parse_answers

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


def response_of(*outputs: dict[str, Any]) -> dict[str, Any]:
    said = {"type": "message", "content": [{"type": "output_text", "text": TEXT}]}
    return {"object": "response", "output": [*outputs, said]}


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
        {
            "answer": {
                "state": "IN_PROGRESS",
                "replies": [
                    {
                        "groundedContent": {
                            "content": {"text": TEXT},
                            "textGroundingMetadata": {"references": [{"content": FACT}]},
                        }
                    }
                ],
            }
        },
        {
            "answer": {
                "state": "SUCCEEDED",
                "replies": [{"groundedContent": {"content": {"text": TEXT}}}],
            }
        },
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
    "the message of a tool": {
        "messages": [{"role": "user", "content": QUERY}, {"role": "tool", "content": FACT}],
        "response": {"choices": [{"message": {"content": TEXT}}]},
    },
    "the message of a function": {
        "messages": [{"role": "user", "content": QUERY}, {"role": "function", "content": FACT}],
        "response": {"choices": [{"message": {"content": TEXT}}]},
    },
    "the result of an MCP server": {
        "role": "assistant",
        "stop_reason": "end_turn",
        "content": [
            {"type": "mcp_tool_result", "content": [{"type": "text", "text": FACT}]},
            {"type": "text", "text": TEXT},
        ],
    },
}


@pytest.mark.parametrize("value", ONE_FACT.values(), ids=ONE_FACT)
def test_the_fact_is_read_wherever_it_stands(value: Any) -> None:
    answer = parsed(value)
    assert (answer.answer_text, [fact.text for fact in answer.facts]) == (TEXT, [FACT])
    assert answer.query in (QUERY, None)


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
