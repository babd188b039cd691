"""Define wire types, and read JSON as one: strict in essential fields, tolerant in details."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin

import msgspec

from groundwatch.schemas.message import UnreadableAnswer

T = TypeVar("T")

# A field that must have its declared type if it is present.
Essential = Annotated[T, msgspec.Meta(extra={"essential": True})]

# A list of details: None replaces an item of the wrong type, so that the others keep their index.
Details = tuple[T | None, ...]


class RepeatedField:
    """All values of a field that one object has twice; it fits no wire type."""

    def __init__(self, values: Sequence[object]) -> None:
        self.values = tuple(values)


class OutOfRangeNumber:
    """A number too large for a double, such as 1e400; it fits no wire type."""


# Of each wire type, by its name.
_KNOWN_FIELDS: dict[str, dict[str, str]] = tomllib.loads(
    files(__package__).joinpath("known_fields.toml").read_text(encoding="utf-8")
)


class Wire(msgspec.Struct, frozen=True, rename="camel"):
    """The base of every input type: camelCase in JSON, unknown fields ignored.

    A field of the wrong type makes the message unreadable if it is `Essential`; any other is None
    if its type allows that, else absent. Numbers may be written as strings; an empty string is an
    absent number. `known_fields.toml` has the class attributes of the types in this package.
    """

    ignored: ClassVar[tuple[str, ...]] = ()
    unsearched: ClassVar[tuple[str, ...]] = ()
    text_field: ClassVar[str] = ""
    facts_field: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith(f"{__package__}."):
            for name, text in _KNOWN_FIELDS.get(cls.__name__, {}).items():
                setattr(cls, name, text if name.endswith("_field") else words(text))


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
    kinds = alternatives(annotation)
    if isinstance(value, OutOfRangeNumber) and float in kinds:
        raise UnreadableAnswer("A score is out of range.")
    for kind in kinds:
        if isinstance(value, dict) and is_wire(kind):
            return _fitting_fields(value, kind)
        if isinstance(value, list) and get_origin(kind) is tuple:
            item = get_args(kind)[0]
            fitting = [_without_misfits(each, item) for each in value]
            if type(None) not in alternatives(item):
                return fitting
            return [each if _fits(each, item) else None for each in fitting]
    return value


def _fitting_fields(fields: dict[str, object], wire: type[Wire]) -> dict[str, object]:
    fitting = {}
    for name, annotation in wire_fields(wire).items():
        kinds = alternatives(annotation)
        is_number = str not in kinds and (float in kinds or int in kinds)
        if name in fields and not (is_number and fields[name] == ""):
            field = _without_misfits(fields[name], annotation)
            is_essential = get_origin(annotation) is Annotated
            if is_essential or _fits(field, annotation):
                fitting[name] = field
            elif type(None) in kinds:
                fitting[name] = None
    return fitting


def _fits(value: object, annotation: object) -> bool:
    try:
        msgspec.convert(value, annotation, strict=False)
    except msgspec.ValidationError:
        return False
    return True
