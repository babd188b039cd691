"""Reading a wire type: strict in what carries data, forgiving in the details."""

from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

import msgspec

from schemas.unreadable import UnreadableAnswer
from schemas.wire.unusable import OutOfRangeNumber, RepeatedMember

T = TypeVar("T")

# A member that must have its declared type if it is there at all.
Essential = Annotated[T, msgspec.Meta(extra={"essential": True})]

# A list of details: None stands for one that does not fit, so that the others keep their places.
Details = tuple[T | None, ...]


class Wire(msgspec.Struct, frozen=True, rename="camel"):
    """The base of every input type: camelCase in JSON, unknown members ignored.

    A member of the wrong type makes the message unreadable if it is `Essential`; any other one
    is None if its type allows that, else absent. Numbers may be written as strings.
    """


WireType = TypeVar("WireType", bound=Wire)


def read_wire(value: object, wire: type[WireType]) -> WireType:
    """Read parsed JSON, camelCase and without nulls, as a wire type.

    Raises:
      UnreadableAnswer: if an essential member has the wrong type, a member that is read stands
        twice, or a score is beyond the range of numbers.
    """
    try:
        return msgspec.convert(value, wire, strict=False)
    except msgspec.ValidationError:
        fitting = _without_misfits(value, wire)
    try:
        return msgspec.convert(fitting, wire, strict=False)
    except msgspec.ValidationError as error:
        raise UnreadableAnswer(f"A member has the wrong type: {error}.") from None


def wire_members(wire: type[Wire]) -> frozenset[str]:
    """The JSON names of the members that a wire type reads."""
    return frozenset(_annotations(wire))


def refuse_repeated(value: object) -> None:
    """Refuse the value of a member that stands twice.

    Raises:
      UnreadableAnswer: if that is what the value is.
    """
    if isinstance(value, RepeatedMember):
        raise UnreadableAnswer("A member that is read stands twice in one object.")


def _without_misfits(value: object, annotation: object) -> object:
    refuse_repeated(value)
    if isinstance(value, OutOfRangeNumber) and float in _alternatives(annotation):
        raise UnreadableAnswer("A score is a number beyond the range of numbers.")
    for kind in _alternatives(annotation):
        if isinstance(value, dict) and _is_wire(kind):
            return _fitting_members(value, kind)
        if isinstance(value, list) and get_origin(kind) is tuple:
            return _fitting_items(value, get_args(kind)[0])
    return value


def _fitting_members(members: dict[str, object], wire: type[Wire]) -> dict[str, object]:
    fitting = {}
    for name, annotation in _annotations(wire).items():
        if name in members and not _is_empty_number(members[name], annotation):
            member = _without_misfits(members[name], annotation)
            if _is_essential(annotation) or _fits(member, annotation):
                fitting[name] = member
            elif _allows_none(annotation):
                fitting[name] = None
    return fitting


def _is_empty_number(value: object, annotation: object) -> bool:
    """Tell whether a score or an offset is written as an empty string, which means absent."""
    kinds = _alternatives(annotation)
    return value == "" and str not in kinds and (float in kinds or int in kinds)


def _fitting_items(items: list[object], annotation: object) -> list[object]:
    fitting = [_without_misfits(item, annotation) for item in items]
    if not _allows_none(annotation):
        return fitting
    return [item if _fits(item, annotation) else None for item in fitting]


@cache
def _annotations(wire: type[Wire]) -> dict[str, Any]:
    return {field.encode_name: field.type for field in msgspec.structs.fields(wire)}


def _fits(value: object, annotation: object) -> bool:
    try:
        msgspec.convert(value, annotation, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def _alternatives(annotation: object) -> tuple[Any, ...]:
    if get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, UnionType):
        return get_args(annotation)
    return (annotation,)


def _allows_none(annotation: object) -> bool:
    return type(None) in _alternatives(annotation)


def _is_essential(annotation: object) -> bool:
    return get_origin(annotation) is Annotated


def _is_wire(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Wire)
