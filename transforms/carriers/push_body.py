"""The body of a Pub/Sub push request, as endpoints archive it.

Source: https://docs.cloud.google.com/pubsub/docs/payload-unwrapping
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from schemas.message import UnreadableAnswer
from schemas.wire.wire_type import words
from transforms.carriers.carrier import CarriedBody, Carrier, text_attributes


def _unwrap(body: Mapping[str, Any]) -> Iterator[CarriedBody]:
    message = body["message"]
    attributes = message.get("attributes")
    yield CarriedBody(
        body=decode_data(message["data"]),
        attributes=text_attributes(**attributes if isinstance(attributes, dict) else {})
        | text_attributes(groundwatch_carrier_id=message.get("messageId")),
        publish_time=str(message.get("publishTime", "")),
    )


def decode_data(data: str) -> str:
    """Decode the base64 of a message."""
    try:
        return base64.b64decode(data, validate=True).decode()
    except ValueError:
        raise UnreadableAnswer(
            "The data of the message is neither JSON nor base64 of UTF-8: store it as Pub/Sub wrote"
            " it."
        ) from None


def _is_push_body(body: Mapping[str, Any]) -> bool:
    message = body.get("message")
    return isinstance(message, dict) and isinstance(message.get("data"), str)


PUSH_BODY = Carrier(
    name="push body",
    marks=frozenset({"message"}),
    knows=frozenset(words("message subscription deliveryAttempt")).__contains__,
    detects=_is_push_body,
    unwrap=_unwrap,
)
