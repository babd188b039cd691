"""The JSON of messages: rejected if data could be lost, its fields renamed to lowerCamelCase."""

import json

import pytest

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import (
    MAX_PAYLOAD_BYTES,
    has_snake_case,
    read_json,
    to_camel_case,
)
from groundwatch.schemas.wire.wire_type import OutOfRangeNumber, RepeatedField

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
def test_json_that_could_lose_data_is_rejected_without_a_part_of_it(payload: bytes) -> None:
    with pytest.raises(UnreadableAnswer) as raised:
        read_json(payload)
    assert WORDS not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


READABLE = {
    "byte order mark": (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
    "white space around": (b' \r\n{"a": 1}\r\n ', {"a": 1}),
    "null field": (b'{"a": null, "b": {"c": null}}', {"b": {}}),
    "null item": (b'{"a": [null]}', {"a": [None]}),
    "surrogate pair": (b'{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
    "escaped backslash": (b'{"a": "\\\\ud83d"}', {"a": "\\ud83d"}),
    "100 levels": (b"[" * 100 + b"]" * 100, json.loads(b"[" * 100 + b"]" * 100)),
    "many brackets": (b"[" + b"[],{}," * 200 + b"0]", [[], {}] * 200 + [0]),
    "10,000,000 bytes": (b" " * (MAX_PAYLOAD_BYTES - 2) + b"{}", {}),
    "line separators": ('{"a": "\u2028\u0085"}'.encode(), {"a": "\u2028\u0085"}),
}


@pytest.mark.parametrize(("payload", "value"), READABLE.values(), ids=READABLE)
def test_valid_json_is_read(payload: bytes, value: object) -> None:
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


def test_a_repeated_field_is_marked_even_if_one_value_is_null() -> None:
    value = read_json(b'{"a": 1, "b": 2, "a": null, "b": 2, "c": 3}')
    assert isinstance(value, dict)
    assert isinstance(value["a"], RepeatedField)
    assert isinstance(value["b"], RepeatedField)
    assert value["c"] == 3


RENAMED = {
    "words": ({"answer_text": 1}, {"answerText": 1}),
    "digits": ({"page_2_text": 1}, {"page2Text": 1}),
    "keyword": ({"type_": 1, "license_": 2}, {"type": 1, "license": 2}),
    "nested": ([{"a_b": [{"c_d": 1}]}], [{"aB": [{"cD": 1}]}]),
    "camelCase wins when first": ({"answerText": 1, "answer_text": 2}, {"answerText": 1}),
    "camelCase wins when last": ({"answer_text": 2, "answerText": 1}, {"answerText": 1}),
    "user's own keys": (
        {"struct_data": {"my_key": {"a_b": 1}}},
        {"structData": {"my_key": {"a_b": 1}}},
    ),
    "fact attributes": ({"attributes": {"my_key": "a_b"}}, {"attributes": {"my_key": "a_b"}}),
    "no underscore": ({"answerText": "snake_case"}, {"answerText": "snake_case"}),
    "underscores only": ({"__": 1}, {"": 1}),
}


@pytest.mark.parametrize(("value", "renamed"), RENAMED.values(), ids=RENAMED)
def test_fields_are_renamed(value: object, renamed: object) -> None:
    assert to_camel_case(value) == renamed


@pytest.mark.parametrize(
    ("payload", "is_held"),
    [
        (b'{"answer_text": "a"}', True),
        (b'{"answer_text" \n : "a"}', True),
        (b'{"type_": 1}', True),
        (b'{"answerText": "default_collection", "name": "a_b"}', False),
        (b"{}", False),
    ],
)
def test_only_field_names_are_renamed(payload: bytes, is_held: bool) -> None:
    assert has_snake_case(payload) is is_held
