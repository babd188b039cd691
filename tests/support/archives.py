"""Archives for tests: packing them, and reading them as far as they go."""

import gzip
import io
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import fastavro

from groundwatch.pipeline.sources.archives import examine_file, read_archive, read_examined_file
from groundwatch.pipeline.sources.avro_files import Buffered
from groundwatch.pipeline.sources.compression import DamagedArchive, zstd
from groundwatch.schemas.message import Message

_FOLDER = tempfile.TemporaryDirectory()


def zstd_with_checksum(content: bytes) -> bytes:
    """Compress as the command `zstd` does, which adds a checksum."""
    return zstd.compress(content, options={zstd.CompressionParameter.checksum_flag: 1})


COMPRESSED = {"plain": bytes, "gzip": gzip.compress, "zstandard": zstd.compress}
"""The ways in which lines are compressed, each with what compresses them."""

CHECKSUMMED = {"gzip": gzip.compress, "zstandard": zstd_with_checksum}
"""Those with a checksum."""


def an_envelope(number: int, **fields: Any) -> bytes:
    """A line with an answer that its fact supports, named by its number."""
    given = {
        "id": f"answer-{number}",
        "time": "2026-03-02T08:00:00Z",
        "engine": "shop",
        "query": "Do lamps glow?",
        "answer": "Lamps glow red at night.",
        "facts": ["Lamps glow red at night."],
    }
    return json.dumps(given | fields, ensure_ascii=False).encode()


def an_unsupported_envelope(number: int, **fields: Any) -> bytes:
    """A line with an answer that its fact does not support, named by its number."""
    return an_envelope(number, answer="Kettles vote in Senegal.", **fields)


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


def buffered(stream: io.BytesIO | io.RawIOBase) -> Buffered:
    """A stream as `read_archive` takes it."""
    return io.BufferedReader(cast("io.RawIOBase", stream))


def read_all(content: bytes, path: str = "answers.jsonl") -> list[Message]:
    """The messages of an archive that is whole."""
    return list(read_archive(buffered(io.BytesIO(content)), path))


def read_damaged(content: bytes, path: str = "answers.jsonl") -> tuple[list[Message], str | None]:
    """The messages that count, and the damage, if there is any."""
    file = Path(_FOLDER.name) / path
    file.write_bytes(content)
    contents = examine_file(str(file), are_failures=False)
    messages: list[Message] = []
    try:
        for message in read_examined_file(str(file), contents, are_failures=False):
            messages.append(message)  # noqa: PERF402 - those before the damage are needed
    except DamagedArchive as damage:
        return messages, str(damage)
    return messages, None


def payloads(messages: Iterable[Message]) -> list[bytes]:
    """What the messages hold."""
    return [message.payload for message in messages]
