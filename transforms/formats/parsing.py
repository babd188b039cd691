"""From a message to an answer."""

from typing import Literal

import msgspec

from schemas.answer import Answer
from schemas.message import Message
from schemas.unreadable import UnreadableAnswer
from schemas.verdict import Tag
from transforms.formats.camel_case import has_snake_case, to_camel_case
from transforms.formats.identity import content_identity, record_id
from transforms.formats.reading import Identity, Reading, Request
from transforms.formats.recognition import find_format
from transforms.formats.resource_names import engine_id, session_id
from transforms.formats.strict_json import MAX_PAYLOAD_BYTES, read_json
from transforms.formats.timestamps import first_time
from transforms.formats.unmapped_fields import refuse_unmapped
from transforms.rules.incompleteness import is_incomplete


def parse_answer(
    message: Message, *, input_format: str | None = None, facts_from_steps: bool = False
) -> Answer:
    """Read the answer that a message holds.

    Args:
      message: in any input format.
      input_format: a source format or a family of them that the message is known to be in; by
        default what its attribute `format` says, else the format is recognised.
      facts_from_steps: whether what the generator's searches found counts as facts.

    Raises:
      UnreadableAnswer: if the message holds no answer that can be read without guessing.
    """
    _refuse_cut(message)
    value = read_json(message.payload)
    if has_snake_case(message.payload):
        value = to_camel_case(value)
    named = input_format or message.attributes.get("format") or None
    request = Request(value=value, message=message, named=named, facts_from_steps=facts_from_steps)
    found = find_format(value, named)
    answer = _complete(found.read(request))
    refuse_unmapped(answer, found)
    return answer


def _refuse_cut(message: Message) -> None:
    if message.whole_bytes is not None:
        raise UnreadableAnswer(
            f"The message has {message.whole_bytes} bytes, more than {MAX_PAYLOAD_BYTES}; only the"
            f" first {len(message.payload)} are kept."
        )


def _complete(reading: Reading) -> Answer:
    """Add what the message's attributes and its place say."""
    answer, attributes = reading.answer, reading.answer.message.attributes
    attribute_time_us, time_good = first_time(attributes.get("event_time", ""))
    bad_time = () if time_good or Tag.BAD_TIMESTAMP in answer.tags else (Tag.BAD_TIMESTAMP,)
    engine, session = attributes.get("engine", ""), attributes.get("session", "")
    own = msgspec.structs.replace(
        answer,
        answer_name=_first_said(answer.answer_name),
        engine=answer.engine or engine_id(engine) or engine or None,
        session=answer.session or session_id(session) or session or None,
        event_time_us=_first(answer.event_time_us, attribute_time_us),
        tags=answer.tags + bad_time,
    )
    return msgspec.structs.replace(
        own,
        record_id=own.record_id or record_id(_identity(reading, own), _unlike_the_finished(own)),
        event_time_us=_first(own.event_time_us, answer.message.publish_time_us),
    )


def _first(*times_us: int | None) -> int | None:
    return next((time_us for time_us in times_us if time_us is not None), None)


def _first_said(*texts: str | None) -> str | None:
    """Find the first text that is there and is not white space alone."""
    return next((text for text in texts if text and not text.isspace()), None)


def _identity(reading: Reading, own: Answer) -> Identity:
    """Find what names an answer: a name, a token or an id, else its content, else its place.

    The content of an answer without a time of its own is no name: two equal greetings to two users
    would become one answer.
    """
    if own.answer_name:
        return Identity(kind="name", value=own.answer_name)
    if reading.identity and _first_said(reading.identity.value):
        return reading.identity
    if given := _first_said(own.message.attributes.get("id")):
        return Identity(kind="attribute", value=given)
    if own.event_time_us is not None:
        return content_identity(own)
    return Identity(kind="place", value=own.message.place)


def _unlike_the_finished(answer: Answer) -> Literal["", "incomplete", "failed"]:
    """Tell how an answer differs from the finished one that may still come."""
    if is_incomplete(answer):
        return "incomplete"
    return "failed" if answer.state == "FAILED" else ""
