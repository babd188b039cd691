"""Read archives: only the records that their checksums confirm."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import IO

from groundwatch.pipeline import storage
from groundwatch.schemas import Record
from groundwatch.schemas.failure import message_of_failure
from groundwatch.schemas.message import Message
from groundwatch.schemas.wire.json_input import BYTE_ORDER_MARK, MAX_PAYLOAD_BYTES
from . import compression
from .avro_files import AVRO_MAGIC, Buffered, read_rows
from .tables import PARQUET_MAGIC, is_csv_name, read_csv, read_parquet

# A longer line is not kept whole; a run with a line of this length takes some 320 MB.
MAX_LINE_BYTES = 32_000_000
# A failure holds the bytes of its message in base64, which takes a third more.
_MAX_FAILURE_BYTES = 2 * MAX_LINE_BYTES
# Of a longer line; one more than a message may have, so that no part passes for a whole one.
_KEPT_BYTES = MAX_PAYLOAD_BYTES + 1
_PLAIN = b""
_MAGIC_BYTES = 4
_CHANGED = "it has changed since it was counted; give the same command again"
_CHECKED_NAMES = (".avro", ".parquet", ".gz", ".zst")
# How a JSON value begins that is written over several lines, or an array with an element a line.
_OPENING = re.compile(rb"[\[{\s]+|\s*\[.*,\s*")
_OPENINGS = (b"{", b"[")
# A value follows nothing else.
_BEFORE_VALUE = (b"[", b",", b":")
_WHOLE_OBJECTS = re.compile(rb"(?>\s*\{[^\n]*\}\s*)++")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?')


class Contents(Record, frozen=True):
    """How many records of an archive count, and the `damage` behind them."""

    records: int
    damage: str | None = None
    version: tuple[int, int] = (0, 0)

    @property
    def messages(self) -> int:
        """Count one message for each record, and one for a damage."""
        return self.records + (self.damage is not None)


def read_file(
    path: str, *, are_failures: bool, watch: Callable[[IO[bytes]], None] | None = None
) -> Iterator[Message]:
    """Verify a file, and read its valid messages; a compressed file is read twice.

    DamagedArchive follows the last record that counts. A file that has changed meanwhile, or has a
    line that is not a failure, is an OSError. `watch` is called with each opened file, to follow
    the progress.
    """
    with _opened(path) as stream:
        if _kind(stream) not in {compression.GZIP_MAGIC, compression.ZSTD_MAGIC}:
            if watch:
                watch(stream)
            yield from _records(stream, path, are_failures=are_failures)
            return
    contents = examine_file(path, are_failures=are_failures)
    yield from read_examined_file(path, contents, are_failures=are_failures, watch=watch)


def examine_file(path: str, *, are_failures: bool) -> Contents:
    """Read a file to its end, and count its valid records."""
    read = 0
    with _opened(path) as stream:
        version = storage.version(path)
        try:
            for _ in _records(stream, path, are_failures=are_failures):
                read += 1
        except compression.DamagedArchive as error:
            return Contents(error.verified, str(error), version)
    return Contents(read, None, version)


def read_examined_file(
    path: str,
    contents: Contents,
    *,
    are_failures: bool,
    first: int = 0,
    watch: Callable[[IO[bytes]], None] | None = None,
) -> Iterator[Message]:
    """Read the valid messages of an examined file behind the `first` ones."""
    with _opened(path) as stream:
        if watch:
            watch(stream)
        _refuse_changed(path, contents)
        records = _records(stream, path, are_failures=are_failures, first=first)
        number = first
        try:
            for record in islice(records, contents.records - first):
                number += 1
                yield record
            if contents.damage is None:
                # Only this reads the checksum at the end of the file.
                next(records, None)
        except compression.DamagedArchive:
            raise OSError(_CHANGED) from None
        if number < contents.records:
            raise OSError(_CHANGED)
        _refuse_changed(path, contents)
    if contents.damage is not None:
        raise compression.DamagedArchive(contents.damage, contents.records)


def refuse_changed(path: str, contents: Contents) -> None:
    """Raise OSError if a file has changed since it was examined."""
    with storage.describing_errors(f"cannot read {path}"):
        _refuse_changed(path, contents)


def _refuse_changed(path: str, contents: Contents) -> None:
    if storage.version(path) != contents.version:
        raise OSError(_CHANGED)


@contextmanager
def _opened(path: str) -> Iterator[Buffered]:
    with storage.describing_errors(f"cannot read {path}"), storage.read_ahead(path) as stream:
        yield stream


def _records(
    stream: Buffered, path: str, *, are_failures: bool, first: int = 0
) -> Iterator[Message]:
    if not are_failures and _kind(stream) == PARQUET_MAGIC:
        return read_parquet(stream, path, first)
    read = read_failures if are_failures else read_archive
    return islice(read(stream, path), first, None)


def read_archive(
    stream: Buffered, path: str, *, max_line_bytes: int = MAX_LINE_BYTES
) -> Iterator[Message]:
    """Read an archive until its end or DamagedArchive; its first bytes decide its format.

    The name decides only for CSV, which begins like any text. Lines of a compressed file come
    before the checksum that covers them. A line longer than `max_line_bytes` keeps only its
    beginning.
    """
    kind = _kind(stream)
    if kind in {AVRO_MAGIC, PARQUET_MAGIC}:
        yield from (read_rows if kind == AVRO_MAGIC else read_parquet)(stream, path)
        return
    for name, form in ((".avro", "an Avro"), (".parquet", "a Parquet")):
        if kind == _PLAIN and path.endswith(name) and stream.peek(1):
            raise compression.DamagedArchive(f"its name ends in {name}, but it is not {form} file")
    if path.endswith(_CHECKED_NAMES) and not stream.peek(1):
        raise compression.DamagedArchive("it is empty, and a file of this kind never is")
    chunks = (
        compression.read_members(stream, kind) if kind else compression.read_uncompressed(stream)
    )
    read = read_csv if is_csv_name(path) else _read_lines
    yield from read(chunks, path, max_line_bytes)


def read_failures(stream: Buffered, path: str) -> Iterator[Message]:
    """Read the original messages from a file of failures; OSError for a line without one."""
    for line in read_archive(stream, path, max_line_bytes=_MAX_FAILURE_BYTES):
        try:
            yield message_of_failure(line.payload)
        except ValueError as error:
            raise OSError(f"{line.place}: {error}") from None


def has_checksums(stream: Buffered) -> bool:
    """Return whether a file is compressed, Avro or Parquet, from its first bytes."""
    return _kind(stream) != _PLAIN


def _kind(stream: Buffered) -> bytes:
    """Return the magic bytes that a file begins with, or begins to have."""
    head = stream.peek(_MAGIC_BYTES)[:_MAGIC_BYTES]
    magics = (AVRO_MAGIC, PARQUET_MAGIC, compression.GZIP_MAGIC, compression.ZSTD_MAGIC)
    found = (magic for magic in magics if head[: len(magic)] == magic[: len(head)])
    return next(found, _PLAIN) if head else _PLAIN


def _read_lines(
    chunks: Iterable[compression.FileChunk], path: str, max_line_bytes: int
) -> Iterator[Message]:
    """Read lines, which end at a line feed only, but skip blank ones, until DamagedArchive.

    In a file whose first line begins a JSON value over several lines, each value is one message.
    """
    number = read = verified = 0
    line = _Line(max_line_bytes, path, 1)
    is_spread: bool | None = None
    try:
        for chunk in chunks:
            first, *others = chunk.data.split(b"\n")
            line.add(first)
            for piece in others:
                number += 1
                if not line.size:  # Lines before it were blank.
                    line.number = number + 1
                elif is_spread is None:
                    is_spread = line.begins_value
                if is_spread and line.is_open() and not line.is_torn_before(piece):
                    line.add(b"\n")
                elif line.size:
                    for message in line.messages():
                        read += 1
                        yield message
                    line = _Line(max_line_bytes, path, number + 1)
                line.add(piece)
            if chunk.is_verified:
                verified = read
    except compression.DamagedArchive as error:
        error.verified = verified
        raise
    yield from line.messages()


class _Line:
    """A line, or a JSON value of several, being read; only the beginning of a long one is kept."""

    def __init__(self, max_bytes: int, path: str, number: int) -> None:
        self._max_bytes = max_bytes
        self._path = path
        self.number = number
        self._pieces: list[bytes] = []
        self.size = 0
        self._is_cut = False
        self._counted = self._depth = 0
        self._last = b""

    @property
    def begins_value(self) -> bool | None:
        """Whether the line begins a JSON value that goes on in the next one; None for a blank."""
        text = b"".join(self._pieces).removeprefix(BYTE_ORDER_MARK)
        is_opening = not self._is_cut and _OPENING.fullmatch(text) is not None
        return is_opening if text.strip() else None

    def is_open(self) -> bool:
        """Return whether a JSON value goes on after what was added so far."""
        added = b"".join(self._pieces[self._counted :])
        text = _STRING.sub(b"", added)
        self._counted = len(self._pieces)
        self._depth += text.count(b"{") + text.count(b"[") - text.count(b"}") - text.count(b"]")
        self._last = added.rstrip()[-1:] or self._last
        return self._depth > 0

    def is_torn_before(self, piece: bytes) -> bool:
        """Return whether another value begins where none can stand."""
        return piece[:1] in _OPENINGS and self._last not in _BEFORE_VALUE

    def add(self, piece: bytes) -> None:
        if not piece:
            return
        self.size += len(piece)
        if self._is_cut:
            return
        self._pieces.append(piece)
        if self.size > self._max_bytes:
            # Joining all pieces would double the memory.
            kept = bytearray()
            for each in self._pieces:
                kept += each[: _KEPT_BYTES - len(kept)]
            self._pieces, self._is_cut = [bytes(kept)], True

    def messages(self) -> Iterator[Message]:
        """Make the message; none of a blank line, and several of a torn line before whole ones."""
        kept = b"".join(self._pieces)
        place = f"{self._path}#{self.number}"
        if self._is_cut:
            yield Message(payload=kept, place=place, whole_bytes=self.size)
            return
        payload = kept.removesuffix(b"\r")
        first, _, others = payload.partition(b"\n")
        if self._depth > 0 and _WHOLE_OBJECTS.fullmatch(others):
            yield Message(payload=first.removesuffix(b"\r"), place=place)
            for number, line in enumerate(others.split(b"\n"), self.number + 1):
                if line.strip():
                    yield Message(payload=line.rstrip(b"\r"), place=f"{self._path}#{number}")
        elif payload.removeprefix(BYTE_ORDER_MARK).strip():
            yield Message(payload=payload, place=place)
