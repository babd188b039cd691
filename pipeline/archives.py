"""Read the records of one archive file, compressed or not."""

from collections.abc import Iterator

from pipeline.archive_lines import MAX_LINE_BYTES, read_lines
from pipeline.archive_rows import read_rows
from pipeline.avro_blocks import AVRO_MAGIC, Buffered
from pipeline.compressed import GZIP_MAGIC, ZSTD_MAGIC, read_gzip, read_plain, read_zstd
from pipeline.damaged_archive import DamagedArchive
from schemas.message import Message

__all__ = ["DamagedArchive", "read_archive"]

_MAGIC_BYTES = 4
_AVRO_NAME = ".avro"
_COMPRESSED_NAMES = (".avro", ".gz", ".zst")


def read_archive(
    stream: Buffered, path: str, *, max_line_bytes: int = MAX_LINE_BYTES, salvage: bool = False
) -> Iterator[Message]:
    """Read an archive: JSON lines, plain or compressed with gzip or zstandard, or Avro.

    The first bytes tell which it is. The name only tells that an empty file was to be a compressed
    one.

    Lines of a compressed file come before the checksum that covers them, so they count only if the
    caller knows from `pipeline.contents` that they do.

    Args:
      stream: the file from its beginning, buffered; the caller closes it.
      path: its name as matched, part of each message's place.
      max_line_bytes: of a longer line only the beginning is kept.
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
    """Tell whether a file, at its beginning, is compressed or Avro."""
    return _begins_with(AVRO_MAGIC, _head(stream)) or has_late_checksums(stream)


def has_late_checksums(stream: Buffered) -> bool:
    """Tell whether checksums in a file, at its beginning, follow after any number of records."""
    head = _head(stream)
    return _begins_with(GZIP_MAGIC, head) or _begins_with(ZSTD_MAGIC, head)


def _head(stream: Buffered) -> bytes:
    return stream.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]


def _begins_with(magic: bytes, head: bytes) -> bool:
    """Tell whether a file is of a kind, though it may be cut inside its first bytes."""
    return bool(head) and head[: len(magic)] == magic[: len(head)]
