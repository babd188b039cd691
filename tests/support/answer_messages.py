"""Messages and answers for tests of the input formats."""

import json
from typing import Any

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import Message, ParseOptions
from groundwatch.transforms.formats.parser import ParseFailure, parse_answers

ANSWER_NAME = "projects/1/locations/global/collections/c/engines/shop/sessions/s1/answers/a1"


def message_of(
    value: object,
    *,
    place: str = "answers.jsonl#1",
    publish_time_us: int | None = None,
    **attributes: str,
) -> Message:
    """Make a message from a value, as JSON, or from bytes."""
    payload = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Message(
        payload=payload, place=place, publish_time_us=publish_time_us, attributes=attributes
    )


def parse_answer(message: Message, **options: Any) -> Answer:
    """Parse a message of one answer.

    Raises:
      UnreadableAnswer: the message cannot be read.
    """
    [answer] = parse_answers(message, ParseOptions(**options))
    if isinstance(answer, ParseFailure):
        raise answer.error
    return answer


def parsed(value: object, **attributes: str) -> Answer:
    """Parse a message with this body."""
    return parse_answer(message_of(value, **attributes))


def chunk_reference(content: str, **metadata: str) -> dict[str, object]:
    """Make a reference to a chunk."""
    return {"chunkInfo": {"content": content, "documentMetadata": metadata}}
