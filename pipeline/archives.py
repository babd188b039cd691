"""Reading the records of one archive file, whatever it is packed in."""

import gzip
import io
from collections.abc import Iterator
from typing import IO, cast

from backports import zstd

from pipeline.archive_lines import MAX_LINE_BYTES, read_lines
from pipeline.archive_rows import read_rows
from pipeline.damaged_archive import DamagedArchive
from schemas.message import Message

__all__ = ["DamagedArchive", "read_archive"]

_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_AVRO_MAGIC = b"Obj\x01"
_MAGIC_BYTES = 4
_AVRO_NAME = ".avro"
_PACKED_NAMES = (".avro", ".gz", ".zst")


def read_archive(
    stream: IO[bytes], path: str, *, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[Message]:
    """Read an archive: JSON lines, plain or packed with gzip or zstandard, or Avro.

    What it is is told by its first bytes, not by its name, which only tells that an empty file
    was meant to be a packed one.

    Args:
      stream: the file from its beginning.
      path: its name as matched, part of each message's place.
      max_line_bytes: of a longer line only the beginning is kept.

    Yields:
      The messages in the file's order, one at a time.

    Raises:
      DamagedArchive: after the last good record.
    """
    buffered = io.BufferedReader(cast("io.RawIOBase", stream))
    try:
        yield from _read_by_kind(buffered, path, max_line_bytes)
    finally:
        # The stream is the caller's to close.
        buffered.detach()


def _read_by_kind(
    buffered: "io.BufferedReader[io.RawIOBase]", path: str, max_line_bytes: int
) -> Iterator[Message]:
    head = buffered.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]
    if _begins_with(_AVRO_MAGIC, head):
        yield from read_rows(buffered, path)
    elif _begins_with(_GZIP_MAGIC, head):
        yield from read_lines(gzip.GzipFile(fileobj=buffered), path, max_line_bytes)
    elif _begins_with(_ZSTD_MAGIC, head):
        yield from read_lines(zstd.ZstdFile(buffered), path, max_line_bytes)
    elif path.endswith(_AVRO_NAME) and head:
        raise DamagedArchive("it is called Avro, and is none")
    elif not head and path.endswith(_PACKED_NAMES):
        raise DamagedArchive("it is empty, and a packed file never is")
    else:
        yield from read_lines(buffered, path, max_line_bytes)


def _begins_with(magic: bytes, head: bytes) -> bool:
    """Tell whether a file is of a kind, though it may be cut inside its first bytes."""
    return bool(head) and head[: len(magic)] == magic[: len(head)]
