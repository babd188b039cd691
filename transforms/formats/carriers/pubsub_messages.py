"""Pub/Sub messages in JSON: the body of a push request, and a row of a subscription to BigQuery.

Sources: https://docs.cloud.google.com/pubsub/docs/payload-unwrapping for the bodies, as endpoints
archive them; https://docs.cloud.google.com/pubsub/docs/bigquery for the rows, with or without their
metadata; https://github.com/cloudevents/spec for the events in which Eventarc delivers messages.
"""

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from groundwatch.schemas.message import UnreadableAnswer
from groundwatch.schemas.wire.json_input import JSON_START, fields_of, plain_json, read_embedded
from groundwatch.schemas.wire.wire_type import words
from groundwatch.transforms.formats.unread_content import SearchedPart, all_but, below
from .carrier import CarriedBody, Carrier, text_attributes

_METADATA = frozenset(words("subscriptionName messageId publishTime"))
_COLUMNS = frozenset({"data", "attributes"})
_DATA = words("data dataBase64")
_EVENT = frozenset({"specversion", "source"})


def _unwrap_row(row: Mapping[str, Any]) -> Iterator[CarriedBody]:
    names = [name for name in _DATA if name in row]
    if not names:  # the topic has a schema, of which each field has a column
        yield _carried(row, {name: row[name] for name in row if name not in _beside_fields(row)})
        return
    data = row[names[0]]
    is_base64 = isinstance(data, str) and not JSON_START.match(data)
    yield _carried(row, _decode(data) if is_base64 else data)  # an export of bytes is base64


def _beside_fields(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: row[name] for name in (*_METADATA, "attributes") if name in row}


def _carried(message: Mapping[str, Any], body: object) -> CarriedBody:
    attributes = fields_of(read_embedded(message.get("attributes")))
    event_id = f"{message['source']} {message.get('id', '')}" if message.keys() >= _EVENT else ""
    return CarriedBody(
        body=body,
        attributes=text_attributes(**attributes)
        | text_attributes(groundwatch_carrier_id=message.get("messageId") or event_id),
        publish_time=str(message.get("publishTime") or (event_id and message.get("time")) or ""),
    )


def _decode(data: str) -> str:
    try:
        return plain_json(base64.b64decode(data, validate=True)).decode()
    except ValueError:
        raise UnreadableAnswer(
            "The data of the message is neither JSON nor base64 of UTF-8: store it as Pub/Sub wrote"
            " it."
        ) from None


def _is_row(row: Mapping[str, Any]) -> bool:
    data = [row[name] for name in _DATA if name in row]
    if not data:
        return row.keys() >= _METADATA
    is_alone = row.keys() <= _COLUMNS or row.keys() >= _EVENT
    return isinstance(data[0], str | dict) and (is_alone or not _METADATA.isdisjoint(row))


def _unread_of_row(row: Mapping[str, Any]) -> Iterator[SearchedPart]:
    has_data = any(name in row for name in _DATA)
    yield from all_but(*_DATA)(row if has_data else _beside_fields(row))


PUSH_BODY = Carrier(
    name="push body",
    marks=frozenset({"message"}),
    unread=lambda body: (
        *all_but("message")(body),
        *below("message", all_but("data")(body["message"])),
    ),
    detects=lambda body: isinstance(fields_of(body["message"]).get("data"), str),
    unwrap=lambda body: [_carried(body["message"], _decode(body["message"]["data"]))],
)

SUBSCRIPTION_ROW = Carrier(
    name="subscription row",
    marks=_METADATA.union(_DATA),
    unread=_unread_of_row,
    detects=_is_row,
    unwrap=_unwrap_row,
)
