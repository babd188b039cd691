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
