"""discoveryengine.user_activity: Gemini Enterprise's log of questions and answers.

An entry holds the request and the response of a method of the assistant or of search.
Source: https://docs.cloud.google.com/gemini/enterprise/docs/set-up-usage-audit-logs
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire import assistant as wire
from groundwatch.schemas.wire.json_input import has_any
from groundwatch.schemas.wire.wire_type import Wire, read_wire
from . import assist_answers, discovery_engine_answers, discovery_engine_methods
from .field_values import engine_id, first_time
from .format import Format, Reading, Request

_ELIDED, _ELIDED_TEXT = "ELIDED", "<elided>"
_RESPONSES: tuple[tuple[Format, type[Wire]], ...] = (
    (assist_answers.STREAM_ASSIST, wire.AssistActivity),
    (assist_answers.ASSIST_ANSWER, wire.AssistActivity),
    (discovery_engine_methods.GROUNDED_CONTENT, wire.GroundedActivity),
    (discovery_engine_answers.STREAM_ANSWER, wire.SearchActivity),
    (discovery_engine_answers.ANSWER_QUERY, wire.SearchActivity),
)


def _read(request: Request) -> Reading:
    fields: Any = _without_elided(request.value)
    entry = read_wire(fields, wire.Activity)
    found, _ = _find_response(fields.get("response"))
    if found is None and fields == request.value and not entry.service_text_reply:
        raise UnreadableAnswer(
            "The entry of the user activity log holds no answer: let only the methods StreamAssist,"
            " Assist, AnswerQuery and GenerateGroundedContent pass the sink's filter."
        )
    answer, token = (found or assist_answers.ASSIST_ANSWER).read(
        replace(request, value=fields.get("response", {}))
    )
    time_us, time_tags = first_time(entry.log_metadata.timestamp)
    text = answer.answer_text if answer.answer_text.strip() else _service_reply(fields)
    is_elided = fields != request.value and not (text and answer.facts)
    answer = replace(
        answer,
        answer_text=text,
        skip_reasons=(*answer.skip_reasons, _ELIDED) if is_elided else answer.skip_reasons,
        query=_query(entry.request) or answer.query,
        engine=answer.engine or engine_id(entry.log_metadata.name, entry.request.name),
        event_time_us=time_us if answer.event_time_us is None else answer.event_time_us,
        tags=answer.tags + time_tags,
    )
    return answer, token


def _service_reply(fields: Mapping[str, Any]) -> str:
    """Return the text beside the answer, in the entry or in its response."""
    places = (fields, fields.get("response"))
    found = (place.get("serviceTextReply") for place in places if isinstance(place, dict))
    return next((text for text in found if isinstance(text, str)), "")


def _without_elided(value: Any) -> Any:
    """Remove the fields and items that the log leaves out without sensitive logging."""
    if isinstance(value, list):
        return [_without_elided(item) for item in value if item != _ELIDED_TEXT]
    if not isinstance(value, dict):
        return value
    kept = {name: field for name, field in value.items() if field != _ELIDED_TEXT}
    return {name: _without_elided(field) for name, field in kept.items()}


def _find_response(response: object) -> tuple[Format | None, type[Wire]]:
    found = (each for each in _RESPONSES if each[0].matches(response))
    return next(found, (None, wire.AssistActivity))


def _query(asked: wire.ActivityRequest) -> str | None:
    if isinstance(asked.query, str):
        return asked.query or None
    parts = "".join(part.text for part in asked.query.parts if part)
    return asked.query.text or parts or None


def _is_activity(fields: Mapping[str, object]) -> bool:
    if "logMetadata" in fields:
        return "response" in fields or "serviceTextReply" in fields
    is_asked = has_any(fields.get("request"), {"query"})
    return is_asked and _find_response(fields.get("response"))[0] is not None


def _wire_of(fields: Mapping[str, object]) -> type[Wire]:
    response = fields.get("response")
    _, found = _find_response(response)
    is_bare = found is wire.AssistActivity and assist_answers.is_assist_answer(response)
    return wire.BareActivity if is_bare else found


USER_ACTIVITY = Format(
    name="discoveryengine.user_activity",
    fields=frozenset({"logMetadata", "response"}),
    wire_of=_wire_of,
    detects=_is_activity,
    read=_read,
)
