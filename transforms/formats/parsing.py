"""Parse the answers of a message."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from msgspec.structs import replace

from schemas.answer import Answer
from schemas.message import Message, UnreadableAnswer
from schemas.verdict import Tag
from transforms.formats.camel_case import has_snake_case, to_camel_case
from transforms.formats.identity import content_identity, record_id
from transforms.formats.reading import Identity, Reading, Request
from transforms.formats.recognition import find_format
from transforms.formats.resource_names import engine_id, session_id
from transforms.formats.several_answers import Element, split_answers
from transforms.formats.strict_json import MAX_PAYLOAD_BYTES, read_json
from transforms.formats.timestamps import first_time
from transforms.formats.unmapped_fields import refuse_unmapped
from transforms.rules.routing import is_incomplete


class ParseFailure(NamedTuple):
    """An answer that cannot be read: a message that holds it alone, and why."""

    message: Message
    error: UnreadableAnswer


def parse_answers(
    message: Message, *, input_format: str | None = None, facts_from_steps: bool = False
) -> Iterator[Answer | ParseFailure]:
    """Parse the answers that a message holds.

    Args:
      message: in any input format.
      input_format: a source format or a family of them that the message is known to be in; by
        default what its attribute `format` says, else the format is recognised.
      facts_from_steps: whether what the generator's searches found counts as facts.

    Yields:
      Each answer, or why it cannot be read, in the message's order; at least one. The message of
      one of several answers holds that answer alone.
    """
    named = input_format or message.attributes.get("format") or None
    try:
        elements = _elements(message)
    except UnreadableAnswer as error:
        yield ParseFailure(message, error)
        return
    for value, own_message in elements:
        request = Request(
            value=value, message=own_message, named=named, facts_from_steps=facts_from_steps
        )
        try:
            yield _parse(request)
        except UnreadableAnswer as error:
            yield ParseFailure(own_message, error)


def _elements(message: Message) -> Sequence[Element]:
    if message.whole_bytes is not None:
        raise UnreadableAnswer(
            f"The message has {message.whole_bytes} bytes, more than {MAX_PAYLOAD_BYTES}; only the"
            f" first {len(message.payload)} are kept."
        )
    value = read_json(message.payload)
    if has_snake_case(message.payload):
        value = to_camel_case(value)
    return split_answers(value, message)


def _parse(request: Request) -> Answer:
    found = find_format(request.value, request.named)
    answer = _complete(found.read(request))
    refuse_unmapped(answer, request, found)
    return answer


def _complete(reading: Reading) -> Answer:
    """Add what the message's attributes and its place say."""
    answer, message = reading.answer, reading.answer.message
    engine, session = answer.engine, answer.session
    event_time_us, tags = answer.event_time_us, answer.tags
    if attributes := message.attributes:
        given_engine, given_session = attributes.get("engine", ""), attributes.get("session", "")
        engine = engine or engine_id(given_engine) or given_engine or None
        session = session or session_id(given_session) or given_session or None
        given_time_us, time_good = first_time(attributes.get("event_time", ""))
        event_time_us = given_time_us if event_time_us is None else event_time_us
        if not time_good and Tag.BAD_TIMESTAMP not in tags:
            tags = (*tags, Tag.BAD_TIMESTAMP)
    own = replace(
        answer,
        answer_name=_said(answer.answer_name),
        engine=engine,
        session=session,
        event_time_us=event_time_us,
        tags=tags,
    )
    if not own.record_id:
        named = record_id(_identity(reading, own), _unlike_the_finished(own))
        own = replace(own, record_id=named)
    if event_time_us is None and message.publish_time_us is not None:
        own = replace(own, event_time_us=message.publish_time_us)
    return own


def _said(text: str | None) -> str | None:
    """Return a text, None if it is empty or white space alone."""
    return text if text and not text.isspace() else None


def _identity(reading: Reading, own: Answer) -> Identity:
    """Find what names an answer: a name, a token or an id, else its content, else its place.

    The content of an answer without a time of its own is no name: two equal greetings to two users
    would become one answer.
    """
    if own.answer_name:
        return Identity(kind="name", value=own.answer_name)
    if reading.identity and _said(reading.identity.value):
        return reading.identity
    if given := _said(own.message.attributes.get("id")):
        return Identity(kind="attribute", value=given)
    if own.event_time_us is not None:
        return content_identity(own)
    return Identity(kind="place", value=own.message.answer_place)


def _unlike_the_finished(answer: Answer) -> Literal["", "incomplete", "failed"]:
    """Return how an answer differs from the finished one that may still come."""
    if is_incomplete(answer):
        return "incomplete"
    return "failed" if answer.state == "FAILED" else ""
