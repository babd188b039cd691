"""Define wire types, and read JSON as one: strict in essential fields, tolerant in details."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import msgspec

from schemas.message import UnreadableAnswer

T = TypeVar("T")

# A field that must have its declared type if it is present.
Essential = Annotated[T, msgspec.Meta(extra={"essential": True})]

# A list of details: None replaces an item of the wrong type, so that the others keep their index.
Details = tuple[T | None, ...]


class RepeatedField:
    """All values of a field that one JSON object has twice; it fits no wire type."""

    def __init__(self, values: Sequence[object]) -> None:
        self.values = tuple(values)


class OutOfRangeNumber:
    """A number too large for a double, such as 1e400; it fits no wire type."""


class Wire(msgspec.Struct, frozen=True, rename="camel"):
    """The base of every input type: camelCase in JSON, unknown fields ignored.

    A field of the wrong type makes the message unreadable if it is `Essential`; any other is None
    if its type allows that, else absent. Numbers may be written as strings; an empty string is an
    absent number.

    Attributes:
      ignored: the JSON names of known fields that are not read.
      text_field, facts_field: the JSON name of the field that holds the answer's text or its facts.
        If that field is present and empty, the message has no text or no facts.
    """

    ignored: ClassVar[tuple[str, ...]] = ()
    text_field: ClassVar[str] = ""
    facts_field: ClassVar[str] = ""


def words(text: str, prefix: str = "") -> tuple[str, ...]:
    """Split a table of names that is written as text, and put the prefix before each."""
    return tuple(prefix + word for word in text.split())


WireType = TypeVar("WireType", bound=Wire)


def read_wire(value: object, wire: type[WireType]) -> WireType:
    """Read parsed JSON, camelCase and without nulls, as a wire type.

    Raises:
      UnreadableAnswer: if an essential field has the wrong type, a field that is read occurs twice,
        or a score is out of range.
    """
    try:
        return msgspec.convert(value, wire, strict=False)
    except msgspec.ValidationError:
        fitting = _without_misfits(value, wire)
    try:
        return msgspec.convert(fitting, wire, strict=False)
    except msgspec.ValidationError as error:
        raise UnreadableAnswer(f"A field has the wrong type: {error}.") from None


@cache
def wire_fields(wire: type[Wire]) -> Mapping[str, Any]:
    """Map the JSON names of the fields that a wire type reads to their types."""
    return {field.encode_name: field.type for field in msgspec.structs.fields(wire)}


def alternatives(annotation: object) -> tuple[Any, ...]:
    """List the types that a field's annotation allows."""
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, UnionType):
        return get_args(annotation)
    return (annotation,)


def is_wire(kind: object) -> bool:
    """Return whether a type is a wire type."""
    return isinstance(kind, type) and issubclass(kind, Wire)


def reject_repeated(value: object) -> None:
    """Raise UnreadableAnswer if a value is that of a field that occurs twice."""
    if isinstance(value, RepeatedField):
        raise UnreadableAnswer("A field that is read occurs twice in one object.")


def _without_misfits(value: object, annotation: object) -> object:
    reject_repeated(value)
    if isinstance(value, OutOfRangeNumber) and float in alternatives(annotation):
        raise UnreadableAnswer("A score is out of range.")
    for kind in alternatives(annotation):
        if isinstance(value, dict) and is_wire(kind):
            return _fitting_fields(value, kind)
        if isinstance(value, list) and get_origin(kind) is tuple:
            return _fitting_items(value, get_args(kind)[0])
    return value


def _fitting_fields(fields: dict[str, object], wire: type[Wire]) -> dict[str, object]:
    fitting = {}
    for name, annotation in wire_fields(wire).items():
        if name in fields and not _is_empty_number(fields[name], annotation):
            field = _without_misfits(fields[name], annotation)
            if _is_essential(annotation) or _fits(field, annotation):
                fitting[name] = field
            elif _allows_none(annotation):
                fitting[name] = None
    return fitting


def _is_empty_number(value: object, annotation: object) -> bool:
    kinds = alternatives(annotation)
    return value == "" and str not in kinds and (float in kinds or int in kinds)


def _fitting_items(items: list[object], annotation: object) -> list[object]:
    fitting = [_without_misfits(item, annotation) for item in items]
    if not _allows_none(annotation):
        return fitting
    return [item if _fits(item, annotation) else None for item in fitting]


def _fits(value: object, annotation: object) -> bool:
    try:
        msgspec.convert(value, annotation, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def _allows_none(annotation: object) -> bool:
    return type(None) in alternatives(annotation)


def _is_essential(annotation: object) -> bool:
    return get_origin(annotation) is Annotated
