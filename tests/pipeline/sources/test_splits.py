"""Split archives into segments that hold every message once."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.pipeline import storage
from groundwatch.pipeline.sources.archives import Contents, examine_file
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.pipeline.sources.splits import (
    RecordRange,
    Segment,
    SegmentReader,
    halve,
    split_segments,
)


def whole(messages: int) -> Contents:
    return Contents(records=messages)


def examined(path: str) -> Contents:
    return examine_file(path, are_failures=False)


def reached(segments: list[Segment], files: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Every message that the segments read, in their order."""
    messages = dict(files)
    return [
        (record_range.path, position)
        for segment in segments
        for record_range in segment.ranges
        for position in range(record_range.first, _end(record_range, messages[record_range.path]))
    ]


def _end(record_range: RecordRange, messages: int) -> int:
    return messages if record_range.count is None else record_range.first + record_range.count


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(1, 12))
def test_every_message_is_in_one_segment_and_every_file_is_read_to_its_end_once(
    sizes: list[int], size: int
) -> None:
    files = [(f"file-{number}", messages) for number, messages in enumerate(sizes)]
    segments = split_segments([(path, whole(messages)) for path, messages in files], size)
    assert reached(segments, files) == [
        (path, position) for path, messages in files for position in range(messages)
    ]
    assert [segment.number for segment in segments] == list(range(len(segments)))
    assert all(segment.messages == size for segment in segments[:-1])
    assert sum(segment.messages for segment in segments) == sum(sizes)
    ranges = [each for segment in segments for each in segment.ranges]
    assert [each.path for each in ranges if each.count is None] == [path for path, _ in files]


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=8), st.integers(2, 40), st.integers(0, 100)
)
def test_halves_of_a_segment_read_its_messages_and_every_file_to_its_end_once(
    sizes: list[int], size: int, chosen: int
) -> None:
    files = [(f"file-{number}", messages) for number, messages in enumerate(sizes)]
    segments = split_segments([(path, whole(messages)) for path, messages in files], size)
    segment = segments[chosen % len(segments)]
    if segment.messages < 2:
        return
    first, second = halve(segment)
    assert reached([first, second], files) == reached([segment], files)
    assert (first.messages, second.messages) == (size_of(first, files), size_of(second, files))
    assert abs(first.messages - second.messages) <= 1
    ends = [each.path for each in (*first.ranges, *second.ranges) if each.count is None]
    assert ends == [each.path for each in segment.ranges if each.count is None]


def size_of(segment: Segment, files: list[tuple[str, int]]) -> int:
    return len(reached([segment], files))


def a_file(folder: Path, lines: int) -> str:
    path = folder / f"{lines}.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(b"%d\n\n" % number for number in range(lines))))
    return str(path)


def payloads(reader: SegmentReader, segment: Segment) -> list[bytes]:
    return [m.payload for source in reader.messages_of(segment) for m in source.messages]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [0, 2], [3, 1], [1, 1]])
def test_segments_are_read_in_any_order(tmp_path: Path, order: list[int]) -> None:
    paths = [a_file(tmp_path, 5), a_file(tmp_path, 7)]
    segments = split_segments([(path, examined(path)) for path in paths], 3)
    expected = [b"%d" % number for lines in (5, 7) for number in range(lines)]
    reader = SegmentReader(are_failures=False)
    for number in order:
        assert payloads(reader, segments[number]) == expected[3 * number : 3 * number + 3]


def test_an_archive_is_opened_once_for_ranges_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = a_file(tmp_path, 7)
    segments = split_segments([(path, examined(path))], 2)
    opened: list[str] = []
    read = storage.read
    monkeypatch.setattr(storage, "read", lambda path: opened.append(path) or read(path))
    reader = SegmentReader(are_failures=False)
    read_so_far = payloads(reader, segments[0]) + payloads(reader, segments[3])
    assert (read_so_far, opened) == ([b"0", b"1", b"6"], [path])


@pytest.mark.parametrize("size", [1, 4, 5, 6, 100])
def test_damage_is_the_message_behind_the_last_one_that_counts(tmp_path: Path, size: int) -> None:
    path = Path(a_file(tmp_path, 5))
    path.write_bytes(path.read_bytes() + gzip.compress(b"5\n6\n")[:-1])
    segments = split_segments([(str(path), examined(str(path)))], size)
    assert sum(segment.messages for segment in segments) == 6
    reader, read = SegmentReader(are_failures=False), []

    def read_segments() -> None:
        for segment in segments:
            for source in reader.messages_of(segment):
                read.extend(message.payload for message in source.messages)

    with pytest.raises(DamagedArchive, match=r"^gzip member 2, from byte \d+, .* ends early;"):
        read_segments()
    assert read == [b"0", b"1", b"2", b"3", b"4"]


@pytest.mark.parametrize("change", ["replaced", "rewritten", "longer", "shorter"])
def test_a_compressed_file_that_changes_after_it_was_verified_is_not_used(
    tmp_path: Path, change: str
) -> None:
    path = Path(a_file(tmp_path, 7))
    segments = split_segments([(str(path), examined(str(path)))], 3)
    reader = SegmentReader(are_failures=False)
    assert payloads(reader, segments[0]) == [b"0", b"1", b"2"]
    if change == "replaced":
        path.unlink()
    lines = {"shorter": b"1\n", "longer": b"1\n" * 9}.get(change, b"1\n" * 7)
    path.write_bytes(gzip.compress(lines))
    with pytest.raises(OSError, match=rf"^cannot read {path}: it has changed since it was counted"):
        payloads(SegmentReader(are_failures=False), segments[1])


@pytest.mark.parametrize("content", [b"0\n1\n2\n3\n4\n", b"0\n", b"5\n6\n7\n"])
@pytest.mark.parametrize("size", [2, 10])
def test_a_plain_file_that_has_changed_is_not_used(
    tmp_path: Path, content: bytes, size: int
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"0\n1\n2\n")
    segments = split_segments([(str(path), examined(str(path)))], size)
    path.write_bytes(content)
    for segment in segments:
        with pytest.raises(OSError, match=rf"^cannot read {path}: it has changed since it was"):
            payloads(SegmentReader(are_failures=False), segment)


def test_a_plain_file_that_changes_while_it_is_read_is_named_at_the_end_of_a_range(
    tmp_path: Path,
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"0\n1\n2\n")
    segments = split_segments([(str(path), examined(str(path)))], 2)
    [messages] = SegmentReader(are_failures=False).messages_of(segments[0])
    read = iter(messages.messages)
    assert next(read).payload == b"0"
    with path.open("ab") as stream:
        stream.write(b"3\n")
    assert next(read).payload == b"1"
    with pytest.raises(OSError, match=rf"^cannot read {path}: it has changed since it was"):
        next(read)
