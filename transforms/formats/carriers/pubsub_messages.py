"""Pub/Sub messages in JSON: the body of a push request, and a row of a subscription to BigQuery.

Sources: https://docs.cloud.google.com/pubsub/docs/payload-unwrapping for the bodies, as endpoints
archive them; https://docs.cloud.google.com/pubsub/docs/bigquery for the rows, with or without their
metadata.
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import JSON_STARTS, read_embedded
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.unread_content import all_but, below
from .carrier import CarriedBody, Carrier, text_attributes

_METADATA = frozenset(words("subscriptionName messageId publishTime"))
_COLUMNS = frozenset({"data", "attributes"})


def _unwrap_row(row: Mapping[str, Any]) -> Iterator[CarriedBody]:
    data = row["data"]
    is_base64 = isinstance(data, str) and not data.lstrip().startswith(JSON_STARTS)
    yield _carried(row, _decode(data) if is_base64 else data)  # an export of bytes is base64


def _carried(message: Mapping[str, Any], body: object) -> CarriedBody:
    attributes = read_embedded(message.get("attributes"))
    return CarriedBody(
        body=body,
        attributes=text_attributes(**attributes if isinstance(attributes, dict) else {})
        | text_attributes(groundwatch_carrier_id=message.get("messageId")),
        publish_time=str(message.get("publishTime", "")),
    )


def _decode(data: str) -> str:
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


def _is_row(row: Mapping[str, Any]) -> bool:
    names = _METADATA.intersection(row)
    return isinstance(row["data"], str | dict) and (bool(names) or row.keys() <= _COLUMNS)


PUSH_BODY = Carrier(
    name="push body",
    marks=frozenset({"message"}),
    unread=lambda body: (
        *all_but("message")(body),
        *below("message", all_but("data")(body["message"])),
    ),
    detects=_is_push_body,
    unwrap=lambda body: [_carried(body["message"], _decode(body["message"]["data"]))],
)

SUBSCRIPTION_ROW = Carrier(
    name="subscription row",
    marks=frozenset({"data"}),
    unread=all_but("data"),
    detects=_is_row,
    unwrap=_unwrap_row,
)
