"""The lines of an archive, each of them a message."""

import gzip
import zlib
from collections.abc import Iterator
from typing import Protocol

from backports import zstd

from pipeline.damaged_archive import DamagedArchive
from schemas.message import Message
from transforms.formats.strict_json import MAX_PAYLOAD_BYTES

MAX_LINE_BYTES = 32_000_000
"""A longer line is not kept whole, so that one without an end cannot fill the memory.

A run that hands back a line of this length takes some 320 MB.
"""

_KEPT_BYTES = MAX_PAYLOAD_BYTES + 1
"""Of a longer line; one more than a message may have, so that no part passes for a whole one."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CHUNK_BYTES = 256 * 1024
_UNPACKING_ERRORS = (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError)


class Chunks(Protocol):
    """A stream that gives its bytes as they come."""

    def read1(self, size: int, /) -> bytes:
        """Give some bytes, at most so many; none at the end."""
        ...


def read_lines(stream: Chunks, path: str, max_line_bytes: int) -> Iterator[Message]:
    """Read lines, which end at a line feed only; blank ones are no messages.

    Args:
      stream: unpacked, from its beginning.
      path: the archive's name, part of each message's place.
      max_line_bytes: longer lines are not kept whole.

    Raises:
      DamagedArchive: after the last whole line.
    """
    for number, line in enumerate(_split_lines(stream, max_line_bytes), start=1):
        if message := _message(line, f"{path}#{number}"):
            yield message


def _message(line: "_Line", place: str) -> Message | None:
    if line.is_cut:
        return Message(payload=line.kept(), place=place, whole_bytes=line.bytes)
    payload = line.kept().removesuffix(b"\r")
    is_blank = not payload.removeprefix(_BYTE_ORDER_MARK).strip()
    return None if is_blank else Message(payload=payload, place=place)


def _split_lines(stream: Chunks, max_line_bytes: int) -> Iterator["_Line"]:
    """Cut at line feeds; unlike a file's own lines, keeps what was read before a fault."""
    line = _Line(max_line_bytes)
    try:
        while chunk := stream.read1(_CHUNK_BYTES):
            first, *others = chunk.split(b"\n")
            line.add(first)
            for piece in others:
                yield line
                line = _Line(max_line_bytes)
                line.add(piece)
    except _UNPACKING_ERRORS as error:
        raise DamagedArchive(str(error), line.kept()) from None
    if line.bytes:
        yield line


class _Line:
    """A line as far as it has come; of one that is too long only the beginning is kept."""

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
    """Join no more than what is kept: all the pieces together would take their room twice."""
    kept = bytearray()
    for piece in pieces:
        kept += piece[: _KEPT_BYTES - len(kept)]
    return bytes(kept)
