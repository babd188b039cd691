"""discoveryengine.answer_query: the response of answerQuery."""

from schemas.wire import discovery_engine as wire
from schemas.wire.wire_type import read_wire
from transforms.formats.discovery_engine import is_answer, read_response
from transforms.formats.reading import Format, Reading, Request


def _recognises(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("answer"), dict):
        return False
    return is_answer(value["answer"]) or "answerQueryToken" in value


def _read(request: Request) -> Reading:
    response = read_wire(request.value, wire.AnswerQueryResponse)
    return read_response(response, request, FORMAT.name)


FORMAT = Format(
    name="discoveryengine.answer_query",
    shape=dict,
    fields=frozenset({"answer"}),
    wire_of=lambda _: wire.AnswerQueryResponse,
    recognises=_recognises,
    read=_read,
    is_chunk=True,
)
