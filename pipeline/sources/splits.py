"""Split archives into record ranges, one or more for each segment of a run."""

from collections.abc import Iterable, Iterator
from itertools import islice

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.message import Message
from .archives import Contents, read_examined_file, refuse_changed
from .read_batch import MessageRange


class RecordRange(Record, frozen=True, kw_only=True):
    """Some messages of a file: `count`, or None for all up to its end, behind the `first` ones."""

    path: str
    contents: Contents
    first: int = 0
    count: int | None = None

    @property
    def messages(self) -> int:
        return self.contents.messages - self.first if self.count is None else self.count


class Segment(Record, frozen=True, kw_only=True):
    """A part of the input whose results are committed together, numbered from 0 in its order.

    `finished_answers` of its messages have ended in an earlier one.
    """

    number: int
    messages: int
    finished_answers: int = 0
    ranges: tuple[RecordRange, ...]


def split_segments(files: Iterable[tuple[str, Contents]], size: int) -> list[Segment]:
    """Split files into segments of so many messages; only the last segment may have fewer."""
    segments: list[Segment] = []
    ranges: list[RecordRange] = []
    room = size

    def end_segment() -> None:
        nonlocal ranges, room
        number, messages = len(segments), size - room
        segments.append(Segment(number=number, messages=messages, ranges=tuple(ranges)))
        ranges, room = [], size

    for path, contents in files:
        first, messages = 0, contents.messages
        while messages - first > room:
            ranges.append(RecordRange(path=path, contents=contents, first=first, count=room))
            first, room = first + room, 0
            end_segment()
        ranges.append(RecordRange(path=path, contents=contents, first=first))
        room -= messages - first
        if not room:
            end_segment()
    if ranges:
        end_segment()
    return segments


def halve(segment: Segment) -> tuple[Segment, Segment]:
    """Split a segment of at least two messages into two; the second one has no number yet."""
    ranges: tuple[list[RecordRange], list[RecordRange]] = ([], [])
    first_messages = room = segment.messages // 2
    for each in segment.ranges:
        count = each.messages
        taken = min(room, count)
        room -= taken
        if taken:
            ranges[0].append(each if taken == count else replace(each, count=taken))
        if taken < count or not count:
            left = None if each.count is None else each.count - taken
            ranges[1].append(replace(each, first=each.first + taken, count=left))
    rest = segment.messages - first_messages
    return (
        replace(segment, messages=first_messages, ranges=tuple(ranges[0])),
        replace(segment, messages=rest, finished_answers=0, ranges=tuple(ranges[1])),
    )


class SegmentReader:
    """Read segments of archives, or of failures, each from where the last one ended in its file."""

    def __init__(self, *, are_failures: bool) -> None:
        self._are_failures = are_failures
        self._path = ""
        self._position = 0
        self._messages: Iterator[Message] = iter(())

    def messages_of(self, segment: Segment) -> Iterator[MessageRange]:
        """Return the messages of a segment, file by file, to be read in this order."""
        for each in segment.ranges:
            yield MessageRange(place=each.path, messages=self._read(each), first=each.first)

    def _read(self, record_range: RecordRange) -> Iterator[Message]:
        if record_range.path != self._path or record_range.first < self._position:
            self._path, self._position = record_range.path, record_range.first
            self._messages = read_examined_file(
                record_range.path,
                record_range.contents,
                are_failures=self._are_failures,
                first=record_range.first,
            )
        for _ in islice(self._messages, record_range.first - self._position):
            self._position += 1
        for message in islice(self._messages, record_range.count):
            self._position += 1
            yield message
        # A file that is replaced or rewritten meanwhile would lose records without a word.
        refuse_changed(record_range.path, record_range.contents)
