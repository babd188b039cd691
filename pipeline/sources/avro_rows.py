"""Read messages from the rows of an Avro archive."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from pipeline.sources.avro_blocks import AvroFile, Buffered, Row
from pipeline.sources.compression import DamagedArchive
from schemas.enriched_answer import avro_to_payload, is_enriched_schema
from schemas.message import Message
from schemas.quantities import EPOCH, to_us

_PAYLOAD_FIELDS = ("data", "payload", "message")
"""The fields that may hold a row's message; otherwise its only field of bytes or string does."""

_ID_FIELDS = ("message_id", "messageId", "messageid")
"""The fields in which Pub/Sub's subscriptions and templates write the message's id."""

_SUBSCRIPTION_FIELD = "subscription_name"
"""The field that Pub/Sub's Cloud Storage subscriptions add to a message.

Source: docs.cloud.google.com/pubsub/docs/create-cloudstorage-subscription, "Write metadata".
"""

_TEMPLATE_RECORD = "AvroPubsubMessageRecord"
"""The record of Dataflow's template "Pub/Sub to Avro"; its time is a long of milliseconds.

Source: GoogleCloudPlatform/DataflowTemplates, com.google.cloud.teleport.avro.
"""

_Reading = Callable[[Row, str], Message]


def read_rows(stream: Buffered, path: str, *, salvage: bool = False) -> Iterator[Message]:
    """Read the rows of an Avro archive, which hold a message or are enriched records.

    Raises:
      DamagedArchive: after the last good row; it says how many messages before count.
    """
    # A bad byte in a row fails that row only.
    file = AvroFile(stream, "surrogateescape")
    read = _reading(file.schema)
    number = verified = 0
    try:
        for block in file.blocks(salvage=salvage):
            numbered = enumerate(block.rows, number + 1)
            try:
                messages = [read(row, f"{path}#{place}") for place, row in numbered]
            except Exception as error:  # noqa: BLE001 - a schema of this name may have other types
                raise DamagedArchive(f"a row holds no message: {type(error).__name__}") from None
            yield from messages
            number += len(block.rows)
            if block.is_verified:
                verified = number
    except DamagedArchive as error:
        error.verified = verified
        raise


def _reading(schema: Any) -> _Reading:
    """Choose the function that makes a message of a row, by the schema."""
    if is_enriched_schema(schema):
        return lambda row, place: Message(payload=avro_to_payload(row), place=place)
    named_schema = schema if isinstance(schema, Mapping) else {}
    fields = named_schema.get("fields", ())
    texts = [field["name"] for field in fields if _is_text(field["type"])]
    named = [name for name in _PAYLOAD_FIELDS if name in texts]
    others = [name for name in texts if name not in (*_ID_FIELDS, _SUBSCRIPTION_FIELD)]
    if not named and len(others) != 1:
        wanted = ", ".join(_PAYLOAD_FIELDS)
        raise DamagedArchive(f"no field is known to hold the message: rename it to one of {wanted}")
    is_of_template = str(named_schema.get("name")).endswith(_TEMPLATE_RECORD)
    time_us = _template_time_us if is_of_template else _publish_time_us
    return partial(_message, field=(named or others)[0], time_us=time_us)


def _is_text(kind: Any) -> bool:
    """Tell whether a field is bytes or string, nullable or not."""
    if isinstance(kind, list):
        return all(branch == "null" or _is_text(branch) for branch in kind)
    return (kind.get("type") if isinstance(kind, Mapping) else kind) in ("bytes", "string")


def _message(row: Row, place: str, *, field: str, time_us: Callable[[Row], int | None]) -> Message:
    payload = row[field] or b""
    attributes = row.get("attributes")
    named = attributes.items() if isinstance(attributes, Mapping) else ()
    ids = (row[name] for name in _ID_FIELDS if row.get(name) and isinstance(row[name], str))
    return Message(
        payload=_original(payload) if isinstance(payload, str) else payload,
        attributes={_escaped(k): _escaped(v) for k, v in named if isinstance(v, str)},
        place=next(map(_escaped, ids), place),
        publish_time_us=time_us(row),
    )


def _publish_time_us(row: Row) -> int | None:
    time = row.get("publish_time")
    return to_us(time) if isinstance(time, datetime) else None


def _template_time_us(row: Row) -> int | None:
    try:
        return to_us(EPOCH + timedelta(milliseconds=row["timestamp"]))
    except (KeyError, OverflowError, TypeError):
        # Beam's time for an element without one is outside of the calendar.
        return None


def _escaped(text: str) -> str:
    """Escape bytes that are not UTF-8, so that different names stay different."""
    return _original(text).decode(errors="backslashreplace")


def _original(text: str) -> bytes:
    return text.encode(errors="surrogateescape")
