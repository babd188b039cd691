"""Split archives into record ranges, one or more for each segment of a run."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from pipeline.sources.archive_files import Contents, read_examined_file
from pipeline.sources.read_batch import Source
from schemas import Record
from schemas.message import Message


class Stretch(Record, frozen=True, kw_only=True):
    """Some of the messages of one file.

    Attributes:
      path: the file.
      contents: what the file has.
      first: how many messages stand before it, at least 0.
      count: how many it has; None for all up to the file's end, damage included.
    """

    path: str
    contents: Contents
    first: int = 0
    count: int | None = None


class Segment(Record, frozen=True, kw_only=True):
    """A part of the input that is done for good or not at all.

    Attributes:
      number: its place in the order of the input, from 0.
      messages: how many it has.
      stretches: where they stand.
    """

    number: int
    messages: int
    stretches: tuple[Stretch, ...]


def cut_segments(files: Iterable[tuple[str, Contents]], size: int) -> list[Segment]:
    """Cut an input into segments.

    Args:
      files: each a path and what it has.
      size: messages of a segment, at least 1; the last one may have fewer.

    Returns:
      The segments in the order of the input; together they read every file to its end.
    """
    segments: list[Segment] = []
    stretches: list[Stretch] = []
    room = size
    for path, contents in files:
        first, messages = 0, contents.messages
        while messages - first > room:
            stretches.append(Stretch(path=path, contents=contents, first=first, count=room))
            first += room
            segments.append(_segment(len(segments), size, stretches))
            stretches, room = [], size
        stretches.append(Stretch(path=path, contents=contents, first=first))
        room -= messages - first
        if not room:
            segments.append(_segment(len(segments), size, stretches))
            stretches, room = [], size
    if stretches:
        segments.append(_segment(len(segments), size - room, stretches))
    return segments


def _segment(number: int, messages: int, stretches: Sequence[Stretch]) -> Segment:
    return Segment(number=number, messages=messages, stretches=tuple(stretches))


class StretchReader:
    """Reads stretches, going on in the file where the last one ended.

    Args:
      are_failures: whether the files are failures of an earlier run.
    """

    def __init__(self, *, are_failures: bool) -> None:
        self._are_failures = are_failures
        self._path = ""
        self._position = 0
        self._messages: Iterator[Message] = iter(())

    def sources(self, segment: Segment) -> Iterator[Source]:
        """Give the messages of a segment, file by file, to be taken in this order."""
        for stretch in segment.stretches:
            yield Source(
                place=stretch.path, messages=self._read(stretch), messages_before=stretch.first
            )

    def _read(self, stretch: Stretch) -> Iterator[Message]:
        if stretch.path != self._path or stretch.first < self._position:
            self._path, self._position = stretch.path, 0
            self._messages = read_examined_file(
                stretch.path, stretch.contents, are_failures=self._are_failures
            )
        self._skip_to(stretch.first)
        for message in islice(self._messages, stretch.count):
            self._position += 1
            yield message

    def _skip_to(self, position: int) -> None:
        for _ in islice(self._messages, position - self._position):
            self._position += 1
