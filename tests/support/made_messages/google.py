"""Make messages of Google's services: Discovery Engine, Gemini, Vertex AI and Dialogflow."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.made_messages.pen import JsonObject, Pen

_NAME = "projects/1/locations/global/collections/c/engines/e/sessions/s/"


def _chunk(pen: Pen) -> JsonObject:
    origin = {"documentMetadata": pen.source() | {"structData": {"note": pen.aside()}}}
    return {"content": pen.fact()} | pen.maybe(**origin, pageIdentifier="3", relevanceScore=0.5)


def _reference(pen: Pen) -> JsonObject:
    filled: JsonObject = {
        "chunkInfo": lambda: _chunk(pen),
        "unstructuredDocumentInfo": lambda: (
            {"chunkContents": pen.several(lambda: _chunk(pen))} | pen.source()
        ),
        "structuredDocumentInfo": lambda: {"structData": {"text": pen.fact(), "price": 3}},
    }
    name = pen.pick(*filled)
    empty = pen.blanks(*(each for each in filled if each != name), empty=(None, {}))
    return dict(pen.shuffled((empty | {name: filled[name]()}).items()))


def _references(pen: Pen) -> list[JsonObject]:
    return pen.several(lambda: _reference(pen))


def _spans(pen: Pen) -> JsonObject:
    span = {"startIndex": "0", "endIndex": 4, "sources": [{"referenceId": "0"}]}
    return pen.maybe(citations=[span, None], groundingSupports=[span | {"groundingScore": 0.5}])


def _answer(pen: Pen) -> JsonObject:
    result = {"title": "Lamps", "chunkInfo": [{"content": pen.aside()}]}
    steps = [{"actions": [{"observation": {"searchResults": [result]}}]}]
    return (
        {"state": pen.pick("SUCCEEDED", 3), "answerText": pen.said()}
        | {"references": _references(pen)}
        | pen.maybe(name=f"{_NAME}answers/a", steps=steps, relatedQuestions=[pen.aside()])
        | _spans(pen)
    )


def _turn(pen: Pen, text: str) -> JsonObject:
    return {"query": {"text": text}} | pen.blanks("answer")


def answer(pen: Pen) -> Any:
    made = _answer(pen)
    return made if pen.flip() else {"query": pen.asked(), "answer": made}


def answer_query(pen: Pen) -> Any:
    turns = [*pen.several(lambda: _turn(pen, pen.aside()), 0), _turn(pen, pen.asked())]
    return answer_query_alone(pen) | {"session": {"turns": turns}}


def stream_answer(pen: Pen) -> Any:
    deltas = pen.several(lambda: {"state": "STREAMING", "answerText": pen.said()}, 2)
    chosen = pen.pick(*deltas)
    references = chosen["references"] = _references(pen)
    if pen.flip():
        text = "".join(each["answerText"] for each in deltas)
        whole = {"state": "SUCCEEDED", "answerText": text}
        deltas.append(whole | (pen.pick({}, {"references": []}, {"references": references})))
    return [{"answer": each} for each in deltas]


def _reply(pen: Pen) -> JsonObject:
    if pen.flip(0.2):
        return {"groundedContent": {"content": {"text": pen.aside(), "thought": True}}}
    if pen.flip(0.1):
        return {"groundedContent": {"content": {"codeExecutionResult": {"output": pen.fact()}}}}
    text = pen.said()
    at_both = pen.pick({"content": {"role": "model", "text": text}}, {"text": text})
    empty = {"content": {"text": ""}} if "text" in at_both and pen.flip() else {}
    references = pen.several(lambda: {"content": pen.fact()} | pen.maybe(documentMetadata={}), 0)
    segment = {"endIndex": "4", "referenceIndices": [0]}
    found = {"references": references} | pen.maybe(segments=[segment])
    return {"groundedContent": at_both | empty | {"textGroundingMetadata": found}}


def _assist(pen: Pen, state: str = "SUCCEEDED") -> JsonObject:
    replies = pen.several(lambda: _reply(pen))
    replies.append({"groundedContent": {"content": {"text": pen.said()}}})
    return {"state": state, "replies": replies}


def assist_answer(pen: Pen) -> Any:
    made = _assist(pen)
    return made if pen.flip() else {"answer": made, "assistToken": "t"}


def stream_assist(pen: Pen) -> Any:
    parts = pen.several(lambda: _assist(pen, "IN_PROGRESS"), 1)
    if pen.flip():
        replies = [reply for part in parts for reply in part["replies"]]
        last = {"state": "SUCCEEDED", "replies": replies}
    else:
        last = _assist(pen)
    return [{"answer": each, "assistToken": "t"} for each in (*parts, last)]


def user_activity(pen: Pen) -> Any:
    query = pen.make(
        pen.asked,
        lambda: {"text": pen.asked()},
        lambda: {"parts": [{"text": pen.asked()}]},
    )
    response = pen.pick(assist_answer, stream_assist, answer_query_alone, grounded_content)(pen)
    entry = {"logMetadata": {"methodName": "m"}, "request": {"query": query}, "response": response}
    if pen.flip(0.2):  # the log may have the text beside the answer
        found = {"textGroundingMetadata": {"references": [{"content": pen.fact()}]}}
        entry["response"] = {"answer": {"replies": [{"groundedContent": found}]}}
        entry["serviceTextReply"] = pen.said()
    return entry


def answer_query_alone(pen: Pen) -> Any:
    return {"answer": _answer(pen), "answerQueryToken": "t"}


def grounded_content(pen: Pen) -> Any:
    metadata = {"supportChunks": pen.several(lambda: {"chunkText": pen.fact()} | pen.source())}
    first = {"content": _said(pen), "groundingScore": 0.5, "groundingMetadata": metadata}
    others = pen.several(lambda: {"content": {"parts": [{"text": pen.other()}]}}, 0, 2)
    return {"candidates": [first, *others]}


def _summary(pen: Pen) -> JsonObject:
    text = pen.said()
    chunks = pen.several(lambda: {"chunkContents": pen.several(lambda: _chunk(pen))})
    detailed = {"summary": pen.pick(text, text, "", " ", None), "references": chunks}
    plain = {"summaryText": text} if not (detailed["summary"] or "").strip() or pen.flip() else {}
    return plain | {"summaryWithMetadata": detailed}


def search_summary(pen: Pen) -> Any:
    results = [{"document": {"derivedStructData": {"snippet": pen.aside()}}}]
    return {"summary": _summary(pen)} | pen.maybe(results=results, attributionToken="t")


def conversation(pen: Pen) -> Any:
    texts = [*pen.several(pen.aside, 0), pen.asked()]
    messages: list[Any] = [{"userInput": {"input": text}} for text in texts]
    messages.append({"reply": {"summary": {"summaryText": pen.aside()}}})
    return {"reply": {"summary": _summary(pen)}, "conversation": {"messages": messages}}


def check_grounding(pen: Pen) -> Any:
    facts = pen.several(lambda: {"factText": pen.fact()} | pen.maybe(attributes={"title": "L"}))
    return {"answerCandidate": pen.said(), "facts": facts, "groundingSpec": {}}


def _said(pen: Pen) -> JsonObject:
    beside: list[Callable[[], JsonObject]] = [
        lambda: {"text": pen.aside(), "thought": True},
        lambda: {"functionCall": {"name": "f", "args": {"q": pen.aside()}}},
        lambda: {"executableCode": {"code": pen.aside()}},
        lambda: {"text": ""},
    ]
    parts = pen.several(lambda: {"text": pen.said()} | pen.blanks("thought", empty=(False, None)))
    found = pen.mixed(parts, pen.several(lambda: pen.make(*beside), 0))
    return {"role": "model", "parts": found}


def _returned(pen: Pen) -> Any:
    return pen.make(
        lambda: {pen.pick("result", "output", "content"): pen.fact()},
        lambda: {"result": "", "output": pen.fact()},
        lambda: {"documents": pen.several(lambda: pen.document("content", "text"))},
        lambda: {"results": pen.several(lambda: pen.document("snippet", "text"))},
        lambda: {"lamp": {"text": pen.fact(), "price": 3}},
        lambda: {"output": json.dumps({"results": [{"content": pen.fact()}]})},
    )


def _tool_part(pen: Pen) -> JsonObject:
    return pen.make(
        lambda: {"functionResponse": {"name": "f", "response": _returned(pen)}},
        lambda: {"toolResponse": {"toolType": "T", "response": _returned(pen)}},
        lambda: {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": pen.fact()}},
    )


def _asked(pen: Pen) -> list[JsonObject]:
    earlier = pen.several(
        lambda: {"role": pen.pick("user", "model"), "parts": [{"text": pen.aside()}]}, 0
    )
    question = {"role": "user", "parts": pen.several(lambda: {"text": pen.asked()}, 1, 2)}
    call = {"role": "model", "parts": [{"functionCall": {"name": "f"}}]}
    result = {"role": pen.pick("user", "function", "tool"), "parts": [_tool_part(pen)]}
    return [*earlier, question, *([call, result] if pen.flip() else [])]


def _grounding_chunk(pen: Pen) -> Any:
    context = pen.pick(
        lambda: {"text": pen.fact()},
        lambda: {"text": pen.pick("", " ", None), "ragChunk": {"text": pen.fact()}},
    )
    return pen.make(
        lambda: {"retrievedContext": context() | pen.source()},
        lambda: {"maps": {"text": pen.fact(), "placeId": "p"}, **pen.blanks("retrievedContext")},
        lambda: {"retrievedContext": {}, "maps": {"text": pen.fact()}},
        lambda: {"web": {"uri": "https://a.example", "title": "A"}},
        lambda: None,
    )


def _metadata(pen: Pen) -> JsonObject:
    chunks = [
        *pen.several(lambda: _grounding_chunk(pen)),
        {"retrievedContext": {"text": pen.fact()}},
    ]
    supports = [{"segment": {"endIndex": 4}, "groundingChunkIndices": [0]}]
    return {"groundingChunks": chunks} | pen.maybe(groundingSupports=supports)


def _candidate(pen: Pen) -> JsonObject:
    content = _said(pen)
    if pen.flip(0.3):
        content["parts"].insert(0, _tool_part(pen))
    recited = pen.maybe(citationMetadata={"citations": [{"endIndex": 4, "uri": "u"}]})
    return {
        "content": content,
        "finishReason": "STOP",
        "groundingMetadata": _metadata(pen),
    } | recited


def _others(pen: Pen) -> list[JsonObject]:
    return [
        {"index": number, "content": {"parts": [{"text": pen.other()}]}, "finishReason": "STOP"}
        for number in range(1, pen.pick(1, 1, 2, 3))
    ]


def generate_content(pen: Pen) -> Any:
    if pen.flip():
        history = pen.maybe(automaticFunctionCallingHistory=_asked(pen)) if pen.flip(0.2) else {}
        return {"candidates": [_candidate(pen), *_others(pen)], "responseId": "r"} | history
    system = {"parts": [{"text": pen.aside()}]}
    request = {"contents": _asked(pen)} | pen.maybe(systemInstruction=system)
    whole = {"candidates": [_candidate(pen), *_others(pen)]}
    return {"request": request, "response": whole if pen.flip() else stream_generate_content(pen)}


def stream_generate_content(pen: Pen) -> Any:
    whole, others = _candidate(pen), _others(pen)
    parts, metadata = whole["content"]["parts"], whole["groundingMetadata"]
    chunks = metadata["groundingChunks"]
    candidates: list[JsonObject] = [
        {"content": {"role": "model", "parts": [part]}} for part in parts
    ]
    first, second = pen.cut(chunks)
    early = pen.pick(*candidates)
    if first:
        early["groundingMetadata"] = {"groundingChunks": first}
    candidates.append({"finishReason": "STOP"} | pen.blanks("content", empty=({}, None)))
    candidates[-1]["groundingMetadata"] = {"groundingChunks": pen.pick(chunks, second)}
    if early.get("groundingMetadata") is None:
        candidates[-1]["groundingMetadata"] = metadata
    elements = [{"candidates": [each], "responseId": "r"} for each in candidates]
    for other in others:
        at = pen.pick(*elements)
        at["candidates"] = [*at["candidates"], other]
    return elements


def candidate(pen: Pen) -> Any:
    return {"author": "agent", "invocationId": "i"} | _candidate(pen)


def generate_answer(pen: Pen) -> Any:
    asked = [each for each in _asked(pen) if "functionCall" not in each["parts"][0]]
    passages = pen.several(lambda: {"content": {"parts": [{"text": pen.fact()}]}, "id": "1"})
    given = pen.flip()
    request: JsonObject = {"contents": asked, "answerStyle": "VERBOSE"}
    request |= {"inlinePassages": {"passages": passages}} if given else {}
    found = [{"content": each["content"], "sourceId": {}} for each in passages]
    said = {"content": _said(pen), "groundingAttributions": found[: 1 if given else None]}
    return {"request": request, "response": {"answer": said, "answerableProbability": 0.9}}


def detect_intent(pen: Pen) -> Any:
    texts = pen.several(pen.said)
    messages: list[Any] = [{"text": {"text": [text]}} for text in texts]
    messages = pen.mixed(messages, [{"payload": {"a": pen.aside()}}])
    facts = pen.several(lambda: {"text": pen.fact(), "documentTitle": "Lamps"})
    shown, cited = pen.cut(facts)
    signals = {
        "answer": pen.pick("\n".join(texts), "", " ", None),
        "searchSnippets": shown,
        "citedSnippets": [{"searchSnippet": each, "snippetIndex": 0} for each in cited],
    }
    result = {pen.pick("text", "transcript"): pen.asked(), "responseMessages": messages}
    return {"responseId": "r", "queryResult": result | {"dataStoreConnectionSignals": signals}}
