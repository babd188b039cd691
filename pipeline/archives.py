"""Reading the records of one archive file, whatever it is packed in."""

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any, Protocol, cast

import fastavro
from backports import zstd

from schemas.message import Message

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_AVRO_MAGIC = b"Obj\x01"
_MAGIC_BYTES = 4
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK_BYTES = 256 * 1024
_UNPACKING_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError)

_PAYLOAD_FIELDS = ("data", "payload", "message")
"""Where a row's message is looked for first; else in its only field of bytes or string."""


class _Chunks(Protocol):
    def read1(self, size: int, /) -> bytes: ...


class DamagedArchive(Exception):
    """An archive that ends too soon or cannot be read on; the records before it were good.

    Attributes:
      remains: the bytes that are left of the record that was cut.
    """

    def __init__(self, reason: str, remains: bytes = b"") -> None:
        super().__init__(reason)
        self.remains = remains


def read_archive(stream: IO[bytes], path: str) -> Iterator[Message]:
    """Read an archive: JSON lines, plain or packed with gzip or zstandard, or Avro.

    What it is is told by its first bytes, not by its name. Lines end at a line feed only; blank
    ones are no messages.

    Args:
      stream: the file from its beginning.
      path: its name as matched, part of each message's place.

    Yields:
      The messages in the file's order, one at a time.

    Raises:
      DamagedArchive: after the last good record.
    """
    buffered = io.BufferedReader(cast("io.RawIOBase", stream))
    magic = buffered.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]
    if magic == _AVRO_MAGIC:
        yield from _read_rows(buffered, path)
    elif magic.startswith(_GZIP_MAGIC):
        yield from _read_lines(gzip.GzipFile(fileobj=buffered), path)
    elif magic == _ZSTD_MAGIC:
        yield from _read_lines(zstd.ZstdFile(buffered), path)
    else:
        yield from _read_lines(buffered, path)


def _read_lines(stream: _Chunks, path: str) -> Iterator[Message]:
    for number, line in enumerate(_split_lines(stream), start=1):
        payload = line.removesuffix(b"\r")
        if payload.removeprefix(_BYTE_ORDER_MARK).strip():
            yield Message(payload=payload, place=f"{path}#{number}")


def _split_lines(stream: _Chunks) -> Iterator[bytes]:
    """Cut at line feeds; unlike a file's own lines, keeps what was read before a fault."""
    pieces: list[bytes] = []
    try:
        while chunk := stream.read1(_CHUNK_BYTES):
            first, *others = chunk.split(b"\n")
            pieces.append(first)
            for piece in others:
                yield b"".join(pieces)
                pieces = [piece]
    except _UNPACKING_ERRORS as error:
        raise DamagedArchive(str(error), b"".join(pieces)) from None
    if last := b"".join(pieces):
        yield last


def _read_rows(stream: IO[bytes], path: str) -> Iterator[Message]:
    try:
        rows = fastavro.reader(stream)
        field = _payload_field(rows.writer_schema)
        for number, row in enumerate(rows, start=1):
            yield _message(row, field, f"{path}#{number}")
    except DamagedArchive:
        raise
    except Exception as error:  # noqa: BLE001 - fastavro meets damage with whatever its decoders raise
        raise DamagedArchive(f"no valid Avro from here on: {type(error).__name__}") from None


def _payload_field(schema: Any) -> str:
    """Find the field that holds the message."""
    fields: dict[str, Any] = {field["name"]: field["type"] for field in schema["fields"]}
    for name in _PAYLOAD_FIELDS:
        if name in fields:
            return name
    texts = [name for name, kind in fields.items() if kind in ("bytes", "string")]
    if len(texts) != 1:
        wanted = ", ".join(_PAYLOAD_FIELDS)
        raise DamagedArchive(f"no field tells where the message is: name it one of {wanted}")
    return texts[0]


def _message(row: Mapping[str, Any], field: str, place: str) -> Message:
    payload = row[field]
    attributes = row.get("attributes")
    return Message(
        payload=payload.encode() if isinstance(payload, str) else bytes(payload or b""),
        attributes=dict(attributes) if isinstance(attributes, Mapping) else {},
        place=place,
    )
