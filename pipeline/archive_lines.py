"""The lines of an archive, each of them a message."""

from collections.abc import Iterable, Iterator

from pipeline.compressed import Chunk
from pipeline.damaged_archive import DamagedArchive
from schemas.message import Message
from transforms.formats.json_input import MAX_PAYLOAD_BYTES

MAX_LINE_BYTES = 32_000_000
"""A longer line is not kept whole, so that one without an end cannot fill the memory.

A run that hands back a line of this length takes some 320 MB.
"""

_KEPT_BYTES = MAX_PAYLOAD_BYTES + 1
"""Of a longer line; one more than a message may have, so that no part passes for a whole one."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_lines(chunks: Iterable[Chunk], path: str, max_line_bytes: int) -> Iterator[Message]:
    """Read lines, which end at a line feed only; blank ones are skipped.

    Args:
      chunks: the decompressed file from its beginning.
      path: the archive's name, part of each message's place.
      max_line_bytes: longer lines are not kept whole.

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
