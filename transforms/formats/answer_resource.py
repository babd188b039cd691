"""discoveryengine.answer: an answer resource, by itself or wrapped as {"query", "answer"}."""

from collections.abc import Mapping

from schemas.wire import discovery_engine as wire
from schemas.wire.wire_type import read_wire, wire_fields
from transforms.formats.discovery_engine import is_answer, read_response
from transforms.formats.reading import Format, Reading, Request


def _recognises(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    if not _is_wrapped(value):
        return is_answer(value)
    is_response = "answerQueryToken" in value or "session" in value
    return "query" in value and is_answer(value["answer"]) and not is_response


def _is_wrapped(fields: Mapping[str, object]) -> bool:
    return isinstance(fields.get("answer"), dict)


def _read(request: Request) -> Reading:
    if isinstance(request.value, dict) and _is_wrapped(request.value):
        response = read_wire(request.value, wire.AnswerQueryResponse)
    else:
        response = wire.AnswerQueryResponse(answer=read_wire(request.value, wire.Answer))
    return read_response(response, request, FORMAT.name)


FORMAT = Format(
    name="discoveryengine.answer",
    shape=dict,
    fields=frozenset(wire_fields(wire.Answer)) | {"answer"},
    wire_of=lambda fields: wire.AnswerQueryResponse if _is_wrapped(fields) else wire.Answer,
    recognises=_recognises,
    read=_read,
    is_chunk=True,
)
