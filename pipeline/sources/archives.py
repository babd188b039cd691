"""Read the records of an archive, compressed or not."""

from collections.abc import Iterable, Iterator

from pipeline.sources.avro_blocks import AVRO_MAGIC, Buffered
from pipeline.sources.avro_rows import read_rows
from pipeline.sources.compression import (
    GZIP_MAGIC,
    ZSTD_MAGIC,
    Chunk,
    DamagedArchive,
    read_gzip,
    read_plain,
    read_zstd,
)
from schemas.failure import message_of_failure
from schemas.message import Message
from transforms.formats.json_input import MAX_PAYLOAD_BYTES

MAX_LINE_BYTES = 32_000_000
"""A longer line is not kept whole, so that one without an end cannot fill the memory.

A run with a line of this length takes some 320 MB.
"""

_KEPT_BYTES = MAX_PAYLOAD_BYTES + 1
"""Of a longer line; one more than a message may have, so that no part passes for a whole one."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_lines(chunks: Iterable[Chunk], path: str, max_line_bytes: int) -> Iterator[Message]:
    """Read lines, which end at a line feed only; blank ones are skipped.

    Args:
      chunks: the decompressed file from its beginning.
      path: the archive's name, part of each message's place.
      max_line_bytes: a longer line keeps only its beginning.

    Raises:
      DamagedArchive: after the last whole line; it says how many messages before count.
    """
    number = read = verified = 0
    line = _Line(max_line_bytes)
    try:
        for chunk in chunks:
            first, *others = chunk.data.split(b"\n")
            line.add(first)
            for piece in others:
                number += 1
                if message := _message(line, f"{path}#{number}"):
                    read += 1
                    yield message
                line = _Line(max_line_bytes)
                line.add(piece)
            if chunk.is_verified:
                verified = read
    except DamagedArchive as error:
        error.verified = verified
        raise
    if line.bytes and (message := _message(line, f"{path}#{number + 1}")):
        yield message


def _message(line: "_Line", place: str) -> Message | None:
    if line.is_cut:
        return Message(payload=line.kept(), place=place, whole_bytes=line.bytes)
    payload = line.kept().removesuffix(b"\r")
    is_blank = not payload.removeprefix(_BYTE_ORDER_MARK).strip()
    return None if is_blank else Message(payload=payload, place=place)


class _Line:
    """A line that is being read; a line that is too long keeps only its beginning."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self.bytes = 0
        self.is_cut = False

    def add(self, piece: bytes) -> None:
        self.bytes += len(piece)
        if self.is_cut:
            return
        self._pieces.append(piece)
        if self.bytes > self._max_bytes:
            self._pieces = [_beginning(self._pieces)]
            self.is_cut = True

    def kept(self) -> bytes:
        return b"".join(self._pieces)


def _beginning(pieces: list[bytes]) -> bytes:
    """Join only what is kept: joining all pieces would double the memory."""
    kept = bytearray()
    for piece in pieces:
        kept += piece[: _KEPT_BYTES - len(kept)]
    return bytes(kept)


__all__ = ["DamagedArchive", "read_archive"]

_MAGIC_BYTES = 4
_AVRO_NAME = ".avro"
_COMPRESSED_NAMES = (".avro", ".gz", ".zst")


def read_archive(
    stream: Buffered, path: str, *, max_line_bytes: int = MAX_LINE_BYTES, salvage: bool = False
) -> Iterator[Message]:
    """Read an archive: JSON lines, plain or compressed with gzip or zstandard, or Avro.

    The first bytes decide the format. The name only shows that an empty file should have been a
    compressed one.

    Lines of a compressed file come before the checksum that covers them: `archive_files` finds out
    which of them count.

    Args:
      stream: the file from its beginning, buffered; the caller closes it.
      path: its name as matched, part of each message's place.
      max_line_bytes: a longer line keeps only its beginning.
      salvage: whether to read rows of a damaged Avro block that stand before the damage, too.

    Yields:
      The messages in the file's order, one at a time.

    Raises:
      DamagedArchive: after the last record before the damage; it says how many before it count.
    """
    head = _head(stream)
    if _begins_with(AVRO_MAGIC, head):
        yield from read_rows(stream, path, salvage=salvage)
    elif _begins_with(GZIP_MAGIC, head):
        yield from read_lines(read_gzip(stream), path, max_line_bytes)
    elif _begins_with(ZSTD_MAGIC, head):
        yield from read_lines(read_zstd(stream), path, max_line_bytes)
    elif path.endswith(_AVRO_NAME) and head:
        raise DamagedArchive("its name ends in .avro, but it is not an Avro file")
    elif not head and path.endswith(_COMPRESSED_NAMES):
        raise DamagedArchive("it is empty, and a compressed file never is")
    else:
        yield from read_lines(read_plain(stream), path, max_line_bytes)


def has_checksums(stream: Buffered) -> bool:
    """Tell whether a file is compressed or Avro, from its first bytes."""
    return _begins_with(AVRO_MAGIC, _head(stream)) or has_late_checksums(stream)


def has_late_checksums(stream: Buffered) -> bool:
    """Tell whether a file has checksums that follow any number of records."""
    head = _head(stream)
    return _begins_with(GZIP_MAGIC, head) or _begins_with(ZSTD_MAGIC, head)


def _head(stream: Buffered) -> bytes:
    return stream.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]


def _begins_with(magic: bytes, head: bytes) -> bool:
    """Tell whether a file begins with magic bytes, or with those of them that it has."""
    return bool(head) and head[: len(magic)] == magic[: len(head)]


_MAX_FAILURE_BYTES = 2 * MAX_LINE_BYTES
"""A failure holds the bytes of its message in base64, which takes a third more."""


def read_failures(stream: Buffered, path: str, *, salvage: bool = False) -> Iterator[Message]:
    """Read a file of failures, compressed or not.

    Args:
      stream: the file from its beginning, buffered.
      path: its name, for error messages.
      salvage: as in `read_archive`.

    Yields:
      The original messages in the file's order.

    Raises:
      OSError: a line is not a failure, or has no original bytes to replay.
      DamagedArchive: the file is damaged.
    """
    lines = read_archive(stream, path, max_line_bytes=_MAX_FAILURE_BYTES, salvage=salvage)
    for line in lines:
        try:
            yield message_of_failure(line.payload)
        except ValueError as error:
            raise OSError(f"{line.place}: {error}") from None
