"""JSON, refused wherever data could be lost."""

import json

import pytest

from schemas.message import UnreadableAnswer
from schemas.wire.wire_type import OutOfRangeNumber, RepeatedField
from transforms.formats.json_input import MAX_PAYLOAD_BYTES, read_json

WORDS = "the customer's own words"

UNREADABLE = {
    "nothing": b"",
    "white space": b" \n",
    "bad UTF-8": b'{"answer": "\xff"}',
    "UTF-16": '{"answer": "a"}'.encode("utf-16"),
    "surrogate in UTF-8": b'{"answer": "\xed\xa0\x80"}',
    "cut": b'{"answer": "the customer\'s own words',
    "text behind": b'{"answer": "a"} the customer\'s own words',
    "two values": b'{"answer": "a"}{"answer": "b"}',
    "bare NaN": b'{"unread": NaN}',
    "bare Infinity": b'{"unread": Infinity}',
    "bare -Infinity": b'{"unread": -Infinity}',
    "single quotes": b"{'answer': 'a'}",
    "control character": b'{"answer": "a\x01"}',
    "lone high surrogate": b'{"unread": "\\ud83d"}',
    "lone low surrogate": b'{"unread": "\\uDE00"}',
    "reversed pair": b'{"unread": "\\ude00\\ud83d"}',
    "lone surrogate in a name": b'{"\\ud800": 1}',
    "101 arrays": b"[" * 101 + b"]" * 101,
    "101 objects": b'{"a":' * 101 + b"1" + b"}" * 101,
    "100,000 brackets": b"[" * 100_000,
    "10,000,001 bytes": b'"' + b"a" * (MAX_PAYLOAD_BYTES - 1) + b'"',
}


@pytest.mark.parametrize("payload", UNREADABLE.values(), ids=UNREADABLE)
def test_what_could_lose_data_is_refused(payload: bytes) -> None:
    with pytest.raises(UnreadableAnswer):
        read_json(payload)


@pytest.mark.parametrize("payload", UNREADABLE.values(), ids=UNREADABLE)
def test_a_refusal_holds_none_of_the_message(payload: bytes) -> None:
    with pytest.raises(UnreadableAnswer) as raised:
        read_json(payload)
    assert WORDS not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


READABLE = {
    "byte order mark": (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
    "white space around": (b' \r\n{"a": 1}\r\n ', {"a": 1}),
    "null member": (b'{"a": null, "b": {"c": null}}', {"b": {}}),
    "null item": (b'{"a": [null]}', {"a": [None]}),
    "surrogate pair": (b'{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
    "escaped backslash": (b'{"a": "\\\\ud83d"}', {"a": "\\ud83d"}),
    "100 levels": (b"[" * 100 + b"]" * 100, json.loads(b"[" * 100 + b"]" * 100)),
    "many brackets": (b"[" + b"[],{}," * 200 + b"0]", [[], {}] * 200 + [0]),
    "10,000,000 bytes": (b" " * (MAX_PAYLOAD_BYTES - 2) + b"{}", {}),
    "line separators": ('{"a": "\u2028\u0085"}'.encode(), {"a": "\u2028\u0085"}),
}


@pytest.mark.parametrize(("payload", "value"), READABLE.values(), ids=READABLE)
def test_what_is_sound_is_read(payload: bytes, value: object) -> None:
    assert read_json(payload) == value


@pytest.mark.parametrize(
    "number",
    [b"1e400", b"-1e400", b"9" * 5000, b"-" + b"9" * 5000],
    ids=["1e400", "-1e400", "5000 digits", "-5000 digits"],
)
def test_a_number_too_large_is_marked(number: bytes) -> None:
    value = read_json(b'{"a": %b}' % number)
    assert isinstance(value, dict)
    assert isinstance(value["a"], OutOfRangeNumber)


def test_a_member_that_stands_twice_is_marked_even_beside_null() -> None:
    value = read_json(b'{"a": 1, "b": 2, "a": null, "b": 2, "c": 3}')
    assert isinstance(value, dict)
    assert isinstance(value["a"], RepeatedField)
    assert isinstance(value["b"], RepeatedField)
    assert value["c"] == 3
