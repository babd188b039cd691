"""A message without text or facts is rejected if unknown fields could hold them."""

import json

import pytest

from groundwatch.schemas.message import UnmappedFields
from tests.support.answer_messages import ANSWER_NAME, chunk_reference, parsed

WORDS = "the customer's own words"
LONG = WORDS * 9  # over 200 characters
REPLIES = [{"groundedContent": {"content": {"text": WORDS}}}]
SAID = {"content": {"parts": [{"text": "Yes."}]}, "finishReason": "STOP"}
CHUNKS = [{"chunkText": WORDS}]
REPLY = [{"text": {"text": ["Yes."]}}]
CALL = {"name": "f", "args": {"q": LONG}, "output": "two"}
YES = {"type": "text", "content": "Yes."}
TOOL_CALL = {"type": "tool_call", "name": "f", "arguments": {"q": LONG}, "output": "two"}
FOUND = {"structData": {"t": LONG}, "derivedStructData": {"s": LONG}}
JSON_ANSWER = json.dumps({"text": LONG})

REJECTED = {
    "facts under another name": (
        {"question": "q", "answer": "a", "excerpts": [WORDS], "ground_truth": "t"},
        ["excerpts"],
    ),
    "facts as one object": ({"answer": "a", "context": {"text": WORDS}}, ["context"]),
    "facts as one long string": ({"answer": "a", "context": LONG}, ["context"]),
    "snake_case": ({"answer": "a", "retrieved_contexts": [WORDS]}, ["retrieved_contexts"]),
    "an answer of a new kind": ({"state": "SUCCEEDED", "recordings": REPLIES}, ["recordings"]),
    "a stream of a new kind": (
        [
            {"answer": {"state": "SUCCEEDED", "recordings": REPLIES}, "recordingToken": "t"},
            {"answer": {"state": "SUCCEEDED", "recordings": REPLIES}, "recordingInfo": [WORDS]},
        ],
        ["[].answer.recordings", "[].recordingInfo"],
    ),
    "a bare answer in a stream": (
        [{"state": 3, "name": ANSWER_NAME, "recordings": REPLIES}],
        ["[].recordings"],
    ),
    "a bare answer in a stream, in snake_case": (
        [{"answer_text": "a", "related_questions": [WORDS], "source_list": [WORDS]}],
        ["[].source_list"],
    ),
    "another service's answer": (
        {"reply": {"text": WORDS}, "citations": [{"usedReferences": [WORDS]}]},
        ["reply", "citations[].usedReferences"],
    ),
    "other grounding": (
        {"candidates": [SAID | {"groundingMetadata": {"evidenceChunks": CHUNKS}}]},
        ["candidates[].groundingMetadata.evidenceChunks"],
    ),
    "a new kind of reference": (
        {"answerText": "a", "references": [{"videoInfo": {"transcript": WORDS}}]},
        ["references[].videoInfo"],
    ),
    "a new kind of chunk": (
        SAID | {"groundingMetadata": {"groundingChunks": [{"video": {"transcript": WORDS}}]}},
        ["groundingMetadata.groundingChunks[].video"],
    ),
    "a new kind of chunk, with empty attributions": (
        SAID
        | {
            "groundingAttributions": [],
            "groundingMetadata": {"groundingChunks": [{"video": {"transcript": WORDS}}]},
        },
        ["groundingMetadata.groundingChunks[].video"],
    ),
    "a new kind of part": (
        {"content": {"parts": [{"speech": {"transcript": WORDS}}]}, "finishReason": "STOP"},
        ["content.parts[].speech"],
    ),
    "a new kind of part before the end": (
        {"content": {"parts": [{"speech": {"transcript": WORDS}}]}},
        ["content.parts[].speech"],
    ),
    "a new kind of part and an abnormal end": (
        {"content": {"parts": [{"speech": {"transcript": WORDS}}]}, "finishReason": "OTHER"},
        ["content.parts[].speech"],
    ),
    "a known field of a wrong type": (
        SAID
        | {"groundingMetadata": {"groundingChunks": [{"retrievedContext": {"text": [WORDS]}}]}},
        ["groundingMetadata.groundingChunks[].retrievedContext.text"],
    ),
    "a known field of a wrong type, as text": (
        SAID | {"groundingMetadata": {"groundingChunks": [{"retrievedContext": LONG}]}},
        ["groundingMetadata.groundingChunks[].retrievedContext"],
    ),
    "an exchange": (
        {"request": {"inlinePassages": {}, "documents": [WORDS]}, "response": {"answer": SAID}},
        ["request.documents"],
    ),
    "a result within a call": (
        {"answer": "a", "tool_calls": [{"name": "f", "args": {"q": LONG}, "result": WORDS}]},
        ["tool_calls"],
    ),
    "a result within a call's function": (
        {
            "answer": "a",
            "toolCalls": [{"function": {"name": "f", "arguments": "", "output": WORDS}}],
        },
        ["toolCalls"],
    ),
    "what a list of functions returned": (
        {"answer": "a", "functions": [{"name": "f", "response": {"text": WORDS}}]},
        ["functions"],
    ),
    "what one function returned": (
        {"answer": "a", "function_call": {"name": "f", "arguments": "{}", "content": WORDS}},
        ["function_call"],
    ),
    "a result among the arguments": (
        {"answer": "a", "calls": [{"tool": "f", "arguments": json.dumps({"result": WORDS})}]},
        ["calls"],
    ),
    "arguments of no call": ({"answer": "a", "arguments": [{"text": WORDS}]}, ["arguments"]),
    "parameters that a tool set": (
        {"queryResult": {"responseMessages": REPLY, "parameters": {"found": [WORDS]}}},
        ["queryResult.parameters.found"],
    ),
    "the result of a function's call": (
        {"candidates": [{"content": {"parts": [{"text": "Yes."}, {"functionCall": CALL}]}}]},
        ["candidates[].content.parts[].functionCall.output"],
    ),
    "a result beside the texts of a model": (
        {"gen_ai.output.messages": [{"role": "assistant", "parts": [YES, TOOL_CALL]}]},
        ["outputMessages[].parts[].output"],
    ),
    "facts in an answer that is JSON": (
        {"answer": json.dumps({"text": "a", "documents": [WORDS]})},
        ["answer.documents"],
    ),
    "the state of an agent": (
        SAID | {"author": "a", "invocationId": "e", "actions": {"stateDelta": {"found": [WORDS]}}},
        ["actions.stateDelta"],
    ),
    "a text that a settings object of the service does not have": (
        {"candidates": [SAID], "usageMetadata": {"tokens": 7, "found": [WORDS]}},
        ["usageMetadata.found"],
    ),
    "a short context": ({"answer": "Lamps glow.", "context": "A lamp glows."}, ["context"]),
    "facts whose text has no usual name": (
        {"answer": "Lamps glow.", "facts": [{"chunk": "A lamp glows.", "page": "1"}]},
        ["facts[].chunk"],
    ),
    "facts of an answer without text": ({"answer": "", "contexts": [WORDS]}, ["contexts"]),
}


@pytest.mark.parametrize(("value", "paths"), REJECTED.values(), ids=REJECTED)
def test_fields_that_could_hold_text_or_facts_are_named(value: object, paths: list[str]) -> None:
    with pytest.raises(UnmappedFields) as raised:
        parsed(value)
    assert f"these fields: {', '.join(paths)}." in str(raised.value)
    assert WORDS not in str(raised.value)


@pytest.mark.parametrize(
    ("value", "lacking"),
    [
        ({"answer": "a", "contexts": [WORDS]}, "No facts found"),
        ({"state": 3, "references": [], "recordings": REPLIES}, "No text found"),
        ({"state": 3, "recordings": REPLIES}, "No text and no facts found"),
    ],
)
def test_the_error_names_what_is_missing(value: object, lacking: str) -> None:
    with pytest.raises(UnmappedFields, match=lacking):
        parsed(value)


def test_a_repeated_field_could_hold_facts() -> None:
    payload = b'{"answer": "a", "excerpts": ["x"], "excerpts": ["y"]}'
    with pytest.raises(UnmappedFields, match="excerpts"):
        parsed(payload)


def test_only_some_of_many_fields_are_named_and_text_as_a_name_is_not_shown() -> None:
    fields = {f"field_{number}": [WORDS] for number in range(7)}
    with pytest.raises(UnmappedFields, match=r"field_4 and others\."):
        parsed({"answer": "a"} | fields)
    with pytest.raises(UnmappedFields, match="name not shown") as raised:
        parsed({"answer": "a", WORDS: [LONG]})
    assert WORDS not in str(raised.value)


SMALL = {"flag": True, "user_name": "u" * 200, "count": 5, "labels": {}, "tags": []}
KEPT = {
    "an envelope with small fields": ({"answer": "a"} | SMALL, "a", 0),
    "an envelope that says it has no facts": (
        {"answer": "a", "facts": [], "contexts": [WORDS]},
        "a",
        0,
    ),
    "an envelope with facts": ({"answer": "a", "facts": ["f"], "contexts": [WORDS]}, "a", 1),
    "an envelope with white space for facts": ({"answer": "a", "facts": [" "]}, "a", 0),
    "an answer that says it has no references": (
        {"answerText": "a", "references": [], "more": [WORDS]},
        "a",
        0,
    ),
    "an answer that says it has no text": (
        {"answerText": "", "references": [chunk_reference("f")], "more": [WORDS]},
        "",
        1,
    ),
    "an answer with known fields": (
        {
            "answerText": "a",
            "relatedQuestions": [WORDS],
            "queryUnderstandingInfo": {"queryClassificationInfo": [{"type": 1}]},
            "steps": [{"description": LONG, "actions": [{"searchAction": {"query": LONG}}]}],
            "blobAttachments": [{"data": {}}],
        },
        "a",
        0,
    ),
    "a reference without text": (
        {
            "answerText": "a",
            "references": [{"unstructuredDocumentInfo": {"structData": {"page": 7, "id": "p"}}}],
        },
        "a",
        0,
    ),
    "metadata of documents": (
        {
            "answerText": "a",
            "references": [
                {"unstructuredDocumentInfo": {"structData": {"title": LONG}}},
                {"chunkInfo": {"documentMetadata": {"structData": {"body": LONG}, "other": LONG}}},
            ],
            "steps": [
                {"actions": [{"observation": {"searchResults": [{"structData": {"t": LONG}}]}}]}
            ],
        },
        "a",
        0,
    ),
    "metadata of found documents": (
        {"summary": {"summaryText": "a"}}
        | {
            "results": [{"document": {"structData": {"t": LONG}, "derivedStructData": {"s": LONG}}}]
        },
        "a",
        0,
    ),
    "attributes of facts without text": (
        {"answerCandidate": "a", "facts": [{"factText": "", "attributes": {"about": LONG}}]},
        "a",
        0,
    ),
    "tools and their calls": (
        {
            "answer": "a",
            "functions": [{"name": "f", "description": LONG, "parameters": {"type": "object"}}],
            "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": LONG}}],
            "function_call": {"name": "f", "arguments": {"q": LONG}},
            "calls": [{"tool_name": "f", "input": {"q": LONG}, "result": ""}],
        },
        "a",
        0,
    ),
    "an answer that is JSON": (
        {"answer": json.dumps({"text": LONG})},
        json.dumps({"text": LONG}),
        0,
    ),
    "a session": (
        {
            "answer": {"answerText": "a"},
            "session": {"labels": [WORDS], "turns": [{"queryConfig": {"a": LONG}}]},
        },
        "a",
        0,
    ),
    "a search's answer": (
        {
            "candidates": [
                SAID
                | {
                    "avgLogprobs": -0.1,
                    "logprobsResult": {"chosenCandidates": [{"token": "a"}]},
                    "urlContextMetadata": {"urlMetadata": [{"retrievedUrl": "u" * 300}]},
                    "groundingMetadata": {
                        "searchEntryPoint": {"renderedContent": LONG},
                        "webSearchQueries": [WORDS],
                        "retrievalMetadata": {"googleSearchDynamicRetrievalScore": 0.9},
                        "groundingChunks": [{"web": {"uri": LONG, "title": "t", "domain": "d"}}],
                        "groundingSupports": [{"segment": {"endIndex": 4, "text": LONG}}],
                    },
                }
            ],
            "usageMetadata": {"promptTokenCount": 3},
            "modelVersion": "m",
            "responseId": "r",
        },
        "Yes.",
        0,
    ),
    "a function call": (
        {"content": {"parts": [{"functionCall": {"name": "f", "args": {"q": LONG}}}]}},
        "",
        0,
    ),
    "an agent's event": (
        SAID
        | {
            "author": "agent",
            "invocationId": "e-1",
            "timestamp": 1751968800.1,
            "actions": {"stateDelta": {"turns": 7}, "artifactDelta": {}},
            "usageMetadata": {"totalTokenCount": 7},
            "longRunningToolIds": ["t"],
        },
        "Yes.",
        0,
    ),
    "a refusal": (
        {"answerText": "Sorry.", "answerSkippedReasons": [5], "explanation": [WORDS]},
        "Sorry.",
        0,
    ),
    "a failure": ({"state": "FAILED", "cause": {"text": WORDS}}, "", 0),
    "a stream that broke off": ([{"error": {"code": 3, "details": [{"text": WORDS}]}}], "", 0),
    "a blocked prompt": ({"promptFeedback": {"blockReason": 1}, "cause": [WORDS]}, "", 0),
    "a record": (
        {
            "record_id": "5f" * 32,
            "source_format": "groundwatch.envelope",
            "verdict": "UNSCORABLE",
            "verdict_reason": "NO_FACTS",
            "answer_text": "a",
            "facts": [],
            "claims": [{"text": WORDS}],
        },
        "a",
        0,
    ),
}


@pytest.mark.parametrize(("value", "text", "facts"), KEPT.values(), ids=KEPT)
def test_known_and_small_fields_are_ignored(value: object, text: str, facts: int) -> None:
    answer = parsed(value)
    assert (answer.answer_text, len(answer.facts)) == (text, facts)


def test_a_named_format_makes_no_difference() -> None:
    with pytest.raises(UnmappedFields):
        parsed({"answer": "a", "contexts": [WORDS]}, format="groundwatch.envelope")


def test_the_payload_may_begin_with_a_byte_order_mark() -> None:
    value = json.dumps({"answer": "a", "contexts": [WORDS]}).encode()
    with pytest.raises(UnmappedFields):
        parsed(b"\xef\xbb\xbf" + value)
