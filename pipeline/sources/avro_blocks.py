"""Read Avro files block by block, and verify each block before its rows are used."""

import io
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import fastavro

from pipeline.sources.compression import CODECS, DamagedArchive, decompress
from schemas.quantities import MEGABYTE

AVRO_MAGIC = b"Obj\x01"
_SCHEMA, _CODEC = b"avro.schema", b"avro.codec"
_SYNC_BYTES = 16
_CHUNK_BYTES = 64 * 1024
_MAX_BLOCK_BYTES = 256 * MEGABYTE
"""More than any writer's blocks have, so that a damaged length cannot fill the memory."""

_MAX_LONG_BYTES = 10

Row = dict[str, Any]
Buffered: TypeAlias = "io.BufferedReader[io.RawIOBase]"


class Block(NamedTuple):
    """The rows of a block.

    Attributes:
      rows: in the file's order.
      is_verified: whether the block has no damage; otherwise these are the rows before it.
    """

    rows: list[Row]
    is_verified: bool


class AvroFile:
    """Reads the blocks of an Avro file.

    A block is verified by its codec (a checksum, or the end of the compressed data), by the sync
    marker behind it, and by its rows, which have to fill it.

    Args:
      stream: the file from its beginning, buffered.
      handle_unicode_errors: the handling of bytes that are not UTF-8, as in `bytes.decode`.

    Attributes:
      schema: the writer's, as fastavro parses it.

    Raises:
      DamagedArchive: the file does not begin as an Avro file, or its codec is unknown.
    """

    def __init__(self, stream: Buffered, handle_unicode_errors: str = "surrogateescape") -> None:
        self._errors = handle_unicode_errors
        self._file = _UncompressedFile(_Reader(stream))
        try:
            self._reader = self._read(self._file)
            self.schema: Any = self._reader.writer_schema
        except (DamagedArchive, OSError):
            raise
        except Exception as error:  # noqa: BLE001 - fastavro raises whatever its parsers do
            reason = f"its Avro schema cannot be read: {type(error).__name__}"
            raise DamagedArchive(reason) from None

    def blocks(self, *, salvage: bool = False) -> Iterator[Block]:
        """Read the blocks in the file's order.

        Args:
          salvage: whether to also read the rows of a damaged block before the damage.

        Raises:
          DamagedArchive: a block is damaged; raised after its salvaged rows.
          OSError: the file cannot be read.
        """
        while True:
            try:
                block = next(self._reader, None)
            except DamagedArchive:
                if salvage:
                    yield Block(self._salvaged(), is_verified=False)
                raise
            if block is None:
                return
            rows, fault = _rows_of(block)
            if fault is None:
                yield Block(rows, is_verified=True)
                continue
            if salvage:
                yield Block(rows, is_verified=False)
            raise self._file.damage(fault)

    def _salvaged(self) -> list[Row]:
        """Read the rows of the last, damaged block."""
        rows: list[Row] = []
        for block in self._read(io.BytesIO(self._file.unverified())):
            rows, _ = _rows_of(block)
        return rows

    def _read(self, stream: Any) -> Any:
        return fastavro.block_reader(stream, handle_unicode_errors=self._errors)


def _rows_of(block: Any) -> tuple[list[Row], str | None]:
    """Decode a block's rows; return the rows before a fault, and the fault."""
    rows: list[Row] = []
    try:
        for row in block:
            rows.append(row)  # noqa: PERF402 - the rows before a fault are needed
    except Exception as error:  # noqa: BLE001 - fastavro raises whatever its decoders do
        return rows, f"row {len(rows) + 1} cannot be decoded: {type(error).__name__}"
    return rows, "something follows its last row" if block.bytes_.read(1) else None


class _EndsEarly(EOFError):
    """The file ends where more bytes should follow; `data` are those that are there."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(f"it ends early, after {len(data)} of {size} bytes")
        self.data = data


class _Reader:
    """Reads exactly as many bytes as are asked for, and counts them."""

    def __init__(self, stream: Buffered) -> None:
        self._stream = stream
        self.offset = 0

    def read(self, size: int) -> bytes:
        """Read so many bytes; raises _EndsEarly if there are fewer, ValueError for an odd size."""
        if not 0 <= size <= _MAX_BLOCK_BYTES:
            raise ValueError(f"it claims to have {size} bytes")
        # In pieces, since a stream allocates memory for the requested size.
        data = bytearray()
        while len(data) < size:
            piece = self._stream.read(min(size - len(data), _CHUNK_BYTES))
            if not piece:
                raise _EndsEarly(bytes(data), size)
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

    def is_at_end(self) -> bool:
        """Tell whether the file ends here."""
        return not self._stream.peek(1)


class _UncompressedFile:
    """Decompress and verify a file for fastavro, which verifies less.

    Args:
      reader: at the file's beginning.

    Raises:
      DamagedArchive: the header ends early, or its codec is unknown.
    """

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        self._number = 0
        self._start = 0
        self._count = 0
        self._unverified = b""
        try:
            self._header, self._codec, self._sync = _read_header(reader)
        except (EOFError, ValueError) as error:
            raise DamagedArchive(f"its Avro header is damaged: {error}") from None
        if self._codec not in CODECS:
            known = ", ".join(CODECS)
            raise DamagedArchive(f"its codec {self._codec[:40]!r} is not one of {known}")
        self._piece = io.BytesIO(self._header)

    def read(self, size: int) -> bytes:
        """Read as fastavro does, which never reads beyond a block in one call."""
        data = self._piece.read(size)
        if data or not size:
            return data
        self._piece = io.BytesIO(self._next_block())
        return self._piece.read(size)

    def tell(self) -> int:
        """Return the offset in the compressed file."""
        return self._reader.offset

    def damage(self, fault: str) -> DamagedArchive:
        """Describe a fault of the last block."""
        return DamagedArchive(
            f"Avro block {self._number}, from byte {self._start}, is damaged before byte"
            f" {self._reader.offset}: {fault}"
        )

    def unverified(self) -> bytes:
        """Return the decompressed part of the last block as an Avro file."""
        return self._header + self._block(self._unverified)

    def _next_block(self) -> bytes:
        """Read a block; nothing at the end of the file."""
        if self._reader.is_at_end():
            return b""
        self._number += 1
        self._start = self._reader.offset
        self._unverified, self._count = b"", 0
        try:
            self._verify()
        except (EOFError, ValueError) as error:
            raise self.damage(str(error)) from None
        return self._block(self._unverified)

    def _verify(self) -> None:
        count = self._reader.read_long()
        if count < 0:
            raise ValueError(f"it claims to have {count} rows")
        self._count = count
        compressed = self._read_compressed(self._reader.read_long())
        self._unverified, fault = decompress(self._codec, compressed)
        if fault:
            raise ValueError(fault)
        if self._reader.read(_SYNC_BYTES) != self._sync:
            raise ValueError("its sync marker is wrong")
        if self._count > len(self._unverified):
            raise ValueError(f"it claims to have {self._count} rows")

    def _read_compressed(self, size: int) -> bytes:
        try:
            return self._reader.read(size)
        except _EndsEarly as end:
            self._unverified, _ = decompress(self._codec, end.data)
            raise

    def _block(self, data: bytes) -> bytes:
        return b"".join([_long(self._count), _long(len(data)), data, self._sync])


def _read_header(reader: _Reader) -> tuple[bytes, str, bytes]:
    """Read a header; returns one for no compression, the codec's name and the sync marker."""
    if reader.read(len(AVRO_MAGIC)) != AVRO_MAGIC:
        raise ValueError("it does not begin as Avro")
    metadata: dict[bytes, bytes] = {}
    while count := reader.read_long():
        if count < 0:
            reader.read_long()
        for _ in range(abs(count)):
            name = reader.read(reader.read_long())
            metadata[name] = reader.read(reader.read_long())
    sync = reader.read(_SYNC_BYTES)
    schema = metadata.get(_SCHEMA, b"")
    named = b"".join([_long(1), _long(len(_SCHEMA)), _SCHEMA, _long(len(schema)), schema])
    codec = metadata.get(_CODEC, b"null").decode(errors="replace")
    return AVRO_MAGIC + named + _long(0) + sync, codec, sync


def _long(number: int) -> bytes:
    """Write an integer that is not negative as Avro does."""
    left, written = number << 1, bytearray()
    while left > 0x7F:  # noqa: PLR2004 - seven bits a byte
        written.append(left & 0x7F | 0x80)
        left >>= 7
    written.append(left)
    return bytes(written)
