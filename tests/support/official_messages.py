"""Messages of Google's Python clients, filled by their descriptors and in every serialisation."""

import json
from typing import Any

import msgspec
import proto
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToJson
from google.protobuf.message import Message as ProtobufMessage

from groundwatch.schemas.answer import Answer
from groundwatch.schemas.message import Message
from tests.support.answer_messages import parse_answer

NO_MESSAGE = Message(payload=b"", place="")
PUBLISHER_TIME = "2026-03-02T09:00:00Z"

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
    """Make a message of a proto-plus class with every field set, in a oneof the last one."""
    message = kind()
    _fill(kind.pb(message), 0)
    return message


def all_serialisations(message: proto.Message) -> dict[str, bytes]:
    """Serialise a message in every way that the clients offer, by name."""
    kind, protobuf = type(message), type(message).pb(message)
    written = {
        "to_json": kind.to_json(message),
        "to_json, enum names": kind.to_json(message, use_integers_for_enums=False),
        "to_json, snake_case": kind.to_json(message, preserving_proto_field_name=True),
        "to_json, no defaults": kind.to_json(message, always_print_fields_with_no_presence=False),
        "to_json, indented": kind.to_json(message, indent=4),
        "to_dict": json.dumps(kind.to_dict(message)),
        "to_dict, escaped": json.dumps(kind.to_dict(message), ensure_ascii=True),
        "to_dict, enum names": json.dumps(kind.to_dict(message, use_integers_for_enums=False)),
        "to_dict, camelCase": json.dumps(
            kind.to_dict(message, preserving_proto_field_name=False), ensure_ascii=False
        ),
        "MessageToJson": MessageToJson(protobuf),
        "MessageToJson, defaults": MessageToJson(
            protobuf, always_print_fields_with_no_presence=True
        ),
        "MessageToJson, snake_case": MessageToJson(
            protobuf, preserving_proto_field_name=True, use_integers_for_enums=True
        ),
        "MessageToJson, not escaped": MessageToJson(protobuf, ensure_ascii=False, indent=None),
    }
    return {way: text.encode() for way, text in written.items()}


def the_answer(message: proto.Message) -> Answer:
    """Parse all serialisations of a message, assert that they agree, and return the answer."""
    answers = {
        way: _answer_without_bytes(payload) for way, payload in all_serialisations(message).items()
    }
    agreed = answers["to_json"]
    assert {way for way, answer in answers.items() if answer != agreed} == set()
    return agreed


def _answer_without_bytes(payload: bytes) -> Answer:
    attributes = {"event_time": PUBLISHER_TIME}
    answer = parse_answer(Message(payload=payload, place="somewhere", attributes=attributes))
    return msgspec.structs.replace(answer, message=NO_MESSAGE)


def _fill(message: ProtobufMessage, depth: int) -> None:
    name = message.DESCRIPTOR.full_name
    if name == "google.protobuf.Struct":
        message["colour"] = "red"
        message["price"] = 9.5
    elif name == "google.protobuf.Timestamp":
        message.FromJsonString("2026-03-02T08:00:02.5Z")
    elif name != "google.protobuf.Any":
        for field in message.DESCRIPTOR.fields:
            _fill_field(message, field, depth)


def _fill_field(message: ProtobufMessage, field: FieldDescriptor, depth: int) -> None:
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
