"""Read Avro files block by block, each verified before its rows are used."""

import bz2
import json
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from typing import Any, TypeAlias

import cramjam
from fastavro import parse_schema, schemaless_reader

from groundwatch.schemas.enriched_answer import avro_to_payload, is_enriched_schema
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import EPOCH, MEGABYTE, to_us
from groundwatch.transforms.formats.field_maps.json_path import read_text_as_json
from .compression import MAX_DECODED_BYTES, DamagedArchive, refuse_expansion, zstd
from .tables import row_message

AVRO_MAGIC = b"Obj\x01"
_SYNC_BYTES = 16
_MAGIC = {"type": "fixed", "name": "Magic", "size": len(AVRO_MAGIC)}
_METADATA = {"type": "map", "values": "bytes"}
_SYNC = {"type": "fixed", "name": "Sync", "size": _SYNC_BYTES}
_HEADER_FIELDS = {"magic": _MAGIC, "metadata": _METADATA, "sync": _SYNC}
_FIELDS = [{"name": name, "type": kind} for name, kind in _HEADER_FIELDS.items()]
_HEADER = parse_schema({"type": "record", "name": "Header", "fields": _FIELDS})
_CHUNK_BYTES = 64 * 1024
# A larger block is decoded with a limit of its values, each of which takes some 200 bytes.
_UNCOUNTED_BYTES = 2 * MEGABYTE
_MAX_VALUES = 3_000_000
_MAX_LONG_BYTES = 10
_CRC_BYTES = 4
_MAX_BLOCK_MEMORY = 256 * MEGABYTE
_WRONG_CHECKSUM = "its checksum is wrong"
_DECODERS: Mapping[str, Callable[[], Any]] = {
    "deflate": lambda: zlib.decompressobj(-zlib.MAX_WBITS),
    "bzip2": bz2.BZ2Decompressor,
    "xz": partial(lzma.LZMADecompressor, memlimit=_MAX_BLOCK_MEMORY),
    "zstandard": zstd.ZstdDecompressor,
}
_CODECS = ("null", "snappy", *_DECODERS)

# The fields that may hold a row's message; otherwise its only field of bytes or string does.
_PAYLOAD_FIELDS = ("data", "payload", "message")
# The fields in which Pub/Sub's subscriptions and templates write the message's id.
_ID_FIELDS = ("message_id", "messageId", "messageid")
# Source: docs.cloud.google.com/pubsub/docs/create-cloudstorage-subscription, "Write metadata".
_SUBSCRIPTION_FIELD = "subscription_name"
# The record of Dataflow's template "Pub/Sub to Avro"; its time is a long of milliseconds.
# Source: GoogleCloudPlatform/DataflowTemplates, com.google.cloud.teleport.avro.
_TEMPLATE_RECORD = "AvroPubsubMessageRecord"

ArchiveRow = dict[str, Any]
Buffered: TypeAlias = "BufferedReader[RawIOBase]"
_Reading = Callable[[ArchiveRow, str], Message]


class AvroFile:
    """Read the blocks of an Avro file.

    A block is verified by its codec (a checksum, or the end of the compressed data), by the sync
    marker behind it, and by its rows, which have to fill it. fastavro verifies less.
    """

    def __init__(self, stream: Buffered, handle_unicode_errors: str = "surrogateescape") -> None:
        self._stream = stream
        self._reader = _Reader(stream)
        self._errors = handle_unicode_errors
        try:
            header: Any = schemaless_reader(self._reader, _HEADER, None)
        except (EOFError, OverflowError, ValueError) as error:
            raise DamagedArchive(f"its Avro header is damaged: {error}") from None
        if header["magic"] != AVRO_MAGIC:
            raise DamagedArchive("its Avro header is damaged: it does not begin as Avro")
        self._sync = header["sync"]
        self._codec = header["metadata"].get("avro.codec", b"null").decode(errors="replace")
        if self._codec not in _CODECS:
            known = ", ".join(_CODECS)
            raise DamagedArchive(f"its codec is unknown. It is {self._codec[:40]!r}, not {known}")
        try:
            # As the writer wrote it, in fastavro's form.
            schema = json.loads(header["metadata"]["avro.schema"])
            self.schema: Any = parse_schema(schema, _force=True)
        except Exception as error:  # noqa: BLE001 - fastavro raises whatever its parsers do
            reason = f"its Avro schema cannot be read: {type(error).__name__}"
            raise DamagedArchive(reason) from None
        self._plain_schema = _without_logical_types(self.schema)
        named = self.schema.get("__named_schemas", {}) if isinstance(self.schema, Mapping) else {}
        # As many of them as a few bytes claim would fill the memory.
        if not all(_has_bytes(each, named) for each in _arrays(self.schema)):
            raise DamagedArchive("its Avro schema has an array of values without bytes")

    @property
    def position(self) -> int:
        """The byte behind what was read."""
        return self._reader.offset

    def seek(self, start_byte: int) -> None:
        """Go to the byte at which a block begins; the file can be read at any place."""
        self._stream.seek(start_byte)
        self._reader.offset = start_byte

    def blocks(self) -> Iterator[list[ArchiveRow]]:
        """Read the rows of each block, until DamagedArchive."""
        number = decoded_bytes = 0
        while self._stream.peek(1):
            number, start = number + 1, self._reader.offset
            try:
                count, data = self._read_block()
                decoded_bytes += len(data)
                refuse_expansion(self._reader.offset, decoded_bytes)
                rows = self._decode(count, data)
            except (EOFError, ValueError) as error:
                raise DamagedArchive(
                    f"Avro block {number}, from byte {start}, is damaged before byte"
                    f" {self._reader.offset}: {error}"
                ) from None
            yield rows

    def _read_block(self) -> tuple[int, bytes]:
        """Return the count of rows and the decompressed data."""
        count = self._reader.read_long()
        if count < 0:
            raise ValueError(f"it claims to have {count} rows")
        data = _decompress(self._codec, self._reader.read(self._reader.read_long()))
        if self._reader.read(_SYNC_BYTES) != self._sync:
            raise ValueError("its sync marker is wrong")
        # A damaged count of rows without bytes would never end.
        if count > len(data):
            raise ValueError(f"it claims to have {count} rows")
        return count, data

    def _decode(self, count: int, data: bytes) -> list[ArchiveRow]:
        rows: list[Any] = []
        stream = BytesIO(data) if len(data) <= _UNCOUNTED_BYTES else _CountedValues(data)
        try:
            for _ in range(count):
                rows.append(self._decode_row(stream))  # noqa: PERF401 - of a damaged block the rows before the fault stay
        except Exception as error:  # noqa: BLE001 - fastavro raises whatever its decoders do
            reason = error if isinstance(error, _TooManyValues) else type(error).__name__
            raise ValueError(f"row {len(rows) + 1} cannot be decoded: {reason}") from None
        if stream.read(1):
            raise ValueError("something follows its last row")
        return rows

    def _decode_row(self, stream: BytesIO) -> Any:
        start_byte, errors = stream.tell(), self._errors
        try:
            return schemaless_reader(stream, self.schema, None, handle_unicode_errors=errors)
        except OverflowError:
            # A time outside of the calendar stays a number, so that the other rows are read.
            stream.seek(start_byte)
            return schemaless_reader(stream, self._plain_schema, None, handle_unicode_errors=errors)


class _TooManyValues(Exception):
    """A block has more values than fit into the memory."""


class _CountedValues(BytesIO):
    """The data of a block, of which only so many values are read."""

    _values = 0

    def read(self, size: int | None = -1) -> bytes:
        """Read some bytes, or raise _TooManyValues."""
        self._values += 1
        if self._values > _MAX_VALUES:
            raise _TooManyValues(f"its block has more than {_MAX_VALUES:,} values")
        return super().read(size)


def _without_logical_types(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_logical_types(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    kept = (name for name in schema if name != "logicalType")
    return {name: _without_logical_types(schema[name]) for name in kept}


def _arrays(schema: Any) -> Iterator[Any]:
    """List the types of the items of all arrays in a schema."""
    if isinstance(schema, Mapping):
        if schema.get("type") == "array":
            yield schema["items"]
        for each in schema.values():
            yield from _arrays(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _arrays(each)


def _has_bytes(schema: Any, named: Mapping[str, Any], seen: tuple[str, ...] = ()) -> bool:
    """Return whether each value of a type takes at least a byte."""
    if isinstance(schema, str):
        is_known = schema in named and schema not in seen
        return _has_bytes(named[schema], named, (*seen, schema)) if is_known else schema != "null"
    if isinstance(schema, list):
        return True
    if schema["type"] == "record":
        return any(_has_bytes(field["type"], named, seen) for field in schema["fields"])
    return bool(schema["size"]) if schema["type"] == "fixed" else schema["type"] != "null"


class _Reader:
    """Reads exactly as many bytes as are asked for, and counts them."""

    def __init__(self, stream: Buffered) -> None:
        self._stream = stream
        self.offset = 0

    def read(self, size: int) -> bytes:
        """Read so many bytes, or raise EOFError; ValueError for an odd size."""
        if not 0 <= size <= MAX_DECODED_BYTES:
            raise ValueError(f"it claims to have {size} bytes")
        # In pieces, since a stream allocates memory for the requested size.
        data = bytearray()
        while len(data) < size:
            piece = self._stream.read(min(size - len(data), _CHUNK_BYTES))
            if not piece:
                raise EOFError(f"it ends early, after {len(data)} of {size} bytes")
            self.offset += len(piece)
            data += piece
        return bytes(data)

    def read_long(self) -> int:
        """Read an integer of Avro: zigzag, variable length."""
        number = 0
        for position in range(_MAX_LONG_BYTES):
            [byte] = self.read(1)
            number |= (byte & 0x7F) << (7 * position)
            if not byte & 0x80:
                return (number >> 1) ^ -(number & 1)
        raise ValueError("a length of it has more than 10 bytes")


def _decompress(codec: str, data: bytes) -> bytes:
    """Decompress a block, or raise ValueError."""
    if codec == "null":
        return data
    if codec == "snappy":
        return _decompress_snappy(data)
    whole, position, decoder = bytearray(), 0, _DECODERS[codec]()
    try:
        while position < len(data) and len(whole) <= MAX_DECODED_BYTES:
            piece = memoryview(data)[position : position + _CHUNK_BYTES]
            whole += decoder.decompress(piece, MAX_DECODED_BYTES + 1 - len(whole))
            position += len(piece) - len(decoder.unused_data)
            if decoder.eof and codec == "deflate":
                break
            if decoder.eof and position < len(data):
                decoder = _DECODERS[codec]()
    except Exception as error:  # noqa: BLE001 - each codec raises errors of its own
        raise ValueError(f"it cannot be decompressed: {type(error).__name__}") from None
    _require_bounded(len(whole))
    if not decoder.eof:
        raise ValueError("its compressed data ends early")
    data = data[position:]
    # fastavro leaves the beginning of zlib's checksum after the compressed data.
    has_checksum = codec == "deflate" and len(data) in (_CRC_BYTES - 1, _CRC_BYTES)
    if has_checksum and not zlib.adler32(whole).to_bytes(_CRC_BYTES).startswith(data):
        raise ValueError(_WRONG_CHECKSUM)
    return bytes(whole)


def _require_bounded(size: int) -> None:
    if size > MAX_DECODED_BYTES:
        raise ValueError(f"it decodes to more than {MAX_DECODED_BYTES:,} bytes")


def _decompress_snappy(data: bytes) -> bytes:
    """Source: avro.apache.org/docs/1.12.0/specification, "snappy": a CRC-32 follows the data."""
    try:
        _require_bounded(cramjam.snappy.decompress_raw_len(data[:-_CRC_BYTES]))
        decompressed = bytes(cramjam.snappy.decompress_raw(data[:-_CRC_BYTES]))
    except cramjam.DecompressionError as error:
        raise ValueError(f"it cannot be decompressed: {type(error).__name__}") from None
    if zlib.crc32(decompressed) != int.from_bytes(data[-_CRC_BYTES:]):
        raise ValueError(_WRONG_CHECKSUM)
    return decompressed


def read_rows(stream: Buffered, path: str) -> Iterator[Message]:
    """Read the rows of an Avro archive, which hold a message or are enriched records."""
    # A bad byte in a row fails that row only.
    file = AvroFile(stream, "surrogateescape")
    read = _reading(file.schema)
    number = 0
    try:
        for rows in file.blocks():
            numbered = enumerate(rows, number + 1)
            try:
                messages = [read(row, f"{path}#{place}") for place, row in numbered]
            except Exception as error:  # noqa: BLE001 - a schema of this name may have other types
                raise DamagedArchive(f"a row holds no message: {type(error).__name__}") from None
            yield from messages
            number += len(rows)
    except DamagedArchive as error:
        error.verified = number
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
        return row_message
    is_of_template = str(named_schema.get("name")).endswith(_TEMPLATE_RECORD)
    read = partial(_message, field=(named or others)[0], is_of_template=is_of_template)
    return read if named else partial(_message_or_columns, field=others[0], read=read)


def _is_text(kind: Any) -> bool:
    """Return whether a field is bytes or string, nullable or not."""
    if isinstance(kind, list):
        return all(branch == "null" or _is_text(branch) for branch in kind)
    return (kind.get("type") if isinstance(kind, Mapping) else kind) in ("bytes", "string")


def _message_or_columns(row: ArchiveRow, place: str, *, field: str, read: _Reading) -> Message:
    """Read the only text of a row as a message, unless it is a plain text beside other columns."""
    text = row[field]
    is_column = isinstance(text, str) and text.lstrip()[:1] not in {"", "{", "["}
    return row_message(row, place) if is_column and len(row) > 1 else read(row, place)


def _message(row: ArchiveRow, place: str, *, field: str, is_of_template: bool) -> Message:
    payload = row[field] or b""
    # BigQuery holds a subscription's attributes as JSON in a text.
    attributes = read_text_as_json(row.get("attributes"))
    named = attributes.items() if isinstance(attributes, Mapping) else ()
    ids = (row[name] for name in _ID_FIELDS if row.get(name) and isinstance(row[name], str))
    return Message(
        payload=payload.encode(errors="surrogateescape") if isinstance(payload, str) else payload,
        attributes={_escaped(k): _escaped(v) for k, v in named if isinstance(v, str)},
        place=next(map(_escaped, ids), place),
        publish_time_us=_publish_time_us(row, is_of_template=is_of_template),
    )


def _publish_time_us(row: ArchiveRow, *, is_of_template: bool) -> int | None:
    if not is_of_template:
        time = row.get("publish_time")
        return to_us(time) if isinstance(time, datetime) else None
    try:
        return to_us(EPOCH + timedelta(milliseconds=row["timestamp"]))
    except (KeyError, OverflowError, TypeError):
        # Beam's time for an element without one is outside of the calendar.
        return None


def _escaped(text: str) -> str:
    """Escape bytes that are not UTF-8, so that different names stay different."""
    return text.encode(errors="surrogateescape").decode(errors="backslashreplace")
