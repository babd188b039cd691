"""Wrong types: tolerated in details, rejected in essential fields."""

import pytest

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.wire_type import (
    Details,
    Essential,
    OutOfRangeNumber,
    RepeatedField,
    Wire,
    read_wire,
    wire_fields,
)


class Leaf(Wire, frozen=True):
    place: Essential[int] = 0
    label_text: str = "none"
    score: float | None = None


class Tree(Wire, frozen=True):
    trunk: Essential[Leaf] = Leaf()
    branches: Essential[tuple[Leaf, ...]] = ()
    leaves: Details[Leaf] = ()
    note: str | Leaf = ""


FORGIVEN = {
    "detail": ({"note": 5}, Tree()),
    "detail within an essential field": (
        {"trunk": {"place": 1, "labelText": 5}},
        Tree(trunk=Leaf(place=1)),
    ),
    "detail within a list": ({"branches": [{"labelText": []}]}, Tree(branches=(Leaf(),))),
    "one of several details": (
        {"leaves": [{"place": 1}, {"place": "x"}, "x", {"place": 2}]},
        Tree(leaves=(Leaf(place=1), None, None, Leaf(place=2))),
    ),
    "detail that may be None": (
        {"trunk": {"score": "high", "labelText": "l"}},
        Tree(trunk=Leaf(score=None, label_text="l")),
    ),
    "list of details": ({"leaves": {"place": 1}}, Tree()),
    "one of two kinds": ({"note": {"labelText": 5}}, Tree(note=Leaf())),
    "out of range in a detail that is not a score": (
        {"leaves": [{"place": OutOfRangeNumber()}]},
        Tree(leaves=(None,)),
    ),
    "unread": ({"other": RepeatedField([1, 2]), "more": OutOfRangeNumber()}, Tree()),
}


@pytest.mark.parametrize(("value", "tree"), FORGIVEN.values(), ids=FORGIVEN)
def test_a_detail_of_a_wrong_type_is_absent(value: object, tree: Tree) -> None:
    assert read_wire(value, Tree) == tree


UNREADABLE = {
    "no object": [],
    "essential": {"trunk": "x"},
    "essential within an essential": {"trunk": {"place": "x"}},
    "essential within a list": {"branches": [{}, {"place": "x"}]},
    "item": {"branches": ["x"]},
    "null item": {"branches": [None]},
    "detail that stands twice": {"note": RepeatedField([1, 2])},
    "twice within a detail": {"leaves": [{"labelText": RepeatedField([1, 2])}]},
    "score beyond all numbers": {"leaves": [{"score": OutOfRangeNumber()}]},
    "essential beyond all numbers": {"trunk": {"place": OutOfRangeNumber()}},
}


@pytest.mark.parametrize("value", UNREADABLE.values(), ids=UNREADABLE)
def test_an_essential_field_of_a_wrong_type_is_rejected(value: object) -> None:
    with pytest.raises(UnreadableAnswer):
        read_wire(value, Tree)


def test_an_error_names_the_field_and_the_types_but_no_value() -> None:
    with pytest.raises(UnreadableAnswer) as raised:
        read_wire({"branches": [{"place": "secret"}]}, Tree)
    assert str(raised.value) == (
        "A field has the wrong type: Expected `int`, got `str` - at `$.branches[0].place`."
    )


def test_fields_are_listed_by_their_json_names() -> None:
    assert set(wire_fields(Leaf)) == {"place", "labelText", "score"}
