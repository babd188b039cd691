"""opentelemetry.gen_ai: the messages of a model in a span, an event or a log record.

The answer is the last message of the model, the facts are what tools and retrievals returned.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from schemas.answer import Answer
from schemas.wire import gen_ai_messages as wire
from schemas.wire.json_input import read_embedded
from schemas.wire.wire_type import read_wire, wire_fields
from transforms.formats.fact_collection import FactCollection, render_value
from transforms.formats.format import Format, Reading, Request

# Gemini's names lead to the same verdicts.
_FINISH_REASONS = {
    "": "STOP",
    "content_filter": "SAFETY",
    "end_turn": "STOP",
    "length": "MAX_TOKENS",
    "max_tokens": "MAX_TOKENS",
    "stop": "STOP",
    "tool_call": "STOP",
    "tool_calls": "STOP",
}
_TEXT_FIELDS = ("content", "text", "page_content", "pageContent")


def _read(request: Request) -> Reading:
    record = read_wire(request.value, wire.GenAiRecord)
    facts = FactCollection()
    for part in (part for message in record.input_messages for part in message.parts):
        if part.type_.endswith("tool_call_response"):
            _add(facts, part.response if part.result is None else part.result)
    _add(facts, record.retrieval_documents)
    outputs = [message for message in record.output_messages if message.role != "tool"]
    last = next((message for message in reversed(outputs) if _text(message)), None)
    last = last or (outputs[-1] if outputs else None)
    finish_reason = last.finish_reason if last else ""
    text = _text(last) if last else ""
    has_failed = bool(record.error_type) and not text
    answer = Answer(
        message=request.message,
        query=next(_texts_of("user", reversed(record.input_messages)), None),
        answer_text=text,
        state="FAILED" if has_failed else None,
        error_status=record.error_type if has_failed else None,
        finish_reason=_FINISH_REASONS.get(finish_reason, finish_reason.upper()) if last else None,
        facts=facts.all(),
    )
    return answer, request.message.attributes.get("response_id", "")


def _prompt(value: object) -> tuple[list[str], str]:
    record = read_wire(value, wire.GenAiRecord)
    texts = [*_texts_of("user", record.input_messages), render_value(record.system_instructions)]
    return texts, "$.inputMessages[-1].parts[0].content"


def _text(message: wire.GenAiMessage) -> str:
    parts = [part.content for part in message.parts if part.type_ == "text"]
    return "".join(text for text in parts or [message.content] if isinstance(text, str))


def _texts_of(role: str, messages: Iterable[wire.GenAiMessage]) -> Iterator[str]:
    return (text for message in messages if message.role == role and (text := _text(message)))


def _add(facts: FactCollection, returned: Any) -> None:
    """Add what a tool returned: texts, or objects with a text, or any other object as a whole."""
    returned = read_embedded(returned)
    if isinstance(returned, dict) and isinstance(returned.get("documents"), list):
        returned = returned["documents"]
    for document in returned if isinstance(returned, list) else [returned]:
        fields = document if isinstance(document, dict) else {}
        text = next((fields[name] for name in _TEXT_FIELDS if fields.get(name)), document)
        facts.add(
            render_value(text),
            uri=render_value(fields.get("uri")),
            title=render_value(fields.get("title")),
            document=render_value(fields.get("id")),
        )


GEN_AI = Format(
    name="opentelemetry.gen_ai",
    fields=frozenset(wire_fields(wire.GenAiRecord)),
    wire_of=lambda _: wire.GenAiRecord,
    detects=lambda fields: isinstance(fields.get("outputMessages"), list),
    read=_read,
    prompt=_prompt,
)
