"""One spelling of member names, whichever a message comes in."""

import pytest

from transforms.formats.json_input import has_snake_case, to_camel_case

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
def test_members_are_renamed(value: object, renamed: object) -> None:
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
def test_only_member_names_call_for_renaming(payload: bytes, is_held: bool) -> None:
    assert has_snake_case(payload) is is_held
