"""Read a wire type: strict in the fields that carry data, tolerant in the details."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import msgspec

from schemas.message import UnreadableAnswer

T = TypeVar("T")

# A field that must have its declared type if it is there at all.
Essential = Annotated[T, msgspec.Meta(extra={"essential": True})]

# A list of details: None stands for one that does not fit, so that the others keep their places.
Details = tuple[T | None, ...]


class RepeatedField:
    """Stands for the value of a field that one JSON object has twice.

    Attributes:
      values: all that were written.
    """

    def __init__(self, values: Sequence[object]) -> None:
        self.values = tuple(values)


class OutOfRangeNumber:
    """Stands for a number too large for a double, such as 1e400."""


class Wire(msgspec.Struct, frozen=True, rename="camel"):
    """The base of every input type: camelCase in JSON, unknown fields ignored.

    A field of the wrong type makes the message unreadable if it is `Essential`; any other one is
    None if its type allows that, else absent. Numbers may be written as strings; an empty string is
    an absent number.

    Attributes:
      ignored: the fields that are known and not read, each with the reason, by their JSON names.
      text_field, facts_field: the field that holds the answer's text or its facts, by its JSON
        name; where it is there and empty, the message itself says that there are none.
    """

    ignored: ClassVar[Mapping[str, str]] = {}
    text_field: ClassVar[str] = ""
    facts_field: ClassVar[str] = ""


WireType = TypeVar("WireType", bound=Wire)


def read_wire(value: object, wire: type[WireType]) -> WireType:
    """Read parsed JSON, camelCase and without nulls, as a wire type.

    Raises:
      UnreadableAnswer: if an essential field has the wrong type, a field that is read occurs twice,
        or a score is beyond the range of numbers.
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
    """Refuse the value of a field that occurs twice.

    Raises:
      UnreadableAnswer: if that is what the value is.
    """
    if isinstance(value, RepeatedField):
        raise UnreadableAnswer("A field that is read occurs twice in one object.")


def _without_misfits(value: object, annotation: object) -> object:
    reject_repeated(value)
    if isinstance(value, OutOfRangeNumber) and float in alternatives(annotation):
        raise UnreadableAnswer("A score is a number beyond the range of numbers.")
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
