"""What Pub/Sub delivers, in the words of the rest of groundwatch."""

from typing import Any

from schemas import Record
from schemas.message import Message


class Delivery(Record, frozen=True):
    """One message, delivered once.

    Attributes:
      ack_id: what settles this delivery.
      message: its `place` is the message id.
      size_bytes: of all that was delivered.
    """

    ack_id: str
    message: Message
    size_bytes: int


def deliveries_of(response: Any) -> list[Delivery]:
    """List what a StreamingPullResponse (the bare protocol buffer) holds."""
    return [
        Delivery(received.ack_id, _message_of(received.message), received.message.ByteSize())
        for received in response.received_messages
    ]


def _message_of(message: Any) -> Message:
    return Message(
        payload=message.data,
        attributes=dict(message.attributes),
        place=message.message_id,
        publish_time_us=message.publish_time.ToMicroseconds(),
    )
