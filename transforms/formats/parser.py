"""Parse the answers of a message, and make their record ids."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from schemas.answer import Answer
from schemas.message import Message, UnmappedFields, UnreadableAnswer
from schemas.verdict import Tag
from transforms.formats.discovery_engine_answers import is_answer, is_unfinished
from transforms.formats.field_values import engine_id, first_time, session_id
from transforms.formats.format import Request
from transforms.formats.format_table import FORMATS, find_format, is_known
from transforms.formats.json_input import (
    BYTE_ORDER_MARK,
    MAX_PAYLOAD_BYTES,
    has_snake_case,
    read_json,
    to_camel_case,
)
from transforms.formats.unmapped_fields import could_hold_content, join_names, reject_unmapped
from transforms.rules.routing import is_incomplete

MAX_ANSWERS = 10_000
"""The limit for one message: each answer takes a copy of the message's attributes."""

_WRAPPER_FIELD = "answers"
_COMPLETE_FORMATS = tuple(known for known in FORMATS if not known.can_be_chunk)
# Raise it with every change to the hashed content: all ids of that kind change.
_CONTENT_VERSION = 1


class ParseFailure(NamedTuple):
    """An answer that cannot be read: a message that holds it alone, and the error."""

    message: Message
    error: UnreadableAnswer


def parse_answers(
    message: Message, *, input_format: str | None = None, facts_from_steps: bool = False
) -> Iterator[Answer | ParseFailure]:
    """Parse the answers of a message: at least one, each with a message that holds it alone.

    Args:
      message: the message.
      input_format: its source format or family; by default the message attribute `format`. Without
        either, the format is detected.
      facts_from_steps: whether the results of the generator's searches count as facts.
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
            answer = _complete(*found.read(request))
            reject_unmapped(answer, request, found)
        except UnreadableAnswer as error:
            yield ParseFailure(own_message, error)
        else:
            yield answer


def _elements(message: Message) -> Sequence[tuple[object, Message]]:
    """Parse the JSON of a message, and split it into its answers: at least one.

    A message holds several answers if it is an array of complete answers under different names or
    tokens, an array of messages that cannot be chunks of a stream, or an object with the array
    `answers`. Any other message holds one. A replay of an element's message reads the same answer.
    """
    if message.whole_bytes is not None:
        raise UnreadableAnswer(
            f"The message has {message.whole_bytes} bytes, more than {MAX_PAYLOAD_BYTES}; only the"
            f" first {len(message.payload)} are kept."
        )
    value = read_json(message.payload)
    if has_snake_case(message.payload):
        value = to_camel_case(value)
    if isinstance(value, list) and _holds_several(value):
        values, payloads = value, _decode(message.payload)
    elif isinstance(value, dict) and _is_wrapper(value):
        values, payloads = value[_WRAPPER_FIELD], _decode(message.payload, in_wrapper=True)
    else:
        return ((value, message),)
    if len(values) > MAX_ANSWERS:
        raise UnreadableAnswer(f"The message holds {len(values)} answers, more than {MAX_ANSWERS}.")
    if len(values) == 1:
        return ((values[0], replace(message, payload=bytes(payloads[0]))),)
    elements = []
    for number, (element, payload) in enumerate(zip(values, payloads, strict=True)):
        attributes = message.attributes
        if "id" in attributes:
            attributes = attributes | {"id": f"{attributes['id']}#{number}"}
        own = replace(message, payload=bytes(payload), attributes=attributes, element=number)
        elements.append((element, own))
    return elements


def _decode(payload: bytes, *, in_wrapper: bool = False) -> list[msgspec.Raw]:
    array: bytes | msgspec.Raw = payload.removeprefix(BYTE_ORDER_MARK)
    try:
        if in_wrapper:
            array = msgspec.json.decode(array, type=dict[str, msgspec.Raw])[_WRAPPER_FIELD]
        return msgspec.json.decode(array, type=list[msgspec.Raw])
    except msgspec.MsgspecError:
        raise UnreadableAnswer("The message cannot be split into its answers.") from None


def _is_wrapper(fields: Mapping[str, object]) -> bool:
    answers = fields.get(_WRAPPER_FIELD)
    if not isinstance(answers, list) or is_known(fields) or not any(map(is_known, answers)):
        return False
    others = [
        name for name in fields if name != _WRAPPER_FIELD and could_hold_content(fields[name])
    ]
    if others:
        raise UnmappedFields(
            f"The message has unknown fields besides {_WRAPPER_FIELD!r}: {join_names(others)}. Move"
            " them into the answers."
        )
    return True


def _holds_several(items: Sequence[Any]) -> bool:
    """Return whether the elements of an array are separate answers, not chunks of one stream."""
    if any(known.matches(item) for item in items for known in _COMPLETE_FORMATS):
        return True
    names, tokens = set(), set()
    for item in filter(lambda item: isinstance(item, dict), items):
        inner = item.get("answer")
        answer = inner if isinstance(inner, dict) else item
        state = answer.get("state", "")
        is_delta = isinstance(state, str | int) and is_unfinished(state)
        if is_answer(answer) and not is_delta:
            names.add(_stripped(answer.get("name")))
            tokens.add(_stripped(item.get("answerQueryToken")))
    return len(names - {""}) > 1 or len(tokens - {""}) > 1


def _stripped(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def record_id(kind: str, name: str, state: Literal["", "incomplete", "failed"] = "") -> str:
    """Hash the name of an answer, with its state if it is not finished, to 64 hex digits.

    The finished answer may come later under the same name, and must have another id. Names of
    different kinds never collide.
    """
    # Only the name may hold any character, so it stands last.
    return sha256(f"{kind}\0{state}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()


def _complete(answer: Answer, token: str) -> Answer:
    """Add the message's attributes, the record id and the publish time."""
    message, attributes = answer.message, answer.message.attributes
    engine = answer.engine or attributes.get("engine", "")
    session = answer.session or attributes.get("session", "")
    event_time_us, tags = answer.event_time_us, answer.tags
    given_time_us, is_good = first_time(attributes.get("event_time", ""))
    if not is_good and Tag.BAD_TIMESTAMP not in tags:
        tags = (*tags, Tag.BAD_TIMESTAMP)
    answer = replace(
        answer,
        answer_name=_non_blank(answer.answer_name),
        engine=engine_id(engine) or engine or None,
        session=session_id(session) or session or None,
        event_time_us=given_time_us if event_time_us is None else event_time_us,
        tags=tags,
    )
    event_time_us = answer.event_time_us
    return replace(
        answer,
        record_id=answer.record_id or _record_id_of(answer, token),
        event_time_us=message.publish_time_us if event_time_us is None else event_time_us,
    )


def _record_id_of(answer: Answer, token: str) -> str:
    """Make the record id of an answer from its name, its token, its content or its place.

    The content, of fixed fields, is used only for an answer with a time of its own, which is not
    that of publication: else equal greetings to two users would become one answer.
    """
    if answer.answer_name:
        kind, name = "name", answer.answer_name
    elif _non_blank(token):
        kind, name = "answer query token", token
    elif given := _non_blank(answer.message.attributes.get("id")):
        kind, name = "attribute", given
    elif answer.event_time_us is not None:
        facts = [fact.text for fact in answer.facts]
        own = (answer.answer_text, answer.query or "", facts, answer.session or "")
        name = sha256(msgspec.msgpack.encode((*own, answer.event_time_us))).hexdigest()
        kind = f"content {_CONTENT_VERSION}"
    else:
        kind, name = "place", answer.message.answer_place
    if is_incomplete(answer):
        return record_id(kind, name, "incomplete")
    return record_id(kind, name, "failed" if answer.state == "FAILED" else "")


def _non_blank(text: str | None) -> str | None:
    return text if text and not text.isspace() else None
