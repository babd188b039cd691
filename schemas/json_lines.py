"""Alerts and failures as lines of JSON, in the field names of their Avro schemas."""

import base64
from datetime import datetime
from typing import Any

import msgspec

from schemas.alert import Alert
from schemas.failure import Failure
from schemas.message import EarlierFailure, Message
from schemas.timestamps import to_rfc3339, to_us


class _WrittenFailure(msgspec.Struct):
    """What of a failure's JSON its message is made of again; msgspec undoes the base64."""

    source: str
    publish_time: datetime | None
    payload_base64: bytes | None
    attributes: dict[str, str]
    first_failed_at: datetime
    attempts: int


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_WrittenFailure)


def alert_to_json(alert: Alert) -> bytes:
    """Write an alert as one JSON object; times are RFC 3339, members of `alert.avsc` all there."""
    members: dict[str, Any] = msgspec.structs.asdict(alert)
    for name in ("rate", "no_data"):
        if members[name] is not None:
            members[name] = _with_written_times(msgspec.structs.asdict(members[name]))
    return _encoder.encode(_with_written_times(members))


def _with_written_times(members: dict[str, Any]) -> dict[str, Any]:
    """Write the times among the members, which are named for their unit, as people do."""
    return {
        name.removesuffix("_us"): to_rfc3339(value) if name.endswith("_us") else value
        for name, value in members.items()
    }


def failure_to_json(failure: Failure, *, with_payload: bool = True) -> bytes:
    """Write a failure as one JSON object, in the members of `failure.avsc`.

    Args:
      failure: the failure.
      with_payload: whether to hold the original bytes (base64) and attributes; without them
        nothing can be replayed.

    Returns:
      The object, without a line's end.
    """
    message = failure.message
    payload = base64.b64encode(message.payload).decode() if with_payload else None
    return _encoder.encode(
        {
            "record_id": failure.record_id,
            "step": failure.step,
            "error_class": failure.error_class,
            "error": failure.error,
            "retryable": failure.retryable,
            "attempts": failure.attempts,
            "first_failed_at": to_rfc3339(failure.first_failed_at_us),
            "last_failed_at": to_rfc3339(failure.last_failed_at_us),
            "source": message.answer_place,
            "publish_time": to_rfc3339(message.publish_time_us),
            "payload_base64": payload,
            "attributes": message.attributes if with_payload else {},
        }
    )


def message_of_failure(line: bytes) -> Message:
    """Read back the message that failed, which knows of its failure.

    Args:
      line: one JSON object, as `failure_to_json` writes it.

    Returns:
      The message, byte for byte, with its attributes and its place.

    Raises:
      ValueError: the line is no failure, or holds no original bytes.
    """
    try:
        written = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise ValueError("the line is no failure of groundwatch") from None
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
