"""gemini.generate_answer: {request, response} of generateAnswer, or the bare response."""

import msgspec

from schemas.wire import gemini as wire
from schemas.wire.enums import GEMINI_ENUMS
from schemas.wire.wire_type import read_wire, wire_fields
from transforms.formats.discovery_engine import is_answer
from transforms.formats.gemini import is_candidate, read_candidate
from transforms.formats.reading import Format, Reading, Request
from transforms.formats.scores import proportion

_OWN_FIELDS = frozenset({"answerableProbability", "inputFeedback"})
_OWN_REQUEST_FIELDS = frozenset({"answerStyle", "inlinePassages", "semanticRetriever"})


def _recognises(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("response"), dict):
        return _is_request(value.get("request")) or _is_response(value["response"])
    return _is_response(value)


def _is_request(value: object) -> bool:
    return isinstance(value, dict) and not _OWN_REQUEST_FIELDS.isdisjoint(value)


def _is_response(value: dict[str, object]) -> bool:
    answer = value.get("answer")
    if answer is None:
        return not _OWN_FIELDS.isdisjoint(value)
    if not isinstance(answer, dict) or is_answer(answer):
        return False
    return is_candidate(answer) or not _OWN_FIELDS.isdisjoint(value)


def _read(request: Request) -> Reading:
    exchange = _read_exchange(request.value)
    response = exchange.response
    reading = read_candidate(
        response.answer,
        request,
        FORMAT.name,
        names=GEMINI_ENUMS,
        asked=exchange.request,
        feedback=response.input_feedback,
    )
    answer = msgspec.structs.replace(
        reading.answer, answerable_probability=proportion(response.answerable_probability)
    )
    return Reading(answer=answer)


def _read_exchange(value: object) -> wire.GenerateAnswerExchange:
    if isinstance(value, dict) and "response" in value:
        return read_wire(value, wire.GenerateAnswerExchange)
    response = read_wire(value, wire.GenerateAnswerResponse)
    return wire.GenerateAnswerExchange(response=response)


FORMAT = Format(
    name="gemini.generate_answer",
    shape=dict,
    fields=frozenset(wire_fields(wire.GenerateAnswerResponse)) | {"response"},
    wire_of=lambda fields: (
        wire.GenerateAnswerExchange if "response" in fields else wire.GenerateAnswerResponse
    ),
    recognises=_recognises,
    read=_read,
)
