"""Find values by a subset of JSONPath."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import read_json
from groundwatch.transforms.formats.field_maps.json_path import json_path

KETTLE = {
    "reply": "It boils.",
    "parts": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}],
    "dotted.name": {"with space": 1},
    "retrievalContext": ["x", "y", "z"],
    "found.items.1.body": "second",
    "found.items.0.body": "first",
    "found.items.0.url": "u",
    "found.items.count": 2,
    f"found.items.{'9' * 5_000}.url": "no number of an item",
    "as_text": '{"documents": [{"body": "inner"}]}',
}
FOUND = {
    "$": [KETTLE],
    "$.reply": ["It boils."],
    "$['reply']": ["It boils."],
    '$["dotted.name"]["with space"]': [1],
    "$.parts[0].text": ["a"],
    "$.parts[-1].text": ["b"],
    "$.parts[7]": [],
    "$.parts[-4]": [],
    "$.parts[*].text": ["a", "b"],
    "$.parts.*.text": ["a", "b"],
    "$.parts[?(@.type=='text')].text": ["a", "b"],
    '$.parts[?@.type == "image"].type': ["image"],
    "$.parts[?(@.type!='text')].type": ["image"],
    "$.retrieval_context[1]": ["y"],
    "$.as_text.documents[0].body": ["inner"],
    "$['found.items'][*].body": ["first", "second"],
    "$['found.items'][0].url": ["u"],
    "$.as_text.documents[0]['title', 'body']": ["inner"],
    "$['retrieval_context','nothing','reply']": [["x", "y", "z"], "It boils."],
    "$.reply.text": [],
    "$.nothing[*].here": [],
}


@pytest.mark.parametrize(("path", "values"), FOUND.items(), ids=FOUND)
def test_a_path_finds_its_values(path: str, values: list[object]) -> None:
    assert json_path(path).find(KETTLE) == values


@pytest.mark.parametrize(
    "path", ["", "reply", "$..reply", "$.parts[", "$.parts[0:2]", "$.a b", "$.parts[?(@.type)]"]
)
def test_any_other_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        json_path(path)


def test_a_field_that_occurs_twice_is_not_read() -> None:
    with pytest.raises(UnreadableAnswer, match="twice"):
        json_path("$.a").find(read_json(b'{"a": 1, "a": 2}'))


@pytest.mark.parametrize(
    ("value", "is_empty"),
    [
        ({"documents": []}, True),
        ({"documents": ""}, True),
        ({"documents": [{}]}, True),
        ({"documents": ["d"]}, False),
        ({}, False),
        ({"documents": [{"text": "d"}]}, False),
    ],
)
def test_a_path_may_lead_to_something_empty(value: object, is_empty: bool) -> None:
    assert json_path("$.documents[*]").finds_empty(value) is is_empty


_NAMES = st.text("abcXYZ09", min_size=1, max_size=4)
_VALUES = st.recursive(
    st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=12,
)


@given(_VALUES, st.data())
def test_every_value_is_found_by_the_path_that_leads_to_it(
    value: object, data: st.DataObject
) -> None:
    path, inner = "$", value
    while isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
        if isinstance(inner, list):
            place = data.draw(st.integers(-len(inner), len(inner) - 1))
            path, inner = f"{path}[{place}]", inner[place]
        else:
            name = data.draw(st.sampled_from(sorted(inner)))
            path, inner = f"{path}.{name}", inner[name]
    assert json_path(path).find(value) == [inner]


def test_a_text_that_only_looks_like_json_is_a_text() -> None:
    assert json_path("$.a").find({"a": json.dumps([1])}) == ["[1]"]
    assert json_path("$.a[0]").find({"a": "[1] is the source"}) == []
