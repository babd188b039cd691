"""Make messages of a table's rows: each is a JSON object of its columns."""

import base64
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from schemas.message import Message


def row_message(row: Mapping[str, object], place: str) -> Message:
    """Write a row as JSON; times are RFC 3339, and bytes that are not UTF-8 are base64."""
    fields = _plain(row)
    try:
        payload = msgspec.json.encode(fields, enc_hook=str)
    except UnicodeEncodeError:
        # A byte that is not UTF-8 stays, so that the message fails with it.
        text = json.dumps(fields, ensure_ascii=False, default=str)
        payload = text.encode(errors="surrogateescape")
    return Message(payload=payload, place=place)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(field) for name, field in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        return _text(value)
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()
