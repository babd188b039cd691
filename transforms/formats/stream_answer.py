"""discoveryengine.stream_answer: the array that streamAnswer returns over REST."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from schemas.answer import Answer
from schemas.message import UnreadableAnswer
from schemas.verdict import Tag
from schemas.wire import discovery_engine as wire
from schemas.wire.wire_type import Wire, read_wire, wire_fields
from transforms.formats.discovery_engine_answers import (
    is_answer,
    is_unfinished,
    read_response,
    state_name,
)
from transforms.formats.format import Format, Reading, Request

_NO_ANSWER = wire.WireAnswer()
_NO_SESSION = wire.Session()


def _is_stream(elements: list[object]) -> bool:
    chunks = [element for element in elements if isinstance(element, dict)]
    return len(chunks) == len(elements) and any(
        is_answer(chunk) or is_answer(chunk.get("answer")) or isinstance(chunk.get("error"), dict)
        for chunk in chunks
    )


def _read(request: Request) -> Reading:
    if not isinstance(request.value, list):
        raise UnreadableAnswer("A streamed answer must be an array.")
    elements = [_read_element(element) for element in request.value]
    answers = [element.answer for element in elements]
    chosen = _last_full(answers)
    answer = _join_deltas(answers) if chosen is None else answers[chosen]
    sessions = [element.session for element in elements if element.session != _NO_SESSION]
    tokens = [token for element in elements if (token := element.answer_query_token).strip()]
    response = wire.AnswerQueryResponse(
        answer=answer,
        session=sessions[-1] if sessions else _NO_SESSION,
        answer_query_token=tokens[-1] if tokens else "",
    )
    read, token = read_response(response, request, FORMAT.name)
    return _with_error(read, elements[chosen or 0 :], is_full=chosen is not None), token


def _read_element(element: object) -> wire.StreamElement:
    if isinstance(element, dict) and _wire_of(element) is wire.WireAnswer:
        return wire.StreamElement(answer=read_wire(element, wire.WireAnswer))
    return read_wire(element, wire.StreamElement)


def _wire_of(element: Mapping[str, object]) -> type[Wire]:
    has_answer = isinstance(element.get("answer"), dict)
    return wire.WireAnswer if not has_answer and is_answer(element) else wire.StreamElement


def _last_full(answers: Sequence[wire.WireAnswer]) -> int | None:
    """Return the index of the last finished answer that has not failed, else of the last failed."""
    full = [
        index
        for index, answer in enumerate(answers)
        if answer != _NO_ANSWER and not is_unfinished(answer.state)
    ]
    good = [index for index in full if state_name(answers[index].state) != "FAILED"]
    return max(good or full, default=None)


def _join_deltas(answers: Sequence[wire.WireAnswer]) -> wire.WireAnswer:
    """Join the deltas of an answer that has no finished element."""
    deltas = [answer for answer in answers if answer != _NO_ANSWER]
    if not deltas:
        return _NO_ANSWER
    return replace(
        deltas[-1],
        name=next((delta.name for delta in deltas if delta.name.strip()), ""),
        answer_text="".join(delta.answer_text for delta in deltas),
        references=tuple(reference for delta in deltas for reference in delta.references),
    )


def _with_error(answer: Answer, elements: Sequence[wire.StreamElement], *, is_full: bool) -> Answer:
    """Tag an error after the answer; the answer has failed if it ends with one and is not full."""
    if not any(element.error for element in elements):
        return answer
    answer = replace(answer, tags=(*answer.tags, Tag.STREAM_ERROR))
    last = [element for element in elements if element.error or element.answer != _NO_ANSWER][-1]
    if last.error and not is_full:
        status = last.error.status or str(last.error.code) or "UNKNOWN"
        return replace(answer, state="FAILED", error_status=status)
    return answer


FORMAT = Format(
    name="discoveryengine.stream_answer",
    fields=frozenset(wire_fields(wire.WireAnswer)) | {"answer", "error"},
    wire_of=_wire_of,
    detects=_is_stream,
    read=_read,
    is_array=True,
)
