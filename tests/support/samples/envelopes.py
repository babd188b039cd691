"""Messages in groundwatch's own envelope, for a chatbot of any other make."""

from tests.support.samples.events import Event, timestamp
from tests.support.samples.messages import Edit, Json, as_it_was
from tests.support.samples.serialisations import to_line

ENGINE = "help-voice"  # the telephone line is the one chatbot of another make


def _envelope(event: Event) -> Json:
    return {
        "id": f"voice-{event.number:06d}",
        "time": timestamp(event.answered_at),
        "engine": ENGINE,
        "session": f"call-{event.session:04d}",
        "query": event.conversation.question,
        "answer": event.conversation.answer,
        "facts": [
            {
                "text": text,
                "uri": article.uri,
                "title": article.title,
                "attributes": {"author": "Quillow help centre"},
            }
            for article, text in event.conversation.passages
        ],
    }


def full(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write an envelope with all its fields."""
    message = _envelope(event)
    edit(message)
    return to_line(message)


def plain(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write an envelope whose facts are strings and which has no id."""
    message = _envelope(event)
    del message["id"]
    message["facts"] = [text for _, text in event.conversation.passages]
    edit(message)
    return to_line(message)


def logged(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write an envelope as the payload of a log entry, as a sink of Cloud Logging delivers it."""
    message = _envelope(event)
    edit(message)
    moment = timestamp(event.answered_at)
    entry = {
        "insertId": f"voice{event.number:06d}",
        "logName": "projects/quillow-help/logs/voice-answers",
        "resource": {"type": "global", "labels": {"project_id": "quillow-help"}},
        "timestamp": moment,
        "receiveTimestamp": moment,
        "severity": "INFO",
        "trace": f"projects/quillow-help/traces/{event.number:032x}",
        "spanId": f"{event.session:016x}",
        "jsonPayload": message,
    }
    return to_line(entry)


def traced(event: Event, edit: Edit = as_it_was) -> bytes:
    """Write the trace of a tool, which a preset reads."""
    message = {
        "id": f"trace-{event.number:06d}",
        "timestamp": timestamp(event.answered_at),
        "name": ENGINE,
        "sessionId": f"call-{event.session:04d}",
        "input": {"question": event.conversation.question},
        "output": {"answer": event.conversation.answer},
        "metadata": {"contexts": [text for _, text in event.conversation.passages]},
        "tags": ["telephone"],
    }
    edit(message)
    return to_line(message)
