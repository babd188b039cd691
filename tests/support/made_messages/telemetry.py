"""Make spans and log records of OpenTelemetry, with its GenAI attributes or OpenInference's."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.support.made_messages.pen import JsonObject, Pen

_OUT, _IN = "gen_ai.output.messages", "gen_ai.input.messages"


def _text_part(text: str) -> JsonObject:
    return {"type": "text", "content": text}


def _returned(pen: Pen) -> Any:
    return pen.make(
        pen.fact,
        lambda: {"documents": pen.several(lambda: pen.document("content", "text"))},
        lambda: {pen.pick("result", "output", "content"): pen.fact()} | {"documents": []},
        lambda: pen.several(lambda: pen.document("content", "page_content", "snippet")),
        lambda: json.dumps([{"text": pen.fact()}]),
        lambda: {"lamp": {"text": pen.fact(), "price": 3}},
    )


def _tool_part(pen: Pen) -> JsonObject:
    name = pen.pick("response", "response", "result")
    kind = pen.pick("tool_call_response", "server_tool_call_response")
    if kind.startswith("server"):
        name = "server_tool_call_response"
    empty = pen.blanks("response", "result", empty=("", None))
    return {"type": kind, "id": "c"} | empty | {name: _returned(pen)}


def _tool(pen: Pen) -> JsonObject:
    return pen.make(
        lambda: {"role": "tool", "parts": pen.several(lambda: _tool_part(pen), 1, 2)},
        lambda: {"role": "user", "parts": [_tool_part(pen)]},
        lambda: {"role": "tool", "parts": [_text_part(pen.fact())]},
        lambda: {"role": pen.pick("tool", "function"), "content": pen.fact()},
    )


def _message(pen: Pen, role: str, text: str) -> JsonObject:
    if pen.flip(0.2):
        return {"role": role, "content": text} | pen.blanks("parts", empty=([], None))
    beside = {"type": pen.pick("reasoning", "blob", "x"), "content": pen.aside()}
    call = {"type": "tool_call", "name": "f", "arguments": {"q": pen.aside()}}
    parts = pen.mixed([_text_part(text)], pen.several(lambda: pen.pick(beside, call), 0, 2))
    return {"role": role, "parts": parts, **pen.blanks("content")}


def _asked(pen: Pen) -> list[JsonObject]:
    earlier = pen.several(
        lambda: _message(pen, pen.pick("user", "system", "assistant"), pen.aside()), 0
    )
    return [*earlier, _message(pen, "user", pen.asked()), *pen.several(lambda: _tool(pen), 0, 2)]


def _attributes(pen: Pen) -> JsonObject:
    said = _message(pen, "assistant", pen.said()) | {"finish_reason": "stop"}
    others = pen.several(lambda: _message(pen, "assistant", pen.other()), 0, 1)
    inputs, outputs = _asked(pen), [*pen.several(lambda: _tool(pen), 0, 1), *others, said]
    documents = pen.several(lambda: pen.document("content", "text"))
    fields = {_IN: inputs, _OUT: outputs, "gen_ai.retrieval.documents": documents}
    system = pen.maybe(**{"gen_ai.system_instructions": [_text_part(pen.aside())]})
    return {name: pen.as_json(field) for name, field in (fields | system).items()}


def gen_ai(pen: Pen) -> Any:
    fields = _attributes(pen) | pen.maybe(
        **{"gen_ai.tool.call.result": pen.as_json(_returned(pen))}
    )
    if pen.flip(0.3):
        fields = {name.replace(".", "_"): field for name, field in fields.items()}
    span = {"name": "chat", "context": {"trace_id": "0x1", "span_id": "0x2"}, "events": []}
    kept = {name: field for name, field in fields.items() if pen.flip()}
    moved = {name: field for name, field in fields.items() if name not in kept}
    events = [{"name": "e", "attributes": {name: moved[name]}} for name in moved]
    return pen.pick(
        fields, span | {"attributes": fields}, span | {"attributes": kept, "events": events}
    )


def _any_value(value: Any) -> JsonObject:
    if isinstance(value, Mapping):
        return {"kvlistValue": {"values": _pairs(value)}}
    if isinstance(value, list):
        return {"arrayValue": {"values": list(map(_any_value, value))}}
    return {"stringValue": value} if isinstance(value, str) else {"intValue": str(value)}


def _pairs(fields: Mapping[str, Any]) -> list[JsonObject]:
    kept = {name: field for name, field in fields.items() if field is not None}
    return [{"key": name, "value": _any_value(field)} for name, field in kept.items()]


def _span(number: int, parent: int, fields: Mapping[str, Any], **others: Any) -> JsonObject:
    ids = {"traceId": "1" * 32, "spanId": f"{number:016x}", "parentSpanId": f"{parent:016x}"}
    times = {"startTimeUnixNano": f"{10**18 + number}", "endTimeUnixNano": f"{10**18 + 999}"}
    return ids | times | {"attributes": _pairs(fields)} | others


def _batch(pen: Pen, spans: Iterable[JsonObject]) -> Any:
    first, second = pen.cut(pen.shuffled(spans))
    scopes = [{"scope": {"name": "s"}, "spans": each} for each in (first, second)]
    if pen.flip():
        return {"resourceSpans": [{"scopeSpans": scopes}]}
    return {"resourceSpans": [{"scopeSpans": [each]} for each in scopes]}


def otlp(pen: Pen) -> Any:
    fields = _attributes(pen)
    spans = [_span(1, 0, {"gen_ai.operation.name": "invoke_agent"})]
    moved = pen.flip()
    kept = {name: field for name, field in fields.items() if pen.flip() and moved and name != _OUT}
    event = {"name": "e", "attributes": _pairs({n: f for n, f in fields.items() if n not in kept})}
    spans.append(_span(9, 1, kept, events=[event]) if moved else _span(9, 1, fields))
    result = {"gen_ai.tool.call.result": pen.make(pen.fact, lambda: json.dumps(_returned(pen)))}
    found = {"gen_ai.retrieval.documents": json.dumps([pen.document("content", "text")])}
    for number in range(2, pen.pick(2, 3, 4)):
        spans.append(_span(number, 1, pen.pick(result, found)))
        result = {"gen_ai.tool.call.result": pen.fact()}
        found = {"gen_ai.retrieval.documents": [{"content": pen.fact()}]}
    return _batch(pen, spans)


def otlp_logs(pen: Pen) -> Any:
    records = []
    for number in range(2):
        pen.answer = number
        fields = _attributes(pen)
        body = pen.flip()
        record = {"body": _any_value(fields)} if body else {"attributes": _pairs(fields)}
        records.append(record | {"spanId": f"{number + 1:016x}"})
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}


def _numbered(prefix: str, items: Iterable[Mapping[str, Any]]) -> JsonObject:
    return {
        f"{prefix}.{number}.{name}": field
        for number, item in enumerate(items)
        for name, field in item.items()
        if field is not None
    }


def _inference_message(pen: Pen, role: str, text: str) -> JsonObject:
    contents = {
        "message.contents.0.message_content.type": "text",
        "message.contents.0.message_content.text": text,
    }
    written = contents if pen.flip(0.3) else {"message.content": text}
    return {"message.role": role} | written


def _inference_documents(pen: Pen, prefix: str) -> JsonObject:
    return _numbered(
        prefix,
        pen.several(
            lambda: (
                {"document.content": pen.fact()}
                | pen.maybe(**{"document.id": "d", "document.metadata": '{"source": "l.md"}'})
            )
        ),
    )


def _model_span(pen: Pen, said: str, asked: str) -> JsonObject:
    inputs = [
        *pen.several(lambda: _inference_message(pen, "user", pen.aside()), 0, 1),
        _inference_message(pen, "system", pen.aside()),
        _inference_message(pen, "user", asked),
        *pen.several(lambda: _inference_message(pen, "tool", pen.fact()), 0, 2),
    ]
    return {
        "openinference.span.kind": "LLM",
        "output.value": pen.pick(said, json.dumps({"choices": [{"message": {"content": said}}]})),
        **_numbered("llm.input_messages", inputs),
        **_numbered("llm.output_messages", [_inference_message(pen, "assistant", said)]),
    }


def open_inference(pen: Pen) -> Any:
    said, asked = pen.said(), pen.asked()
    model = _model_span(pen, said, asked)
    if pen.flip(0.3):
        return {
            "name": "llm",
            "attributes": model | _inference_documents(pen, "retrieval.documents"),
        }
    spans = [_span(9, 1, model)]
    if pen.flip():
        output = pen.pick(said, json.dumps({"answer": said}), json.dumps({"lamps": pen.aside()}))
        chain = {"openinference.span.kind": "CHAIN", "output.value": output, "input.value": asked}
        spans.append(_span(1, 0, chain))
    found = _inference_documents(pen, "retrieval.documents")
    spans.append(_span(2, 1, {"openinference.span.kind": "RETRIEVER"} | found))
    if pen.flip():
        reranked = _inference_documents(pen, "reranker.output_documents")
        spans.append(_span(3, 1, {"openinference.span.kind": "RERANKER"} | reranked))
    if pen.flip():
        tool = {"openinference.span.kind": "TOOL", "output.value": pen.fact()}
        spans.append(_span(4, 1, tool))
    return _batch(pen, spans)
