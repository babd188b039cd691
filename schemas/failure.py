"""A failure: one message that did not become an enriched record, and why."""

import base64
from datetime import datetime

import msgspec

from schemas import Record
from schemas.message import EarlierFailure, Message
from schemas.quantities import to_rfc3339, to_us


class Failure(Record, frozen=True, kw_only=True):
    """One message that one step could not handle, with what `replay` needs to try again.

    Attributes:
      record_id: the answer's id, None when the message was not understood.
      step: the label of the step that gave up.
      error_class: a short stable name such as ``UnreadableAnswer``.
      error: one sentence for a person, holding no text of the answer.
      retryable: whether trying again may help.
      attempts: how often the step tried, at least 1.
      first_failed_at_us, last_failed_at_us: microseconds since 1970 UTC.
      message: the original message.
    """

    record_id: str | None = None
    step: str
    error_class: str
    error: str
    retryable: bool
    attempts: int = 1
    first_failed_at_us: int
    last_failed_at_us: int
    message: Message


class _WrittenFailure(msgspec.Struct):
    """What of a failure's JSON its message is made of again; msgspec undoes the base64."""

    source: str
    publish_time: datetime | None
    payload_base64: bytes | None
    attributes: dict[str, str]
    first_failed_at: datetime
    attempts: int


_decoder = msgspec.json.Decoder(_WrittenFailure)


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
    return msgspec.json.encode(
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
