"""Decompress gzip, zstandard and Avro blocks, and verify their checksums."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any, NamedTuple, Protocol

import cramjam
from backports import zstd


class DamagedArchive(Exception):
    """An archive is cut, or a checksum in it is wrong.

    Attributes:
      verified: how many records before the damage count: their checksum was verified, or no
        checksum covers them.
    """

    def __init__(self, reason: str, verified: int = 0) -> None:
        super().__init__(reason)
        self.verified = verified


GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

_CHUNK_BYTES = 256 * 1024
_GZIP_WINDOW = zlib.MAX_WBITS | 16
_ZSTD_DESCRIPTOR_BYTE = 4
_ZSTD_HAS_CHECKSUM = 0b100
"""RFC 8878, section 3.1.1.1.1."""


class Chunk(NamedTuple):
    """Some bytes of a file, decompressed.

    Attributes:
      data: may be empty.
      is_verified: whether all data so far count: their checksums were verified, or no checksum
        covers them.
    """

    data: bytes
    is_verified: bool


def read_plain(stream: IO[bytes]) -> Iterator[Chunk]:
    """Read a file that is not compressed, whose bytes no checksum covers."""
    while data := stream.read(_CHUNK_BYTES):
        yield Chunk(data, is_verified=True)


def read_gzip(stream: IO[bytes]) -> Iterator[Chunk]:
    """Decompress gzip members and verify each one's checksum and length.

    Raises:
      DamagedArchive: a member is damaged or ends early.
    """
    return _Members(stream, "gzip member", _open_gzip).read()


def read_zstd(stream: IO[bytes]) -> Iterator[Chunk]:
    """Decompress zstandard frames and verify the checksums of those that have one.

    Raises:
      DamagedArchive: a frame is damaged or ends early.
    """
    return _Members(stream, "zstandard frame", _open_zstd).read()


class _Decoder(Protocol):
    """Decompresses one member."""

    has_checksum: bool

    def decompress(self, data: bytes) -> tuple[bytes, bytes]:
        """Return some decompressed bytes, and the input that is not used yet."""

    @property
    def eof(self) -> bool:
        """Whether the member has ended, its checksum verified."""


class _Gzip:
    has_checksum = True

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(_GZIP_WINDOW)

    def decompress(self, data: bytes) -> tuple[bytes, bytes]:
        decompressed = self._decoder.decompress(data, _CHUNK_BYTES)
        return decompressed, self._decoder.unconsumed_tail or self._decoder.unused_data

    @property
    def eof(self) -> bool:
        return self._decoder.eof


class _Zstd:
    def __init__(self, descriptor: int) -> None:
        self.has_checksum = bool(descriptor & _ZSTD_HAS_CHECKSUM)
        self._decoder = zstd.ZstdDecompressor()

    def decompress(self, data: bytes) -> tuple[bytes, bytes]:
        # The decoder keeps input that it has no room for, without a bound.
        used, kept = (data, b"") if self._decoder.needs_input else (b"", data)
        decompressed = self._decoder.decompress(used, _CHUNK_BYTES)
        return decompressed, self._decoder.unused_data + kept

    @property
    def eof(self) -> bool:
        return self._decoder.eof


def _open_gzip(head: bytes) -> _Decoder | None:
    return _Gzip() if GZIP_MAGIC.startswith(head[: len(GZIP_MAGIC)]) else None


def _open_zstd(head: bytes) -> _Decoder:
    is_frame = head.startswith(ZSTD_MAGIC) and len(head) > _ZSTD_DESCRIPTOR_BYTE
    return _Zstd(head[_ZSTD_DESCRIPTOR_BYTE] if is_frame else 0)


class _Members:
    """Read the members of a compressed file.

    Args:
      stream: the file from its beginning.
      name: of a member, for error messages.
      open_member: makes the decoder for a member that begins with certain bytes; None where no
        member begins so.
    """

    def __init__(
        self, stream: IO[bytes], name: str, open_member: Callable[[bytes], _Decoder | None]
    ) -> None:
        self._stream = stream
        self._name = name
        self._open = open_member
        self._input = b""
        self._offset = 0
        self._number = 0

    def read(self) -> Iterator[Chunk]:
        while self._fill(_ZSTD_DESCRIPTOR_BYTE + 1):
            self._number += 1
            start = self._offset
            decoder = self._open(self._input)
            if decoder is None:
                raise DamagedArchive(f"there is no {self._name} at byte {start}")
            try:
                yield from self._read_member(decoder)
            except (zlib.error, zstd.ZstdError, EOFError) as error:
                cause = str(error).rpartition("data: ")[2]
                raise DamagedArchive(
                    f"{self._name} {self._number}, from byte {start}, is damaged before byte"
                    f" {self._offset + len(self._input)}: {cause}"
                ) from None
            self._skip_padding()

    def _read_member(self, decoder: _Decoder) -> Iterator[Chunk]:
        while not decoder.eof:
            has_input = self._fill(1)
            given = self._input
            data, self._input = decoder.decompress(given)
            self._offset += len(given) - len(self._input)
            if not (has_input or data or decoder.eof):
                raise EOFError("it ends early")
            yield Chunk(data, is_verified=decoder.eof or not decoder.has_checksum)

    def _skip_padding(self) -> None:
        """Skip the zero bytes that tapes add after a member; no member begins with one."""
        while self._input[:1] == b"\0" or not self._input:
            if not self._fill(1):
                return
            length = len(self._input)
            self._input = self._input.lstrip(b"\0")
            self._offset += length - len(self._input)

    def _fill(self, size: int) -> bool:
        """Buffer so many bytes, or all that are left; return whether there are any."""
        while len(self._input) < size and (more := self._stream.read(_CHUNK_BYTES)):
            self._input += more
        return bool(self._input)


_CRC_BYTES = 4
_BLOCK_CHUNK_BYTES = 64 * 1024

_DECODERS: Mapping[str, Callable[[], Any]] = {
    "deflate": lambda: zlib.decompressobj(-zlib.MAX_WBITS),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
    "zstandard": zstd.ZstdDecompressor,
}
CODECS = ("null", "snappy", *_DECODERS)
"""The names of the codecs, as in the header of a file."""


def decompress(codec: str, data: bytes) -> tuple[bytes, str | None]:
    """Decompress a block.

    Args:
      codec: one of CODECS.
      data: of the block.

    Returns:
      The data before a fault, and the fault, None if there is none.
    """
    if codec == "null":
        return data, None
    if codec == "snappy":
        return _decompress_snappy(data)
    pieces: list[bytes] = []
    decoder = _DECODERS[codec]()
    try:
        while data:
            pieces.append(decoder.decompress(data[:_BLOCK_CHUNK_BYTES]))
            data = decoder.unused_data + data[_BLOCK_CHUNK_BYTES:]
            if decoder.eof and codec == "deflate":
                return _verify_deflate(b"".join(pieces), data)
            if decoder.eof and data:
                decoder = _DECODERS[codec]()
    except Exception as error:  # noqa: BLE001 - each codec raises errors of its own
        return b"".join(pieces), f"it cannot be decompressed: {type(error).__name__}"
    return b"".join(pieces), None if decoder.eof else "its compressed data ends early"


def _verify_deflate(data: bytes, rest: bytes) -> tuple[bytes, str | None]:
    """Verify the beginning of zlib's checksum, which fastavro leaves after the compressed data."""
    has_checksum = len(rest) in (_CRC_BYTES - 1, _CRC_BYTES)
    is_wrong = has_checksum and not zlib.adler32(data).to_bytes(_CRC_BYTES).startswith(rest)
    return data, "its checksum is wrong" if is_wrong else None


def _decompress_snappy(data: bytes) -> tuple[bytes, str | None]:
    """Source: avro.apache.org/docs/1.12.0/specification, "snappy": a CRC-32 follows the data."""
    try:
        decompressed = bytes(cramjam.snappy.decompress_raw(data[:-_CRC_BYTES]))
    except cramjam.DecompressionError as error:
        return b"", f"it cannot be decompressed: {type(error).__name__}"
    is_right = zlib.crc32(decompressed) == int.from_bytes(data[-_CRC_BYTES:])
    return decompressed, None if is_right else "its checksum is wrong"
