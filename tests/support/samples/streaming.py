"""Messages of Discovery Engine's streamAnswer: one JSON array of chunks an answer."""

from itertools import pairwise

from tests.support.samples.citing import sentences
from tests.support.samples.discovery import answer, session
from tests.support.samples.discovery_shapes import ANSWER_QUERY_RESPONSE
from tests.support.samples.events import Event
from tests.support.samples.messages import Edit, Json, as_it_was
from tests.support.samples.serialisations import REST, styled, to_line

_UNAVAILABLE: Json = {
    "error": {"code": 503, "message": "The service is unavailable.", "status": "UNAVAILABLE"}
}


def complete(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write a stream that ends with the full answer."""
    return to_line([*_deltas(event), _last(event, edit)])


def only_deltas(event: Event) -> bytes:
    """Write a stream that was cut before the full answer came."""
    return to_line(_deltas(event))


def interrupted(event: Event) -> bytes:
    """Write a stream that an error ended before the full answer came."""
    return to_line([*_deltas(event), _UNAVAILABLE])


def broken_after_the_answer(event: Event) -> bytes:
    """Write a stream that an error ended when the full answer was already there."""
    return to_line([*_deltas(event), _last(event, as_it_was), _UNAVAILABLE])


def _deltas(event: Event) -> list[Json]:
    text = event.conversation.answer.encode()
    starts = [span.start for span in sentences(event.conversation.answer)][1:]
    cuts = [0, *starts, len(text)]
    return [
        _chunk({"state": "STREAMING", "answerText": text[start:end].decode()})
        for start, end in pairwise(cuts)
    ]


def _last(event: Event, edit: Edit) -> Json:
    full = answer(event)
    edit(full)
    return _chunk(full) | {"answerQueryToken": event.token} | _session(event)


def _session(event: Event) -> Json:
    return styled({"session": session(event)}, ANSWER_QUERY_RESPONSE, REST)


def _chunk(content: Json) -> Json:
    return styled({"answer": content}, ANSWER_QUERY_RESPONSE, REST)
