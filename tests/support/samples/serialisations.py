"""How producers write one and the same message as JSON: names, enums, numbers, defaults.

A message is built once, in lowerCamelCase with enum names and plain integers; a style turns
it into what one producer would have written. Source of the differences: the JSON mapping of
protocol buffers, https://protobuf.dev/programming-guides/json/, and what proto-plus makes of
it (`to_json`, `to_dict`).
"""

import json
import re
from collections.abc import Mapping

from groundwatch.schemas import Record
from tests.support.samples.fields import Field, Shape


class Style(Record, frozen=True):
    """The habits of one producer.

    Attributes:
      snake_case: field names as in the .proto file.
      enum_numbers: enum values as integers.
      write_defaults: fields that were never set are written with their default.
      ascii_only: everything else is escaped, as Python's json does by default.
    """

    snake_case: bool = False
    enum_numbers: bool = False
    write_defaults: bool = False
    ascii_only: bool = False


REST = Style()
REST_FROM_PYTHON = Style(enum_numbers=True)  # the client's REST transport asks for numbers
MESSAGE_TO_JSON = Style(ascii_only=True)
TO_JSON = Style(enum_numbers=True, write_defaults=True, ascii_only=True)
TO_DICT = Style(snake_case=True, enum_numbers=True, write_defaults=True, ascii_only=True)


def styled(message: Mapping[str, object], shape: Shape, style: Style) -> dict[str, object]:
    """Write a message as one producer does.

    Args:
      message: lowerCamelCase fields, enum names, plain integers.
      shape: the message's type; a field it does not know is written as it is.
      style: the producer's habits.

    Returns:
      The JSON object, ready for `to_line`.
    """
    values = dict(message)
    if style.write_defaults:
        values = _defaults(shape) | values
    return {
        _named(name, style): _field_value(value, shape.get(name, Field()), style)
        for name, value in values.items()
        if style.write_defaults or not _is_default(value, shape.get(name, Field()))
    }


def to_line(content: object, style: Style = REST) -> bytes:
    """Encode a JSON value as one line, without its end."""
    return json.dumps(content, ensure_ascii=style.ascii_only).encode()


def _defaults(shape: Shape) -> dict[str, object]:
    return {
        name: [] if field.repeated else field.default
        for name, field in shape.items()
        if field.repeated or field.default is not None
    }


def _is_default(value: object, field: Field) -> bool:
    """Protobuf's JSON leaves out what equals the default, where absence is not visible."""
    return value == [] if field.repeated else field.default is not None and value == field.default


def _field_value(value: object, field: Field, style: Style) -> object:
    if isinstance(value, list) and field.repeated:
        return [_single(item, field, style) for item in value]
    return _single(value, field, style)


def _single(value: object, field: Field, style: Style) -> object:
    if field.fields is not None and isinstance(value, Mapping):
        return styled(value, field.fields, style)
    if style.enum_numbers and value in field.names:
        return field.names.index(str(value))
    return str(value) if field.as_text else value


def _named(name: str, style: Style) -> str:
    if not style.snake_case:
        return name
    if name in {"type", "license"}:  # proto-plus keeps clear of Python's own names
        return name + "_"
    return re.sub(r"[A-Z]", lambda capital: "_" + capital[0].lower(), name)
