"""Every way in which Google's Python clients write a message as JSON."""

import json

import msgspec
import proto
from google.protobuf.json_format import MessageToJson

from schemas.answer import Answer
from schemas.message import Message
from tests.support.answer_messages import parse_answer

NO_MESSAGE = Message(payload=b"", place="")
PUBLISHER_TIME = "2026-03-02T09:00:00Z"


def all_serialisations(message: proto.Message) -> dict[str, bytes]:
    """The message's JSON by the way it was written."""
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
    """The one answer that all serialisations of a message are read as, its bytes left out."""
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
