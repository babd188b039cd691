"""From a message to an answer."""

import msgspec

from schemas.answer import Answer
from schemas.message import Message
from schemas.unreadable import UnreadableAnswer
from schemas.verdict import Tag
from transforms.formats.camel_case import holds_snake_case, to_camel_case
from transforms.formats.identity import content_identity, record_id
from transforms.formats.reading import Identity, Reading, Request
from transforms.formats.recognition import find_format
from transforms.formats.resource_names import engine_id, session_id
from transforms.formats.strict_json import MAX_PAYLOAD_BYTES, read_json
from transforms.formats.timestamps import first_time
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
    if holds_snake_case(message.payload):
        value = to_camel_case(value)
    named = input_format or message.attributes.get("format") or None
    request = Request(value=value, message=message, named=named, facts_from_steps=facts_from_steps)
    return _complete(find_format(value, named).read(request))


def _refuse_cut(message: Message) -> None:
    if message.whole_bytes is not None:
        raise UnreadableAnswer(
            f"The message has {message.whole_bytes} bytes, more than {MAX_PAYLOAD_BYTES}; only the"
            f" first {len(message.payload)} are kept."
        )


def _complete(reading: Reading) -> Answer:
    """Add what the message's attributes and its place tell."""
    answer, attributes = reading.answer, reading.answer.message.attributes
    attribute_time_us, time_good = first_time(attributes.get("event_time", ""))
    bad_time = () if time_good or Tag.BAD_TIMESTAMP in answer.tags else (Tag.BAD_TIMESTAMP,)
    engine, session = attributes.get("engine", ""), attributes.get("session", "")
    own = msgspec.structs.replace(
        answer,
        engine=answer.engine or engine_id(engine) or engine or None,
        session=answer.session or session_id(session) or session or None,
        event_time_us=_first(answer.event_time_us, attribute_time_us),
        tags=answer.tags + bad_time,
    )
    return msgspec.structs.replace(
        own,
        record_id=own.record_id or _record_id(reading, own),
        event_time_us=_first(own.event_time_us, answer.message.publish_time_us),
    )


def _first(*times_us: int | None) -> int | None:
    return next((time_us for time_us in times_us if time_us is not None), None)


def _record_id(reading: Reading, own: Answer) -> str:
    identity = _given_identity(reading) or _own_identity(own)
    return record_id(identity, incomplete=is_incomplete(own))


def _given_identity(reading: Reading) -> Identity | None:
    """What the producer named the answer by."""
    if reading.answer.answer_name:
        return Identity(kind="name", value=reading.answer.answer_name)
    given = reading.answer.message.attributes.get("id")
    return reading.identity or (Identity(kind="attribute", value=given) if given else None)


def _own_identity(answer: Answer) -> Identity:
    """An answer that nobody named is its content if it knows its time, else its place.

    Without a time two equal greetings to two users would collapse into one.
    """
    if answer.event_time_us is not None:
        return content_identity(answer)
    return Identity(kind="place", value=answer.message.place)
