"""Messages of Google's clients with every field filled in, by their descriptors."""

from typing import Any

import proto
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

_MAX_DEPTH = 9
_VALUES: dict[int, Any] = {
    FieldDescriptor.CPPTYPE_INT32: 1,
    FieldDescriptor.CPPTYPE_INT64: 2,
    FieldDescriptor.CPPTYPE_UINT32: 1,
    FieldDescriptor.CPPTYPE_UINT64: 1,
    FieldDescriptor.CPPTYPE_DOUBLE: 0.75,
    FieldDescriptor.CPPTYPE_FLOAT: 0.25,
    FieldDescriptor.CPPTYPE_BOOL: True,
    FieldDescriptor.CPPTYPE_ENUM: 1,
}


def filled(kind: type[proto.Message]) -> proto.Message:
    """A message of a proto-plus class with every field set; of a oneof the last one stays."""
    message = kind()
    _fill(kind.pb(message), 0)
    return message


def _fill(message: Message, depth: int) -> None:
    name = message.DESCRIPTOR.full_name
    if name == "google.protobuf.Struct":
        message["colour"] = "red"
        message["price"] = 9.5
    elif name == "google.protobuf.Timestamp":
        message.FromJsonString("2026-03-02T08:00:02.5Z")
    elif name != "google.protobuf.Any":
        for field in message.DESCRIPTOR.fields:
            _fill_field(message, field, depth)


def _fill_field(message: Message, field: FieldDescriptor, depth: int) -> None:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        getattr(message, field.name)["key"] = "value"
    elif field.message_type is not None:
        if depth < _MAX_DEPTH:
            target = getattr(message, field.name)
            child = target.add() if field.is_repeated else target
            child.SetInParent()
            _fill(child, depth + 1)
    elif field.is_repeated:
        getattr(message, field.name).append(_value(field))
    else:
        setattr(message, field.name, _value(field))


def _value(field: FieldDescriptor) -> object:
    if field.cpp_type == FieldDescriptor.CPPTYPE_STRING:
        text = f"{field.name} is naïve 😀"
        return text.encode() if field.type == FieldDescriptor.TYPE_BYTES else text
    return _VALUES[field.cpp_type]
