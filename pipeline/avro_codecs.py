"""Decompress the blocks of Avro files, and verify their checksums."""

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import cramjam
from backports import zstd

_CRC_BYTES = 4
_PIECE_BYTES = 64 * 1024

_DECODERS: Mapping[str, Callable[[], Any]] = {
    "deflate": lambda: zlib.decompressobj(-zlib.MAX_WBITS),
    "bzip2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
    "zstandard": zstd.ZstdDecompressor,
}
CODECS = ("null", "snappy", *_DECODERS)
"""The names in the header of a file."""


def decompress(codec: str, data: bytes) -> tuple[bytes, str | None]:
    """Decompress a block.

    Args:
      codec: one of CODECS.
      data: of the block.

    Returns:
      What there is before a fault; and the fault, None where there is none.
    """
    if codec == "null":
        return data, None
    if codec == "snappy":
        return _decompress_snappy(data)
    pieces: list[bytes] = []
    decoder = _DECODERS[codec]()
    try:
        while data:
            pieces.append(decoder.decompress(data[:_PIECE_BYTES]))
            data = decoder.unused_data + data[_PIECE_BYTES:]
            if decoder.eof and codec == "deflate":
                return _verify_deflate(b"".join(pieces), data)
            if decoder.eof and data:
                decoder = _DECODERS[codec]()
    except Exception as error:  # noqa: BLE001 - each codec raises errors of its own
        return b"".join(pieces), f"it cannot be decompressed: {type(error).__name__}"
    return b"".join(pieces), None if decoder.eof else "its compressed data ends early"


def _verify_deflate(data: bytes, rest: bytes) -> tuple[bytes, str | None]:
    """Verify the beginning of zlib's checksum, which fastavro leaves behind the compressed data."""
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
