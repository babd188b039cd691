"""Make messages of chat services and of libraries for RAG, which field maps read."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.made_messages.pen import JsonObject, Pen


def _documents(pen: Pen, *names: str) -> list[Any]:
    return pen.several(lambda: pen.document(*names))


def envelope(pen: Pen) -> Any:
    facts = pen.as_json(_documents(pen, "text", "content", "page_content", "passage", "snippet"))
    return {"query": pen.asked(), "answer": pen.said(), "facts": facts} | pen.maybe(id="a", time=1)


def ragas(pen: Pen) -> Any:
    if pen.flip():
        facts = pen.as_json(pen.several(pen.fact))
        row = {"user_input": pen.asked(), "response": pen.said(), "retrieved_contexts": facts}
        return row | pen.maybe(reference=pen.aside(), reference_contexts=[pen.aside()])
    row = {"question": pen.asked(), "answer": pen.said(), "contexts": pen.several(pen.fact)}
    return row | pen.maybe(ground_truth=pen.aside(), ground_truths=[pen.aside()])


def deepeval(pen: Pen) -> Any:
    facts = pen.several(pen.fact)
    given = pen.pick(facts, "|".join(facts))
    row = {"input": pen.asked(), "actual_output": pen.said(), "retrieval_context": given}
    return row | pen.maybe(expected_output=pen.aside(), context=[pen.aside()])


def evaluation(pen: Pen) -> Any:
    row = {pen.pick("query", "prompt"): pen.asked(), "response": pen.said(), "context": pen.fact()}
    return row | pen.maybe(ground_truth=pen.aside(), reference=pen.aside())


def _blocks(pen: Pen, texts: list[str]) -> Any:
    if pen.flip():
        return "".join(texts)
    return [{"type": "text", "text": text} for text in texts]


def langchain_chain(pen: Pen) -> Any:
    documents = _documents(pen, "page_content")
    said = pen.said()
    answer = pen.pick(said, {"type": "ai", "content": said}, {"content": _blocks(pen, [said])})
    if pen.flip(0.3):
        row = {pen.pick("query", "question"): pen.asked(), "result": said}
        return row | {"source_documents": documents}
    row = {"context": documents, pen.pick("input", "question"): pen.asked(), "answer": answer}
    return row | (pen.maybe(chat_history=[{"content": pen.aside()}]) if "input" in row else {})


def langchain_messages(pen: Pen) -> Any:
    wrap: Callable[[str, JsonObject], JsonObject] = pen.pick(
        lambda kind, fields: fields | {"type": kind},
        lambda kind, fields: {"type": kind, "data": fields | {"type": kind}},
        lambda kind, fields: {"lc": 1, "type": "constructor", "kwargs": fields | {"type": kind}},
    )
    messages = pen.several(
        lambda: wrap(pen.pick("human", "ai", "system"), {"content": pen.aside()}), 0
    )
    messages.append(wrap("human", {"content": _blocks(pen, pen.several(pen.asked, 1, 2))}))
    for _ in range(pen.pick(1, 2)):
        call = {"content": pen.pick("", []), "tool_calls": [{"args": {"q": pen.aside()}}]}
        messages.append(wrap("ai", call))
        messages.append(wrap("tool", {"content": _tool_content(pen), "tool_call_id": "c"}))
    messages.append(wrap("ai", {"content": _blocks(pen, pen.several(pen.said))}))
    return {"messages": messages}


def _tool_content(pen: Pen) -> Any:
    return pen.make(
        pen.fact,
        lambda: [{"type": "text", "text": fact} for fact in pen.several(pen.fact)],
        lambda: json.dumps([{"content": fact} for fact in pen.several(pen.fact)]),
        lambda: json.dumps({pen.pick("documents", "results"): _documents(pen, "content", "text")}),
    )


def langsmith(pen: Pen) -> Any:
    outputs = pen.blanks("answer", "result", empty=("", None))
    outputs[pen.pick("output", "answer", "result")] = pen.said()
    outputs |= pen.blanks("documents", "context", empty=([], None))
    outputs[pen.pick("source_documents", "documents", "context", "contexts")] = _documents(
        pen, "page_content", "text"
    )
    inputs = {pen.pick("question", "query", "input"): pen.asked()}
    if pen.flip(0.3):  # a run of a graph
        messages = langchain_messages(pen)["messages"]
        if "type" in messages[0] and "content" in messages[0]:
            inputs, outputs = {"messages": messages[:1]}, {"messages": messages}
    elif pen.flip(0.3):  # a call of a model
        message = {"role": "assistant", "content": _blocks(pen, pen.several(pen.said))}
        inputs, outputs = {"messages": _chat(pen)}, {"choices": [{"message": message}]}
    return {"run_type": "chain", "id": "r", "inputs": inputs, "outputs": outputs}


def llamaindex(pen: Pen) -> Any:
    def node() -> JsonObject:
        fact = pen.fact()
        text = pen.pick({"text": fact}, {"text_resource": {"text": fact}, "text": ""})
        return {"node": text | {"metadata": {"file_name": "l.md"}}, "score": 0.5}

    return {"response": pen.said(), "source_nodes": pen.several(node)} | pen.maybe(
        query=pen.asked(), metadata={"1": {"note": pen.aside()}}
    )


def haystack(pen: Pen) -> Any:
    meta = {"meta": {"note": pen.aside()}}

    def document() -> JsonObject:
        return {"content": pen.fact(), "id": "d"} | pen.blanks("blob", "dataframe", empty=(None,))

    row = {"data": pen.said(), "query": pen.asked(), "documents": pen.several(document)} | meta
    if pen.flip(0.3):
        stored = [{"type": "haystack.Document", "init_parameters": d} for d in row["documents"]]
        documents = pen.pick(row["documents"], stored)
        return {
            "type": "haystack.GeneratedAnswer",
            "init_parameters": row | {"documents": documents},
        }
    if pen.flip(0.3):
        return row
    others = pen.several(lambda: {"data": pen.other(), "documents": []}, 0, 1)
    answers = {"answers": [row, *others]}
    return answers if pen.flip() else {"answer_builder": answers}


def phoenix(pen: Pen) -> Any:
    if pen.flip(0.3):
        return {"input": pen.asked(), "output": pen.said(), "reference": pen.fact()}
    documents = [{"document.content": fact} for fact in pen.several(pen.fact)]
    row = {"attributes.input.value": pen.asked(), "attributes.output.value": pen.said()}
    return row | {"attributes.retrieval.documents": pen.as_json(documents), "name": "s"}


def langfuse(pen: Pen) -> Any:
    is_trace = pen.flip()
    asked, said = pen.asked(), pen.said()
    history: list[JsonObject] = [
        {"role": pen.pick("system", "assistant", "user"), "content": pen.aside()},
        {"role": "user", "content": _blocks(pen, [asked])},
    ]
    tools = pen.several(
        lambda: {"role": pen.pick("tool", "function"), "content": _tool_content(pen)}, 0, 2
    )
    inputs = pen.pick(
        asked,
        {"question": asked},
        {"query": asked},
        [*history, *tools],
        {"messages": [*history, *tools]},
    )
    outputs = pen.pick(
        said,
        {"answer": said},
        {"response": said},
        {"role": "assistant", "content": _blocks(pen, [said])},
        {"choices": [{"message": {"content": said}}]},
        [{"role": "assistant", "content": said}],
    )
    row = {"id": "i", "input": pen.as_json(inputs), "output": pen.as_json(outputs)}
    facts = pen.pick(pen.several(pen.fact), _documents(pen, "text", "page_content"))
    row |= {"metadata": {"contexts": facts}}
    times = (
        {"timestamp": "2026-03-02T08:00:00Z"}
        if is_trace
        else {"trace_id": "t", "start_time": "2026-03-02T08:00:00Z", "type": "GENERATION"}
    )
    return row | times


def responses(pen: Pen) -> Any:
    said = [
        {"type": "message", "role": "assistant", "content": parts}
        for parts in pen.several(
            lambda: pen.several(lambda: {"type": "output_text", "text": pen.said()}), 1, 2
        )
    ]
    beside: list[Callable[[], JsonObject]] = [
        lambda: {"type": "reasoning", "summary": [{"type": "summary_text", "text": pen.aside()}]},
        lambda: {"type": "web_search_call", "action": {"query": pen.aside()}},
        lambda: {"type": "function_call", "name": "f", "arguments": pen.aside()},
        lambda: {"type": "file_search_call", "queries": [pen.aside()], "results": None},
        lambda: {"type": "file_search_call", "results": _documents(pen, "text")},
        lambda: {"type": "mcp_call", "arguments": "{}", "output": _tool_content(pen)},
        lambda: {"type": "function_call_output", "output": _tool_content(pen)},
        lambda: {"type": "custom_tool_call_output", "output": _tool_content(pen)},
        lambda: {"type": "shell_call_output", "output": [{"stdout": pen.fact(), "stderr": ""}]},
        lambda: {
            "type": "code_interpreter_call",
            "code": pen.aside(),
            "outputs": [{"type": "logs", "logs": pen.fact()}],
        },
    ]
    calls = pen.several(lambda: pen.make(*beside), 1, 4)
    calls.append({"type": "file_search_call", "results": [{"text": pen.fact(), "file_id": "f"}]})
    return {"id": "r", "object": "response", "output": pen.mixed(calls, said)}


def _source(pen: Pen) -> JsonObject:
    return pen.make(
        lambda: {"type": "document", "source": {"type": "text", "data": pen.fact()}},
        lambda: {"type": "document", "source": {"type": "content", "content": pen.fact()}},
        lambda: {
            "type": "document",
            "source": {"type": "content", "content": [{"type": "text", "text": pen.fact()}]},
        },
        lambda: {
            "type": "search_result",
            "source": "u",
            "title": "t",
            "content": [{"type": "text", "text": fact} for fact in pen.several(pen.fact)],
        },
    )


def _anthropic_said(pen: Pen, *, cites: bool) -> list[JsonObject]:
    def text() -> JsonObject:
        cited = pen.several(lambda: {"type": "char_location", "cited_text": pen.fact()}, 1, 2)
        return {"type": "text", "text": pen.said()} | ({"citations": cited} if cites else {})

    page = {"type": "document", "source": {"type": "text", "data": pen.fact()}}
    beside: list[Callable[[], JsonObject]] = [
        lambda: {"type": "thinking", "thinking": pen.aside()},
        lambda: {"type": "tool_use", "input": {"q": pen.aside()}},
        lambda: {"type": "mcp_tool_result", "content": _tool_content(pen)},
        lambda: {
            "type": "code_execution_tool_result",
            "content": {"type": "code_execution_result", "stdout": pen.fact(), "stderr": ""},
        },
        lambda: {
            "type": "bash_code_execution_tool_result",
            "content": {"type": "bash_code_execution_result", "stdout": pen.fact()},
        },
        lambda: {
            "type": "web_fetch_tool_result",
            "content": {"type": "web_fetch_result", "url": "u", "content": page},
        },
    ]
    return pen.mixed(pen.several(lambda: pen.make(*beside), 0), pen.several(text))


def anthropic(pen: Pen) -> Any:
    response = {"role": "assistant", "stop_reason": "end_turn", "id": "m"}
    if pen.flip(0.4):
        return response | {"content": _anthropic_said(pen, cites=True)}
    asked: list[Any] = [{"type": "text", "text": pen.asked()}]
    asked = pen.mixed(asked, pen.several(lambda: _source(pen)))
    messages: list[JsonObject] = [
        {"role": pen.pick("user", "assistant"), "content": _blocks(pen, [pen.aside()])},
        {"role": "user", "content": pen.pick(asked, asked, pen.asked())},
    ]
    if pen.flip():
        content = pen.make(lambda: _tool_content(pen), lambda: pen.several(lambda: _source(pen)))
        result = {"type": "tool_result", "tool_use_id": "t", "content": content}
        messages.append({"role": "assistant", "content": [{"type": "tool_use", "input": {}}]})
        messages.append({"role": "user", "content": [result]})
    said = response | {"content": _anthropic_said(pen, cites=False)}
    return {"request": {"system": pen.aside(), "messages": messages}, "response": said}


def _chat(pen: Pen) -> list[JsonObject]:
    history: list[JsonObject] = pen.several(
        lambda: {
            "role": pen.pick("system", "developer", "user", "assistant"),
            "content": _blocks(pen, [pen.aside()]),
        },
        0,
    )
    question = {"role": "user", "content": _blocks(pen, pen.several(pen.asked, 1, 2))}
    call = {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "f"}}]}
    results = pen.several(
        lambda: {"role": pen.pick("tool", "function"), "content": _tool_content(pen)}
    )
    return [*history, question, call, *results]


def chat(pen: Pen) -> Any:
    messages = _chat(pen)
    said = {"role": "assistant", "content": _blocks(pen, pen.several(pen.said))}
    others = pen.several(lambda: {"index": 1, "message": {"content": pen.other()}}, 0, 1)
    completion = {"id": "c", "choices": [{"index": 0, "message": said}, *others]}
    return pen.make(
        lambda: {"messages": messages} | completion,
        lambda: {"messages": messages, "response": completion, "id": "l", "startTime": 1772438400},
        lambda: {"request": {"messages": messages}, "response": completion},
        lambda: {"messages": [*messages, said]},
    )


def bedrock(pen: Pen) -> Any:
    def reference() -> JsonObject:
        return {"content": {"text": pen.fact(), "type": "TEXT"}} | pen.maybe(
            location={}, metadata={}
        )

    said = pen.said()
    citations = pen.several(
        lambda: {
            "generatedResponsePart": {"textResponsePart": {"text": said}},
            "retrievedReferences": pen.several(reference, 0),
        }
    )
    picture = {"content": {"type": "IMAGE", "byteContent": pen.aside()}}
    citations.append({"retrievedReferences": pen.mixed([reference()], [picture])})
    row = {"input": {"text": pen.asked()}, "output": {"text": said}, "citations": citations}
    return row | pen.maybe(sessionId="s")
