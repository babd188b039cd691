"""Reading the records of one archive file, whatever it is packed in."""

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import IO, Any, Protocol, cast

import fastavro
from backports import zstd

from schemas.message import Message
from schemas.timestamps import to_us

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_AVRO_MAGIC = b"Obj\x01"
_MAGIC_BYTES = 4
_AVRO_NAME = ".avro"
_PACKED_NAMES = (".avro", ".gz", ".zst")
_AVRO_CODECS = ("null", "deflate", "snappy", "bzip2", "xz", "zstandard")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK_BYTES = 256 * 1024
_UNPACKING_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError)

_PAYLOAD_FIELDS = ("data", "payload", "message")
"""Where a row's message is looked for first; else in its only field of bytes or string."""

_ID_FIELDS = ("message_id", "messageId", "messageid")
"""Where Pub/Sub's subscriptions and templates write the message's id."""


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

    What it is is told by its first bytes, not by its name, which only tells that an empty file
    was meant to be a packed one. Lines end at a line feed only; blank ones are no messages.

    Args:
      stream: the file from its beginning.
      path: its name as matched, part of each message's place.

    Yields:
      The messages in the file's order, one at a time.

    Raises:
      DamagedArchive: after the last good record.
    """
    buffered = io.BufferedReader(cast("io.RawIOBase", stream))
    try:
        yield from _read_by_kind(buffered, path)
    finally:
        # The stream is the caller's to close.
        buffered.detach()


def _read_by_kind(buffered: "io.BufferedReader[io.RawIOBase]", path: str) -> Iterator[Message]:
    head = buffered.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]
    if _begins_with(_AVRO_MAGIC, head):
        yield from _read_rows(buffered, path)
    elif _begins_with(_GZIP_MAGIC, head):
        yield from _read_lines(gzip.GzipFile(fileobj=buffered), path)
    elif _begins_with(_ZSTD_MAGIC, head):
        yield from _read_lines(zstd.ZstdFile(buffered), path)
    elif path.endswith(_AVRO_NAME) and head:
        raise DamagedArchive("it is called Avro, and is none")
    elif not head and path.endswith(_PACKED_NAMES):
        raise DamagedArchive("it is empty, and a packed file never is")
    else:
        yield from _read_lines(buffered, path)


def _begins_with(magic: bytes, head: bytes) -> bool:
    """Tell whether a file is of a kind, though it may be cut inside its first bytes."""
    return bool(head) and head[: len(magic)] == magic[: len(head)]


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
        # A bad byte in a row is that row's failure; the archive can be read on.
        rows = fastavro.reader(stream, handle_unicode_errors="surrogateescape")
        field = _payload_field(rows.writer_schema)
        _refuse_codec(rows.codec)
        for number, row in enumerate(rows, start=1):
            yield _message(row, field, f"{path}#{number}")
    except DamagedArchive:
        raise
    except Exception as error:  # noqa: BLE001 - fastavro meets damage with whatever its decoders raise
        raise DamagedArchive(f"no valid Avro from here on: {type(error).__name__}") from None


def _payload_field(schema: Any) -> str:
    """Find the field that holds the message."""
    fields = schema.get("fields", ()) if isinstance(schema, Mapping) else ()
    texts = [field["name"] for field in fields if _is_text(field["type"])]
    named = [name for name in _PAYLOAD_FIELDS if name in texts]
    if not named and len(texts) != 1:
        wanted = ", ".join(_PAYLOAD_FIELDS)
        raise DamagedArchive(f"no field tells where the message is: name it one of {wanted}")
    return (named or texts)[0]


def _is_text(kind: Any) -> bool:
    """Tell whether a field is bytes or string, maybe with attributes, maybe null."""
    if isinstance(kind, list):
        return all(branch == "null" or _is_text(branch) for branch in kind)
    return (kind.get("type") if isinstance(kind, Mapping) else kind) in ("bytes", "string")


def _refuse_codec(codec: str) -> None:
    if codec not in _AVRO_CODECS:
        raise DamagedArchive(f"its codec is none of {', '.join(_AVRO_CODECS)}")


def _message(row: Mapping[str, Any], field: str, place: str) -> Message:
    payload = row[field] or b""
    attributes = row.get("attributes")
    return Message(
        payload=_original(payload) if isinstance(payload, str) else payload,
        attributes=_texts(attributes) if isinstance(attributes, Mapping) else {},
        place=_text(row, _ID_FIELDS) or place,
        publish_time_us=_time_us(row.get("publish_time")),
    )


def _text(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Take the first field of these names that holds text."""
    return next((row[name] for name in names if row.get(name) and isinstance(row[name], str)), None)


def _time_us(value: Any) -> int | None:
    """Take a time, which fastavro reads as a datetime."""
    return to_us(value) if isinstance(value, datetime) else None


def _texts(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Take the attributes that are text; a bad byte becomes a replacement character."""
    return {
        _original(name).decode(errors="replace"): _original(value).decode(errors="replace")
        for name, value in attributes.items()
        if isinstance(value, str)
    }


def _original(text: str) -> bytes:
    return text.encode(errors="surrogateescape")
