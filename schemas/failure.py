"""Failures: messages that did not become enriched records, and their JSON."""

import base64
from datetime import datetime

import msgspec
from msgspec.structs import replace

from . import Record
from .message import EarlierFailure, Message
from .quantities import to_rfc3339, to_us, with_rfc3339_times


class Failure(Record, frozen=True, kw_only=True):
    """One message that a step could not process; `failure.avsc` describes the fields."""

    record_id: str | None = None
    step: str
    error_class: str
    error: str
    retryable: bool
    attempts: int = 1
    first_failed_at_us: int
    last_failed_at_us: int
    message: Message
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None


def without_payload(failure: Failure) -> Failure:
    """Drop the original bytes and attributes of a failure's message, and what its error quotes."""
    kept = replace(failure.message, payload=b"", attributes={}, earlier=None, whole_bytes=None)
    return replace(failure, message=kept, error=first_sentence(failure.error))


def first_sentence(error: str) -> str:
    """Return the first sentence of an error, in which no name or value of the input stands."""
    first, end, _ = error.partition(". ")
    return first + end.rstrip()


class _FailureJson(msgspec.Struct):
    """The fields of a failure's JSON that restore its message; msgspec decodes the base64."""

    source: str
    publish_time: datetime | None
    payload_base64: bytes | None
    attributes: dict[str, str]
    first_failed_at: datetime
    attempts: int


def failure_to_json(failure: Failure, *, with_payload: bool = True) -> bytes:
    """Write a failure as JSON; without its payload and attributes it cannot be replayed."""
    failure = failure if with_payload else without_payload(failure)
    message = failure.message
    payload = base64.b64encode(message.payload).decode() if with_payload else None
    fields = with_rfc3339_times(failure) | {
        "source": message.answer_place,
        "publish_time": to_rfc3339(message.publish_time_us),
        "payload_base64": payload,
        "attributes": message.attributes,
    }
    del fields["message"]
    return msgspec.json.encode(fields)


def message_of_failure(line: bytes) -> Message:
    """Read the message of a failure; raise ValueError if it has no original bytes, or is none."""
    try:
        written = msgspec.json.decode(line, type=_FailureJson)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise ValueError("the line is not a failure of groundwatch") from None
    if written.payload_base64 is None:
        raise ValueError("the failure was written without its original bytes")
    return Message(
        payload=written.payload_base64,
        attributes=written.attributes,
        place=written.source,
        publish_time_us=to_us(written.publish_time) if written.publish_time else None,
        earlier=EarlierFailure(
            first_failed_at_us=to_us(written.first_failed_at), attempts=written.attempts
        ),
    )
