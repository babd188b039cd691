"""Archives for tests: packing them, and reading them as far as they go."""

import gzip
import io
import json
from collections.abc import Iterable
from typing import Any

import fastavro
from backports import zstd

from pipeline.archives import DamagedArchive, read_archive
from schemas.message import Message

PACKED = {"plain": bytes, "gzip": gzip.compress, "zstandard": zstd.compress}
"""The ways in which lines are packed, each with what packs them."""


def an_envelope(number: int, **members: Any) -> bytes:
    """A line with an answer that its fact supports, named by its number."""
    given = {
        "id": f"answer-{number}",
        "time": "2026-03-02T08:00:00Z",
        "engine": "shop",
        "query": "Do lamps glow?",
        "answer": "Lamps glow red at night.",
        "facts": ["Lamps glow red at night."],
    }
    return json.dumps(given | members, ensure_ascii=False).encode()


def an_unsupported_envelope(number: int, **members: Any) -> bytes:
    """A line with an answer that its fact does not support, named by its number."""
    return an_envelope(number, answer="Kettles vote in Senegal.", **members)


def lines_of(*lines: bytes) -> bytes:
    """Lines as a file holds them."""
    return b"".join(line + b"\n" for line in lines)


def avro_of(
    rows: Iterable[dict[str, Any]], *fields: tuple[str, Any], codec: str = "null", block: int = 200
) -> bytes:
    """An Avro file of rows, in blocks of about so many bytes."""
    named = [{"name": name, "type": kind} for name, kind in fields]
    schema = {"type": "record", "name": "Row", "fields": named}
    stream = io.BytesIO()
    fastavro.writer(stream, schema, rows, codec=codec, sync_interval=block)
    return stream.getvalue()


def read_all(content: bytes, path: str = "answers.jsonl") -> list[Message]:
    """The messages of an archive that is whole."""
    return list(read_archive(io.BytesIO(content), path))


def read_damaged(
    content: bytes, path: str = "answers.jsonl"
) -> tuple[list[Message], DamagedArchive | None]:
    """The messages before the damage, and the damage, if there is any."""
    messages: list[Message] = []
    try:
        for message in read_archive(io.BytesIO(content), path):
            messages.append(message)  # noqa: PERF402 - what was read before the fault counts
    except DamagedArchive as damage:
        return messages, damage
    return messages, None


def payloads(messages: Iterable[Message]) -> list[bytes]:
    """What the messages hold."""
    return [message.payload for message in messages]
