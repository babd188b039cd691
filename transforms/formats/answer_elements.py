"""Split a message into its answers: unwrap its carriers, and separate the elements of arrays."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec
from msgspec.structs import replace

from groundwatch.schemas.message import (
    CARRIER_ID,
    REPEATABLE_ID,
    Message,
    ParseOptions,
    UnmappedFields,
    UnreadableAnswer,
)
from groundwatch.schemas.wire.json_input import (
    BYTE_ORDER_MARK,
    MAX_PAYLOAD_BYTES,
    has_any,
    list_in,
    plain_json,
    read_camel_case,
    read_embedded,
)
from groundwatch.schemas.wire.wire_type import OutOfRangeNumber
from .carriers.agent_session import is_event, runs_of
from .carriers.carrier import CarriedBody, Carrier
from .carriers.carrier_table import find_carrier
from .discovery_engine_answers import is_answer, is_unfinished, state_name
from .field_maps.field_map import parse_map
from .field_values import parse_time
from .format import Request
from .format_table import is_known
from .unread_content import could_hold_content, join_names, names_of_unread

MAX_ANSWERS = 10_000
"""The limit for one message."""

MAX_COPIED_BYTES = 100_000_000
"""The limit for one message's answers, each with its copy of attributes and of what they share."""

MAX_CARRIERS = 8
"""The limit for carriers in each other: reading each takes time in proportion to its size."""

_WRAPPER_FIELD = "answers"


def split_answers(message: Message, options: ParseOptions) -> Sequence[Request]:
    """Parse the JSON of a message, and split it into its answers: at least one.

    A message holds several answers if it is an array of complete answers under different names or
    tokens, an array of messages that cannot be chunks of a stream, an object with the array
    `answers`, or a carrier of several. Any other message holds one. A replay of an element's
    message reads the same answer. An array is also split if a user's field map finds an answer in
    an element.
    """
    if message.whole_bytes is not None:
        raise UnreadableAnswer(
            f"The message has {message.whole_bytes} bytes, more than {MAX_PAYLOAD_BYTES}; only the"
            f" first {len(message.payload)} are kept."
        )
    if not message.payload.startswith(b"{"):
        message = replace(message, payload=plain_json(message.payload))
    value = read_camel_case(message.payload)
    whole = Request(
        value=value,
        message=message,
        input_format=options.input_format,
        own_map=parse_map(options.own_map) if options.own_map else None,
    )
    carrier = find_carrier(value)
    if isinstance(value, dict) and _WRAPPER_FIELD not in value and carrier is None:
        return (whole,)  # most messages
    elements = list(_within_limits(_expand(whole, carrier)))
    if len(elements) == 1:
        return elements
    return [
        replace(each, message=replace(each.message, element=number, elements=len(elements)))
        for number, each in enumerate(_numbered(elements, "id"))
    ]


def _within_limits(elements: Iterable[Request]) -> Iterator[Request]:
    """Raise UnreadableAnswer before the elements of a message take much more room than it does."""
    copied_bytes = 0
    for count, element in enumerate(elements, 1):
        copied_bytes += element.message.size
        _limit_answers(count)
        if count > 1 and copied_bytes > MAX_COPIED_BYTES:
            raise UnreadableAnswer(
                f"The message holds several answers, and each of them repeats what all share: over"
                f" {MAX_COPIED_BYTES} bytes together. Send fewer answers in a message."
            )
        yield element


def _limit_answers(count: int) -> None:
    if count > MAX_ANSWERS:
        raise UnreadableAnswer(f"The message holds more than {MAX_ANSWERS} answers.")


def _expand(whole: Request, carrier: Carrier | None, depth: int = 0) -> Iterator[Request]:
    """Unwrap carriers, and split arrays, which may hold carriers again."""
    if carrier is not None and depth == MAX_CARRIERS:
        error = UnreadableAnswer(f"Carriers nest deeper than {MAX_CARRIERS} levels.")
        yield replace(whole, value=error)
    elif carrier is not None:
        for body in _unwrap(whole, carrier):
            yield from _expand(body, find_carrier(body.value), depth + 1)
    else:
        for part in _split(whole):
            inner = None if part is whole else find_carrier(part.value)
            if inner is None:
                yield part
            else:
                yield from _expand(part, inner, depth)


def _unwrap(outer: Request, carrier: Carrier) -> Iterator[Request]:
    """Yield the bodies of a carrier, or the error if it cannot be read."""
    fields: Any = outer.value
    try:
        for carried in carrier.unwrap(fields):
            text = carried.body
            value = read_camel_case(text.encode()) if isinstance(text, str) else text
            holder: Any = fields if carried.alone is None else carried.alone
            yield replace(
                outer,
                value=read_embedded(value),
                message=_carried_message(outer.message, carried),
                carried_by=(*outer.carried_by, (carrier, holder)),
            )
    except UnreadableAnswer as error:
        names = list(names_of_unread(carrier.unread(fields), is_text_lacking=True))
        hint = f" The {carrier.name} has texts in {join_names(names)}." if names else ""
        outside = (*outer.carried_by, (carrier, fields))
        yield replace(outer, value=type(error)(f"{error}{hint}"), carried_by=outside)


def _carried_message(message: Message, carried: CarriedBody) -> Message:
    publish_time_us = parse_time(carried.publish_time)
    return replace(
        message,
        payload=message.payload if carried.alone is None else _encode(carried.alone),
        attributes=message.attributes | carried.attributes,
        publish_time_us=message.publish_time_us if publish_time_us is None else publish_time_us,
    )


def _split(whole: Request) -> Sequence[Request]:
    """Split an array of answers, that in the field `answers`, or events: one run is one answer."""
    value, message, own_map = whole.value, whole.message, whole.own_map
    in_wrapper, is_reencoded = False, bool(whole.carried_by)
    is_mapped = (
        own_map is not None
        and isinstance(value, list)
        and any(own_map.find("answer", each) for each in value)
    )
    if isinstance(value, list) and not is_mapped and any(map(is_event, value)):
        values, is_reencoded = runs_of(value), True
        if len(values) == 1:
            return (whole,)
    elif isinstance(value, list) and (is_mapped or _holds_several(value)):
        values = value
    elif isinstance(value, dict) and _is_wrapper(value):
        values, in_wrapper = value[_WRAPPER_FIELD], True
    else:
        return (whole,)
    _limit_answers(len(values))
    payloads: Iterable[bytes | msgspec.Raw]
    payloads = (
        map(_encode, values) if is_reencoded else _decode(message.payload, in_wrapper=in_wrapper)
    )
    elements = [
        replace(whole, value=each, message=replace(message, payload=bytes(payload)))
        for each, payload in zip(values, payloads, strict=True)
    ]
    return elements if len(elements) == 1 else _numbered(elements, CARRIER_ID, REPEATABLE_ID)


def _numbered(elements: Sequence[Request], *names: str) -> list[Request]:
    """Number the attributes that name the message of all elements."""
    found: list[Request] = []
    for number, element in enumerate(elements):
        message, given = element.message, element.message.attributes
        if numbered := {name: f"{given[name]}#{number}" for name in names if name in given}:
            message = replace(message, attributes=given | numbered)
        found.append(replace(element, message=message))
    return found


def _encode(value: object) -> bytes:
    return msgspec.json.encode(value, enc_hook=_encode_unusual)


def _encode_unusual(value: object) -> object:
    if isinstance(value, OutOfRangeNumber):
        return msgspec.Raw(b"1e999")
    raise UnreadableAnswer("A field that is read occurs twice in one object.")


def _decode(payload: bytes, *, in_wrapper: bool) -> list[msgspec.Raw]:
    array: bytes | msgspec.Raw = payload.removeprefix(BYTE_ORDER_MARK)
    try:
        if in_wrapper:
            array = msgspec.json.decode(array, type=dict[str, msgspec.Raw])[_WRAPPER_FIELD]
        return msgspec.json.decode(array, type=list[msgspec.Raw])
    except msgspec.MsgspecError:
        raise UnreadableAnswer("The message cannot be split into its answers.") from None


def _is_wrapper(fields: Mapping[str, object]) -> bool:
    answers = fields.get(_WRAPPER_FIELD)
    if (
        not isinstance(answers, list)
        or is_known(fields)
        or not any(is_known(each) or find_carrier(each) for each in answers)
    ):
        return False
    others = [
        name for name in fields if name != _WRAPPER_FIELD and could_hold_content(name, fields[name])
    ]
    if others:
        raise UnmappedFields(
            f"The message has unknown fields besides {_WRAPPER_FIELD!r}. Move {join_names(others)}"
            " into the answers."
        )
    return True


def _holds_several(items: Sequence[Any]) -> bool:
    """Return whether the elements of an array are separate answers, not chunks of one stream."""
    if any(
        find_carrier(item) or is_known(item, as_whole=not has_any(item, {"response"}))
        for item in items
    ):
        return True
    names, tokens = set[str](), set[str]()
    ends: list[str] = []
    finished: list[tuple[str, Any]] = []
    for item in filter(lambda item: isinstance(item, dict), items):
        inner = item.get("answer")
        answer = inner if isinstance(inner, dict) else item
        state = answer.get("state", "")
        is_delta = isinstance(state, str | int) and is_unfinished(state)
        if is_answer(answer) and not is_delta:
            name = _stripped(answer.get("name"))
            if state_name(state) == "SUCCEEDED":
                contents = (answer.get(each) for each in ("answerText", "replies"))
                given = (each for each in contents if each and isinstance(each, str | list))
                finished.append((name, next(given, "")))
            names.add(name)
            tokens.add(_stripped(item.get("answerQueryToken") or item.get("assistToken")))
        elif "candidates" in item:
            tokens.add(_stripped(item.get("responseId")))
            first = next(iter(list_in(item, "candidates")), None)
            if isinstance(first, dict) and first.get("finishReason"):  # whole, or the last chunk
                ends.append(_stripped(item.get("responseId")))
    has_several_ends = len({*ends} - {""}) + ends.count("") > 1
    has_several_ends |= any(
        one[1] and one[1] != other[1][: len(one[1])] and (one[0] != other[0] or not one[0])
        for one, other in pairwise(finished)
    )
    return len(names - {""}) > 1 or len(tokens - {""}) > 1 or has_several_ends


def _stripped(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""
