"""Read archives: only the records that their checksums confirm, or those before a damage."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from itertools import islice
from typing import IO, cast

from msgspec.structs import replace

from pipeline import storage
from pipeline.sources.avro_files import AVRO_MAGIC, Buffered, read_rows
from pipeline.sources.compression import (
    GZIP_MAGIC,
    ZSTD_MAGIC,
    Chunk,
    DamagedArchive,
    read_gzip,
    read_plain,
    read_zstd,
)
from schemas import Record
from schemas.failure import message_of_failure
from schemas.message import SALVAGED, Message
from transforms.formats.json_input import MAX_PAYLOAD_BYTES

MAX_LINE_BYTES = 32_000_000
"""A longer line is not kept whole; a run with a line of this length takes some 320 MB."""

_MAX_FAILURE_BYTES = 2 * MAX_LINE_BYTES
"""A failure holds the bytes of its message in base64, which takes a third more."""

_KEPT_BYTES = MAX_PAYLOAD_BYTES + 1
"""Of a longer line; one more than a message may have, so that no part passes for a whole one."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_AVRO, _GZIP, _ZSTD, _PLAIN = "Avro", "gzip", "zstandard", "plain"
_MAGIC_BYTES = 4
_CHANGED = "it has changed since it was counted; give the same command again"
_COMPRESSED_NAMES = (".avro", ".gz", ".zst")


class Contents(Record, frozen=True):
    """How many records of an archive count.

    Attributes:
      verified: those that a checksum confirms or none covers; the others, at the end, are salvaged.
      damage: what is wrong with the file after these; None for an intact file.
      version: of the file that was examined, as in `storage.version`.
    """

    records: int
    verified: int
    damage: str | None = None
    version: tuple[int, int] = (0, 0)

    @property
    def messages(self) -> int:
        """Count one message for each record, and one for a damage."""
        return self.records + (self.damage is not None)


def read_file(
    path: str,
    *,
    are_failures: bool,
    salvage: bool = False,
    watch: Callable[[IO[bytes]], None] | None = None,
) -> Iterator[Message]:
    """Verify a file, and read its valid messages; a compressed file is read twice.

    Args:
      path: local or gs://.
      are_failures: whether its lines are failures of an earlier run.
      salvage: whether the records before a damage count, too.
      watch: is called with each opened file, to follow the progress.

    Raises:
      OSError: the file cannot be read, has changed meanwhile, or has a line that is not a failure.
      DamagedArchive: after the last record that counts.
    """
    with _opened(path) as stream:
        if not (_kind(stream) in {_GZIP, _ZSTD} or salvage):
            if watch:
                watch(stream)
            yield from _records(stream, path, are_failures=are_failures)
            return
    contents = examine_file(path, are_failures=are_failures, salvage=salvage)
    yield from read_examined_file(path, contents, are_failures=are_failures, watch=watch)


def examine_file(path: str, *, are_failures: bool, salvage: bool) -> Contents:
    """Read a file to its end, and count its valid records."""
    read = 0
    with _opened(path) as stream:
        version = storage.version(path)
        try:
            for _ in _records(stream, path, are_failures=are_failures, salvage=True):
                read += 1
        except DamagedArchive as error:
            count = read if salvage else error.verified
            return Contents(count, error.verified, str(error), version)
    return Contents(read, read, None, version)


def read_examined_file(
    path: str,
    contents: Contents,
    *,
    are_failures: bool,
    watch: Callable[[IO[bytes]], None] | None = None,
) -> Iterator[Message]:
    """Read the valid messages of an examined file, as `read_file` does.

    Those that are salvaged get the attribute SALVAGED. Records that were appended to a file without
    checksums since are left to another run.
    """
    with _opened(path) as stream:
        if watch:
            watch(stream)
        if has_checksums(stream) and storage.version(path) != contents.version:
            raise OSError(_CHANGED)
        records = _records(stream, path, are_failures=are_failures, salvage=True)
        number = 0
        try:
            for number, record in enumerate(islice(records, contents.records), 1):
                mark = {SALVAGED: "true"} if number > contents.verified else {}
                yield replace(record, attributes=record.attributes | mark) if mark else record
            if contents.damage is None:
                # Only this reads the checksum at the end of the file.
                next(records, None)
        except DamagedArchive:
            raise OSError(_CHANGED) from None
        if number < contents.records:
            raise OSError(_CHANGED)
    if contents.damage is not None:
        raise DamagedArchive(contents.damage, contents.verified)


@contextmanager
def _opened(path: str) -> Iterator[Buffered]:
    with storage.describing_errors(f"cannot read {path}"), storage.read(path) as stream:
        yield BufferedReader(cast("RawIOBase", stream))


def _records(
    stream: Buffered, path: str, *, are_failures: bool, salvage: bool = False
) -> Iterator[Message]:
    read = read_failures if are_failures else read_archive
    return read(stream, path, salvage=salvage)


def read_archive(
    stream: Buffered, path: str, *, max_line_bytes: int = MAX_LINE_BYTES, salvage: bool = False
) -> Iterator[Message]:
    """Read an archive, whose first bytes tell its format, until its end or DamagedArchive.

    Lines of a compressed file come before the checksum that covers them: `examine_file` finds out
    which of them count.

    Args:
      stream: the file from its beginning.
      path: its name as matched, part of each message's place.
      max_line_bytes: a longer line keeps only its beginning.
      salvage: whether to read rows of a damaged Avro block that stand before the damage, too.
    """
    kind = _kind(stream)
    if kind == _AVRO:
        yield from read_rows(stream, path, salvage=salvage)
        return
    if kind == _PLAIN and path.endswith(".avro") and stream.peek(1):
        raise DamagedArchive("its name ends in .avro, but it is not an Avro file")
    if path.endswith(_COMPRESSED_NAMES) and not stream.peek(1):
        raise DamagedArchive("it is empty, and a compressed file never is")
    chunks = {_GZIP: read_gzip, _ZSTD: read_zstd, _PLAIN: read_plain}[kind](stream)
    yield from _read_lines(chunks, path, max_line_bytes)


def read_failures(stream: Buffered, path: str, *, salvage: bool = False) -> Iterator[Message]:
    """Read the original messages from a file of failures; OSError for a line without one."""
    for line in read_archive(stream, path, max_line_bytes=_MAX_FAILURE_BYTES, salvage=salvage):
        try:
            yield message_of_failure(line.payload)
        except ValueError as error:
            raise OSError(f"{line.place}: {error}") from None


def has_checksums(stream: Buffered) -> bool:
    """Return whether a file is compressed or Avro, from its first bytes."""
    return _kind(stream) != _PLAIN


def _kind(stream: Buffered) -> str:
    """Tell a file by its magic bytes, or by those of them that it has."""
    head = stream.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]
    magics = {_AVRO: AVRO_MAGIC, _GZIP: GZIP_MAGIC, _ZSTD: ZSTD_MAGIC}
    found = (kind for kind, magic in magics.items() if head[: len(magic)] == magic[: len(head)])
    return next(found, _PLAIN) if head else _PLAIN


def _read_lines(chunks: Iterable[Chunk], path: str, max_line_bytes: int) -> Iterator[Message]:
    """Read lines, which end at a line feed only, but skip blank ones, until DamagedArchive."""
    number = read = verified = 0
    line = _Line(max_line_bytes)
    try:
        for chunk in chunks:
            first, *others = chunk.data.split(b"\n")
            line.add(first)
            for piece in others:
                number += 1
                if message := line.message(f"{path}#{number}"):
                    read += 1
                    yield message
                line = _Line(max_line_bytes)
                line.add(piece)
            if chunk.is_verified:
                verified = read
    except DamagedArchive as error:
        error.verified = verified
        raise
    if message := line.message(f"{path}#{number + 1}"):
        yield message


class _Line:
    """A line that is being read; a line that is too long keeps only its beginning."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._bytes = 0
        self._is_cut = False

    def add(self, piece: bytes) -> None:
        self._bytes += len(piece)
        if self._is_cut:
            return
        self._pieces.append(piece)
        if self._bytes > self._max_bytes:
            # Joining all pieces would double the memory.
            kept = bytearray()
            for each in self._pieces:
                kept += each[: _KEPT_BYTES - len(kept)]
            self._pieces, self._is_cut = [bytes(kept)], True

    def message(self, place: str) -> Message | None:
        """Make the message; None of a blank line."""
        kept = b"".join(self._pieces)
        if self._is_cut:
            return Message(payload=kept, place=place, whole_bytes=self._bytes)
        payload = kept.removesuffix(b"\r")
        is_blank = not payload.removeprefix(_BYTE_ORDER_MARK).strip()
        return None if is_blank else Message(payload=payload, place=place)
