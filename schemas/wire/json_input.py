"""Parse the JSON of a message, strict where data could be lost, and rename its fields."""

import json
import math
import re
import zlib
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any

from groundwatch.schemas.message import UnreadableAnswer
from .wire_type import OutOfRangeNumber, RepeatedField

MAX_PAYLOAD_BYTES = 10_000_000
MAX_DEPTH = 100
_TOO_DEEP = f"The JSON nests deeper than {MAX_DEPTH} levels."

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
JSON_START = re.compile(r'\s*+(?:\\*+"\s*+)*+[{\[]')
"""How an object or a list in JSON begins, and a text that holds one, encoded once or more often."""
_GZIP = b"\x1f\x8b"
_MAX_NUMBER_DIGITS = 308  # the longest integers that are sure to fit a double
_CONTAINERS = (dict, list)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
# Maps whose keys are the user's own, and the columns into which tables split one of them.
_FREE_FORM = frozenset({"structData", "attributes"})
_FREE_FORM_COLUMNS = "attributes."
# Each match is tried from one underscore to the next, so that hostile input costs linear time.
_SNAKE_CASE_FIELD = re.compile(rb'_[A-Za-z0-9]*"\s*:')
_WORD = re.compile(r"_([a-z0-9])")


def read_json(payload: bytes) -> object:
    """Parse one JSON value; fields that are null are left out.

    A field that an object has twice becomes a `RepeatedField`, a number too large for a double an
    `OutOfRangeNumber`: neither matters unless it is read. What could lose data, such as bad UTF-8,
    is UnreadableAnswer.
    """
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise UnreadableAnswer(
            f"The message has {len(payload)} bytes, more than {MAX_PAYLOAD_BYTES}."
        )
    has_levels = payload.count(b"{") + payload.count(b"[") > MAX_DEPTH
    try:
        text = payload.removeprefix(BYTE_ORDER_MARK).decode()
        value = _DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise UnreadableAnswer(f"The message is not UTF-8: bad byte at {error.start}.") from None
    except json.JSONDecodeError as error:
        # Some of Python's complaints end with "at", or quote a character.
        fault = error.msg.partition(": ")[0].removesuffix(" at")
        raise UnreadableAnswer(
            f"The message is not JSON: {fault} at character {error.pos}."
        ) from None
    except RecursionError:
        raise UnreadableAnswer(_TOO_DEEP) from None
    if has_levels:
        reject_deep(value)
    if "\\u" in text and _SURROGATE.search(text):
        # Both halves of a pair were joined by the parser, so any half still there stands alone.
        try:
            json.dumps(value, ensure_ascii=False, default=repr).encode()
        except UnicodeEncodeError:
            raise UnreadableAnswer("A string holds half of a surrogate pair.") from None
    return value


def read_with_nulls(payload: bytes) -> object:
    """Parse JSON that was parsed before, in lowerCamelCase, and keep the fields that are null.

    Of a field that an object has twice the last counts; whole numbers lose digits.
    """
    return to_camel_case(json.loads(payload.removeprefix(BYTE_ORDER_MARK), parse_int=float))


def read_camel_case(payload: bytes) -> object:
    """Parse one JSON value, and rename its fields to lowerCamelCase."""
    value = read_json(payload)
    return to_camel_case(value) if has_snake_case(payload) else value


def read_embedded(value: object) -> object:
    """Parse a text of JSON in JSON, also one in another; return any other value unchanged."""
    while isinstance(value, str) and JSON_START.match(value):
        value = read_camel_case(value.encode())
    return value


def encoded_once(text: str) -> str:
    r"""Return an object or a list in JSON that was encoded several times as a text encoded once.

    Any other text is returned unchanged.

    >>> encoded_once('"{\\"days\\": 3}"')
    '{"days": 3}'
    """
    if text[:1].isalnum() or not text.lstrip().startswith('"'):
        return text
    inner: object = text
    found = text
    while isinstance(inner, str) and JSON_START.match(inner):
        found = inner
        try:
            inner = read_json(inner.encode())
        except (UnicodeEncodeError, UnreadableAnswer):
            return text
    return text if isinstance(inner, str) else found


def plain_json(payload: bytes) -> bytes:
    """Decompress gzip, and decode JSON that was encoded several times, as far as encoded once.

    Raises:
      UnreadableAnswer: the gzip is damaged, or holds too much.
    """
    if payload.startswith(_GZIP):
        try:
            payload = zlib.decompressobj(wbits=31).decompress(payload, MAX_PAYLOAD_BYTES + 1)
        except zlib.error:
            raise UnreadableAnswer("The message is damaged gzip: publish it again.") from None
    if payload.lstrip().startswith(b'"'):
        try:
            return encoded_once(payload.decode()).encode()
        except UnicodeError:
            return payload
    return payload


def read_if_json(value: object) -> object:
    """Parse a text of JSON in JSON, as `read_embedded`; return any other text unchanged.

    A text such as "[1] Lamps glow." begins as JSON does.
    """
    try:
        return read_embedded(value)
    except UnreadableAnswer:
        return value


def whole_number(value: object) -> int | None:
    """Return a number that counts something, also in a text; None for any other value."""
    text = str(value) if isinstance(value, str | int) else ""
    return int(text) if text.isdecimal() and len(text) <= _MAX_NUMBER_DIGITS else None


def has_any(value: object, names: AbstractSet[str]) -> bool:
    """Return whether parsed JSON is an object that has a field of these names."""
    return isinstance(value, dict) and not names.isdisjoint(value)


def fields_of(value: object) -> dict[str, Any]:
    """Return an object of parsed JSON; an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def list_in(value: object, name: str) -> list[Any]:
    """Return the list that a field of parsed JSON holds; an empty one if there is none."""
    found = fields_of(value).get(name)
    return found if isinstance(found, list) else []


def objects_in(value: object, name: str) -> list[dict[str, Any]]:
    """Return the objects in such a list."""
    return [item for item in list_in(value, name) if isinstance(item, dict)]


def has_snake_case(payload: bytes) -> bool:
    """Return whether some field name in a JSON text may have an underscore."""
    return _SNAKE_CASE_FIELD.search(payload) is not None


def to_camel_case(value: object) -> object:
    """Rename the fields of parsed JSON, at every level except inside free-form maps.

    Of two spellings of one field the lowerCamelCase one counts, unless it is empty.
    """
    if isinstance(value, list):
        return [to_camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    in_snake_case = {camel_case_name(name): field for name, field in value.items() if "_" in name}
    in_camel_case = {
        name: field
        for name, field in value.items()
        if "_" not in name and not (name in in_snake_case and field in ("", [], {}))
    }
    return {
        name: field
        if name in _FREE_FORM or name.startswith(_FREE_FORM_COLUMNS)
        else to_camel_case(field)
        for name, field in (in_snake_case | in_camel_case).items()
    }


@lru_cache(maxsize=1024)
def camel_case_name(name: str) -> str:
    """Write a field's name in lowerCamelCase.

    A trailing underscore, with which Python's clients avoid keywords (`type_`), is dropped. A
    column of a free-form map keeps its name.
    """
    if name.startswith(_FREE_FORM_COLUMNS):
        return name
    return _WORD.sub(lambda match: match[1].upper(), name.rstrip("_"))


def reject_deep(value: object) -> None:
    """Raise UnreadableAnswer for parsed JSON that nests deeper than a message may."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for container in level
            if isinstance(container, _CONTAINERS)
            for item in (container.values() if isinstance(container, dict) else container)
        ]
    if any(isinstance(item, _CONTAINERS) for item in level):
        raise UnreadableAnswer(_TOO_DEEP)


def _read_object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        values: dict[str, list[object]] = {}
        for name, value in pairs:
            values.setdefault(name, []).append(value)
        fields = {
            name: each[0] if len(each) == 1 else RepeatedField(each)
            for name, each in values.items()
        }
    if None in fields.values():
        return {name: value for name, value in fields.items() if value is not None}
    return fields


def _reject_constant(name: str) -> object:
    raise UnreadableAnswer(f"The message is not JSON: it has a bare {name}.")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_read_object,
    parse_int=lambda digits: (
        int(digits) if len(digits) <= _MAX_NUMBER_DIGITS else OutOfRangeNumber()
    ),
    parse_float=lambda digits: (
        number if math.isfinite(number := float(digits)) else OutOfRangeNumber()
    ),
    parse_constant=_reject_constant,
)
