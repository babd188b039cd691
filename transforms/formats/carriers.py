"""Split messages that carry several answers into one element for each answer."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from schemas.message import Message, UnmappedFields, UnreadableAnswer
from transforms.formats.discovery_engine_answers import is_answer, is_unfinished
from transforms.formats.format_table import FORMATS, is_known
from transforms.formats.json_input import BYTE_ORDER_MARK
from transforms.formats.unmapped_fields import could_hold_content, join_names

MAX_ANSWERS = 10_000
"""The limit for one message: each answer takes a copy of the message's attributes."""

Element = tuple[object, Message]
"""One answer of a message: its parsed JSON, and a message that holds it alone."""

_WRAPPER_FIELD = "answers"
_COMPLETE_FORMATS = tuple(known for known in FORMATS if not known.can_be_chunk)


def split_answers(value: object, message: Message) -> Sequence[Element]:
    """Split a message, given with its parsed JSON, into its answers, at least one.

    A message holds several answers if it is an array of complete answers under different names or
    tokens, an array of messages that cannot be chunks of a stream, or an object with the array
    `answers`. Any other message holds one. A replay of an element's message reads the same answer.

    Raises:
      UnreadableAnswer: if there are too many answers, or other fields besides `answers` could hold
        text or facts.
    """
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
