"""Stretches of archives: every message in one of them, whatever the sizes."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.archives import DamagedArchive
from pipeline.stretches import Segment, Stretch, StretchReader, count_messages, cut_segments


def reached(segments: list[Segment], files: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Every message that the segments read, in their order."""
    messages = dict(files)
    return [
        (stretch.path, position)
        for segment in segments
        for stretch in segment.stretches
        for position in range(stretch.first, _end(stretch, messages[stretch.path]))
    ]


def _end(stretch: Stretch, messages: int) -> int:
    return messages if stretch.count is None else stretch.first + stretch.count


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(1, 12))
def test_every_message_is_in_one_segment_in_the_order_of_the_input(
    sizes: list[int], size: int
) -> None:
    files = [(f"file-{number}", messages) for number, messages in enumerate(sizes)]
    segments = cut_segments(files, size)
    assert reached(segments, files) == [
        (path, position) for path, messages in files for position in range(messages)
    ]
    assert [segment.number for segment in segments] == list(range(len(segments)))
    assert all(segment.messages == size for segment in segments[:-1])
    assert sum(segment.messages for segment in segments) == sum(sizes)


@given(st.lists(st.integers(0, 30), max_size=12), st.integers(1, 12))
def test_every_file_is_read_to_its_end_once(sizes: list[int], size: int) -> None:
    files = [(f"file-{number}", messages) for number, messages in enumerate(sizes)]
    open_ended = [
        stretch.path
        for segment in cut_segments(files, size)
        for stretch in segment.stretches
        if stretch.count is None
    ]
    assert open_ended == [path for path, _ in files]


def a_file(folder: Path, lines: int) -> str:
    path = folder / f"{lines}.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(b"%d\n\n" % number for number in range(lines))))
    return str(path)


def payloads(reader: StretchReader, segment: Segment) -> list[bytes]:
    return [m.payload for source in reader.sources(segment) for m in source.messages]


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [0, 2], [3, 1], [1, 1]])
def test_segments_are_read_in_any_order(tmp_path: Path, order: list[int]) -> None:
    paths = [a_file(tmp_path, 5), a_file(tmp_path, 7)]
    files = [(path, count_messages(path, are_failures=False)) for path in paths]
    segments = cut_segments(files, 3)
    whole = [b"%d" % number for lines in (5, 7) for number in range(lines)]
    reader = StretchReader(are_failures=False)
    for number in order:
        assert payloads(reader, segments[number]) == whole[3 * number : 3 * number + 3]


def test_an_archive_is_opened_once_for_stretches_in_order(tmp_path: Path) -> None:
    path = a_file(tmp_path, 7)
    segments = cut_segments([(path, 7)], 2)
    reader = StretchReader(are_failures=False)
    first = payloads(reader, segments[0])
    Path(path).unlink()
    assert first + payloads(reader, segments[3]) == [b"0", b"1", b"6"]


def test_damage_is_counted_as_the_message_it_becomes(tmp_path: Path) -> None:
    path = Path(a_file(tmp_path, 50))
    path.write_bytes(path.read_bytes()[:-12])
    counted = count_messages(str(path), are_failures=False)
    [segment] = cut_segments([(str(path), counted)], 100)
    [source] = StretchReader(are_failures=False).sources(segment)
    read = []
    with pytest.raises(DamagedArchive):
        read.extend(source.messages)
    assert counted >= 1
