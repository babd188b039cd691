"""discoveryengine.answer: an answer resource, bare or wrapped as {"query", "answer"}."""

from schemas.wire import discovery_engine as wire
from schemas.wire.tolerance import read_wire, wire_members
from transforms.formats.discovery_engine import is_answer, read_response
from transforms.formats.reading import Format, Reading, Request


def _recognises(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    if not isinstance(value.get("answer"), dict):
        return is_answer(value)
    is_response = "answerQueryToken" in value or "session" in value
    return "query" in value and is_answer(value["answer"]) and not is_response


def _read(request: Request) -> Reading:
    if isinstance(request.value, dict) and isinstance(request.value.get("answer"), dict):
        response = read_wire(request.value, wire.AnswerQueryResponse)
    else:
        response = wire.AnswerQueryResponse(answer=read_wire(request.value, wire.Answer))
    return read_response(response, request, FORMAT.name)


FORMAT = Format(
    name="discoveryengine.answer",
    shape=dict,
    members=wire_members(wire.Answer) | {"answer"},
    recognises=_recognises,
    read=_read,
)
