"""Parse the answers of a message."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from schemas.answer import Answer
from schemas.message import Message, UnreadableAnswer
from schemas.verdict import Tag
from transforms.formats import json_input
from transforms.formats.carriers import Element, split_answers
from transforms.formats.field_values import engine_id, first_time, session_id
from transforms.formats.format import Reading, Request
from transforms.formats.format_table import find_format
from transforms.formats.record_id import non_blank, record_id_of
from transforms.formats.unmapped_fields import reject_unmapped


class ParseFailure(NamedTuple):
    """An answer that cannot be read: a message that holds it alone, and the error."""

    message: Message
    error: UnreadableAnswer


def parse_answers(
    message: Message, *, input_format: str | None = None, facts_from_steps: bool = False
) -> Iterator[Answer | ParseFailure]:
    """Parse the answers of a message in any input format, in its order.

    Args:
      message: the message.
      input_format: its source format, or a family of formats; by default the message attribute
        `format`. Without either, the format is detected.
      facts_from_steps: whether the results of the generator's searches count as facts.

    Yields:
      At least one answer or error. If there are several, the message of each holds that answer
        alone.
    """
    named = input_format or message.attributes.get("format") or None
    try:
        elements = _elements(message)
    except UnreadableAnswer as error:
        yield ParseFailure(message, error)
        return
    for value, own_message in elements:
        request = Request(
            value=value,
            message=own_message,
            named_format=named,
            facts_from_steps=facts_from_steps,
        )
        try:
            found = find_format(value, named)
            answer = _complete(found.read(request))
            reject_unmapped(answer, request, found)
        except UnreadableAnswer as error:
            yield ParseFailure(own_message, error)
        else:
            yield answer


def _elements(message: Message) -> Sequence[Element]:
    if message.whole_bytes is not None:
        raise UnreadableAnswer(
            f"The message has {message.whole_bytes} bytes, more than"
            f" {json_input.MAX_PAYLOAD_BYTES}; only the first {len(message.payload)} are kept."
        )
    value = json_input.read_json(message.payload)
    if json_input.has_snake_case(message.payload):
        value = json_input.to_camel_case(value)
    return split_answers(value, message)


def _complete(reading: Reading) -> Answer:
    """Add the message's attributes, the record id and the publish time."""
    answer, message = reading.answer, reading.answer.message
    engine, session = answer.engine, answer.session
    event_time_us, tags = answer.event_time_us, answer.tags
    if attributes := message.attributes:
        given_engine, given_session = attributes.get("engine", ""), attributes.get("session", "")
        engine = engine or engine_id(given_engine) or given_engine or None
        session = session or session_id(given_session) or given_session or None
        given_time_us, is_good = first_time(attributes.get("event_time", ""))
        event_time_us = given_time_us if event_time_us is None else event_time_us
        if not is_good and Tag.BAD_TIMESTAMP not in tags:
            tags = (*tags, Tag.BAD_TIMESTAMP)
    answer = replace(
        answer,
        answer_name=non_blank(answer.answer_name),
        engine=engine,
        session=session,
        event_time_us=event_time_us,
        tags=tags,
    )
    return replace(
        answer,
        record_id=answer.record_id or record_id_of(answer, reading.identity),
        event_time_us=message.publish_time_us if event_time_us is None else event_time_us,
    )
