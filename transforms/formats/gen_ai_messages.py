"""opentelemetry.gen_ai: the messages of a model in a span, an event or a log record.

The answer is the last message of the model, the facts are what tools and retrievals returned.
"""

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.verdict import Tag
from groundwatch.schemas.wire import gen_ai_messages as wire
from groundwatch.schemas.wire.wire_type import read_wire, wire_fields
from .fact_collection import FactCollection, first_text, render_value
from .field_values import true_tags
from .finish_reasons import ERROR, read_end
from .format import Format, Reading, Request
from .text_parts import TOOLS, join_parts, start_of_final


def _read(request: Request) -> Reading:
    record = read_wire(request.value, wire.GenAiRecord)
    facts = FactCollection()
    for message in record.input_messages + record.output_messages:
        for part in message.parts:
            for returned in (part.result, part.response, part.server_tool_call_response):
                facts.add_returned(returned)
            if part.type_.endswith("tool_call_response"):
                facts.add_returned(part.content)
        if message.role in TOOLS:
            facts.add_returned(_text(message))
    facts.add_returned(record.retrieval_documents)
    outputs = [message for message in record.output_messages if message.role not in TOOLS]
    said = [message for message in outputs if _text(message).strip()]
    last = next(reversed(said or outputs), None)
    reasons = [last.finish_reason] if last and last.finish_reason else record.finish_reasons[-1:]
    text = _text(last) if last else ""
    asked = (_text(each) for each in reversed(record.input_messages) if each.role == "user")
    has_failed = bool(record.error_type) and not text
    errors = [ERROR] if record.error_type else []
    end = read_end(("stop", *reasons, *errors) if last or errors else ())
    answer = Answer(
        message=request.message,
        query=next(filter(None, asked), None),
        answer_text=text,
        state="FAILED" if has_failed else end.state,
        error_status=record.error_type if has_failed else None,
        finish_reason=end.finish_reason,
        facts=facts.all(),
        tags=true_tags({Tag.MULTIPLE_CANDIDATES: len(said) > 1}),
    )
    return answer, request.message.attributes.get("response_id", "")


def _prompt(value: object) -> tuple[list[str], str]:
    record = read_wire(value, wire.GenAiRecord)
    messages = {
        f"$.inputMessages[{number}].parts[0].content": _text(message)
        for number, message in enumerate(record.input_messages)
        if message.role not in ("assistant", *TOOLS)
    }
    texts = messages | {"$.systemInstructions": render_value(record.system_instructions)}
    return list(texts.values()), max(texts, key=lambda path: len(texts[path]))


def _text(message: wire.GenAiMessage) -> str:
    texts = [
        (part.content if isinstance(part.content, str) else "") if part.type_ == "text" else None
        for part in message.parts
    ]
    first = start_of_final(texts, [part.type_ for part in message.parts])
    return first_text(
        join_parts(texts[first:]), message.content if isinstance(message.content, str) else ""
    )


GEN_AI = Format(
    name="opentelemetry.gen_ai",
    fields=frozenset(wire_fields(wire.GenAiRecord)),
    wire_of=lambda _: wire.GenAiRecord,
    detects=lambda fields: isinstance(fields.get("outputMessages"), list),
    read=_read,
    prompt=_prompt,
    ids_may_repeat=True,
)
