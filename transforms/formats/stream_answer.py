"""discoveryengine.stream_answer: the array that streamAnswer returns over REST."""

from collections.abc import Mapping, Sequence

import msgspec

from schemas.message import UnreadableAnswer
from schemas.verdict import Tag
from schemas.wire import discovery_engine as wire
from schemas.wire import enums
from schemas.wire.wire_type import Wire, read_wire, wire_fields
from transforms.formats.discovery_engine import is_answer, read_response
from transforms.formats.reading import Format, Reading, Request

_UNFINISHED = {"IN_PROGRESS", "STREAMING"}
_NO_ANSWER = wire.Answer()
_NO_SESSION = wire.Session()


def _recognises(value: object) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(element, dict) for element in value)
        and any(_is_chunk(element) for element in value)
    )


def _is_chunk(element: dict[str, object]) -> bool:
    return (
        is_answer(element)
        or is_answer(element.get("answer"))
        or isinstance(element.get("error"), dict)
    )


def _read(request: Request) -> Reading:
    if not isinstance(request.value, list):
        raise UnreadableAnswer("A streamed answer must be an array.")
    elements = [_read_element(element) for element in request.value]
    answers = [element.answer for element in elements]
    chosen = _last_full(answers)
    response = _joined(elements, _deltas(answers) if chosen is None else answers[chosen])
    reading = read_response(response, request, FORMAT.name)
    return _with_error(
        reading, elements[0 if chosen is None else chosen :], full=chosen is not None
    )


def _read_element(element: object) -> wire.StreamElement:
    if isinstance(element, dict) and _wire_of(element) is wire.Answer:
        return wire.StreamElement(answer=read_wire(element, wire.Answer))
    return read_wire(element, wire.StreamElement)


def _wire_of(element: Mapping[str, object]) -> type[Wire]:
    has_answer = isinstance(element.get("answer"), dict)
    return wire.Answer if not has_answer and is_answer(element) else wire.StreamElement


def _state(answer: wire.Answer) -> str | None:
    return enums.enum_name(answer.state, enums.ANSWER_STATES)


def _last_full(answers: Sequence[wire.Answer]) -> int | None:
    """The index of the last answer that is finished, rather one that has not failed."""
    full = [
        index
        for index, answer in enumerate(answers)
        if answer != _NO_ANSWER and _state(answer) not in _UNFINISHED
    ]
    good = [index for index in full if _state(answers[index]) != "FAILED"]
    return max(good or full, default=None)


def _deltas(answers: Sequence[wire.Answer]) -> wire.Answer:
    """The deltas of an answer that never came whole, joined in its place."""
    deltas = [answer for answer in answers if answer != _NO_ANSWER]
    if not deltas:
        return _NO_ANSWER
    return msgspec.structs.replace(
        deltas[-1],
        name=next((delta.name for delta in deltas if delta.name.strip()), ""),
        answer_text="".join(delta.answer_text for delta in deltas),
        references=tuple(reference for delta in deltas for reference in delta.references),
    )


def _joined(
    elements: Sequence[wire.StreamElement], answer: wire.Answer
) -> wire.AnswerQueryResponse:
    """A response around the answer, with the session and token of whichever element has them."""
    sessions = [element.session for element in elements if element.session != _NO_SESSION]
    tokens = [token for element in elements if (token := element.answer_query_token).strip()]
    return wire.AnswerQueryResponse(
        answer=answer,
        session=sessions[-1] if sessions else _NO_SESSION,
        answer_query_token=tokens[-1] if tokens else "",
    )


def _with_error(reading: Reading, elements: Sequence[wire.StreamElement], *, full: bool) -> Reading:
    """Note an error after the answer; without a full answer, an error last is a failure."""
    if not any(element.error for element in elements):
        return reading
    answer = msgspec.structs.replace(reading.answer, tags=(*reading.answer.tags, Tag.STREAM_ERROR))
    last = [element for element in elements if element.error or element.answer != _NO_ANSWER][-1]
    if last.error and not full:
        status = last.error.status or str(last.error.code) or "UNKNOWN"
        answer = msgspec.structs.replace(answer, state="FAILED", error_status=status)
    return msgspec.structs.replace(reading, answer=answer)


FORMAT = Format(
    name="discoveryengine.stream_answer",
    shape=list,
    fields=frozenset(wire_fields(wire.Answer)) | {"answer", "error"},
    wire_of=_wire_of,
    recognises=_recognises,
    read=_read,
)
