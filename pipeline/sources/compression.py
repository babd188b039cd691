"""Decompress gzip and zstandard, and verify their checksums."""

import sys
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

from groundwatch.schemas.quantities import MEGABYTE

if sys.version_info >= (3, 14):
    from compression import zstd as zstd  # noqa: PLC0414 - Avro files are decompressed by it, too
else:
    from backports import zstd as zstd  # noqa: PLC0414


class DamagedArchive(Exception):
    """An archive is cut, or a checksum is wrong; `verified` records before the damage count.

    The first sentence of the reason quotes nothing of the input.
    """

    def __init__(self, reason: str, verified: int = 0) -> None:
        super().__init__(reason)
        self.verified = verified


MAX_DECODED_BYTES = 64 * MEGABYTE
"""What a block may decode to, and what a file may whatever its size."""

# gzip reaches 1,032 with zeros, and logs 50.
_MAX_EXPANSION = 1_000
GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"

_CHUNK_BYTES = 256 * 1024
_GZIP_WINDOW = zlib.MAX_WBITS | 16
_ZSTD_DESCRIPTOR_BYTE = 4
_ZSTD_HAS_CHECKSUM = 0b100  # RFC 8878, section 3.1.1.1.1


class FileChunk(NamedTuple):
    """Some bytes of a file, decompressed; `is_verified` says whether all data so far count."""

    data: bytes
    is_verified: bool


def refuse_expansion(stored_bytes: int, decoded_bytes: int) -> None:
    """Raise DamagedArchive for a file that decodes to far more than what is stored of it."""
    if decoded_bytes > max(MAX_DECODED_BYTES, stored_bytes * _MAX_EXPANSION):
        raise DamagedArchive(
            f"its first {stored_bytes:,} bytes decode to more than {decoded_bytes:,}: a file may"
            f" decode to {MAX_DECODED_BYTES:,} bytes, or {_MAX_EXPANSION:,} times its size"
        )


def read_uncompressed(stream: IO[bytes]) -> Iterator[FileChunk]:
    """Read a file that is not compressed, whose bytes no checksum covers."""
    while data := stream.read(_CHUNK_BYTES):
        yield FileChunk(data, is_verified=True)


def read_members(stream: IO[bytes], magic: bytes) -> Iterator[FileChunk]:
    """Decompress gzip members or zstandard frames and verify them, or raise DamagedArchive."""
    return _Members(stream, _GzipMember if magic == GZIP_MAGIC else _ZstdFrame).read()


class _GzipMember:
    name = "gzip member"
    tool = "gzip"
    magic = GZIP_MAGIC
    has_checksum = True

    def __init__(self, _: bytes) -> None:
        self.decoder = zlib.decompressobj(_GZIP_WINDOW)

    def decompress(self, data: bytes) -> tuple[bytes, bytes]:
        """Return some decompressed bytes, and the input that is not used yet."""
        decompressed = self.decoder.decompress(data, _CHUNK_BYTES)
        return decompressed, self.decoder.unconsumed_tail or self.decoder.unused_data


class _ZstdFrame:
    name = "zstandard frame"
    tool = "zstd"
    magic = b""
    """The decoder checks it: frames to be skipped begin otherwise."""

    def __init__(self, head: bytes) -> None:
        is_frame = head.startswith(ZSTD_MAGIC) and len(head) > _ZSTD_DESCRIPTOR_BYTE
        self.has_checksum = is_frame and bool(head[_ZSTD_DESCRIPTOR_BYTE] & _ZSTD_HAS_CHECKSUM)
        self.decoder = zstd.ZstdDecompressor()

    def decompress(self, data: bytes) -> tuple[bytes, bytes]:
        # The decoder keeps input that it has no room for, without a bound.
        used, kept = (data, b"") if self.decoder.needs_input else (b"", data)
        decompressed = self.decoder.decompress(used, _CHUNK_BYTES)
        return decompressed, self.decoder.unused_data + kept


class _Members:
    """Read the members of a compressed file from its beginning."""

    def __init__(self, stream: IO[bytes], kind: type[_GzipMember] | type[_ZstdFrame]) -> None:
        self._stream = stream
        self._kind = kind
        self._input = b""
        self._offset = 0
        self._decoded_bytes = 0

    def read(self) -> Iterator[FileChunk]:
        number, name, magic = 0, self._kind.name, self._kind.magic
        while self._fill(_ZSTD_DESCRIPTOR_BYTE + 1):
            number, start = number + 1, self._offset
            if not magic.startswith(self._input[: len(magic)]):
                raise DamagedArchive(f"there is no {name} at byte {start}")
            try:
                yield from self._read_member()
            except (zlib.error, zstd.ZstdError, EOFError) as error:
                cause = str(error).rpartition("data: ")[2]
                raise DamagedArchive(
                    f"{name} {number}, from byte {start}, is damaged before byte"
                    f" {self._offset + len(self._input)}: {cause}; to read what is before, pass"
                    f" the decompressed file ({self._kind.tool} -dc)"
                ) from None
            self._skip_padding()

    def _read_member(self) -> Iterator[FileChunk]:
        member = self._kind(self._input)
        while not member.decoder.eof:
            has_input = self._fill(1)
            given = self._input
            data, self._input = member.decompress(given)
            self._offset += len(given) - len(self._input)
            if not (has_input or data or member.decoder.eof):
                raise EOFError("it ends early")
            self._decoded_bytes += len(data)
            refuse_expansion(self._offset, self._decoded_bytes)
            yield FileChunk(data, is_verified=member.decoder.eof or not member.has_checksum)

    def _skip_padding(self) -> None:
        """Skip the zero bytes that tapes add after a member; no member begins with one."""
        while self._fill(1) and self._input[:1] == b"\0":
            length = len(self._input)
            self._input = self._input.lstrip(b"\0")
            self._offset += length - len(self._input)

    def _fill(self, size: int) -> bool:
        """Buffer so many bytes, or all that are left; return whether there are any."""
        while len(self._input) < size and (more := self._stream.read(_CHUNK_BYTES)):
            self._input += more
        return bool(self._input)
