"""Read archives of lines in every compression."""

import gzip
import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.pipeline.sources.compression import DamagedArchive, zstd
from tests.support.archives import COMPRESSED, lines_of, payloads, read_all, read_damaged


def places(content: bytes) -> list[str]:
    return [message.place for message in read_all(content, "x.jsonl")]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"", [], id="empty file"),
        pytest.param(b"\n\n \t\n\r\n", [], id="blank lines"),
        pytest.param(b"a\nb\n", [b"a", b"b"], id="line feeds"),
        pytest.param(b"a\r\nb\r\n", [b"a", b"b"], id="carriage returns before them"),
        pytest.param(b"a\rb\n", [b"a\rb"], id="a carriage return alone ends no line"),
        pytest.param(b"a\nb", [b"a", b"b"], id="last line without an end"),
        pytest.param("a\u2028b\u0085c\n".encode(), ["a\u2028b\u0085c".encode()], id="U+2028"),
        pytest.param(b"\xef\xbb\xbfa\nb\n", [b"\xef\xbb\xbfa", b"b"], id="byte order mark is kept"),
        pytest.param(b"\xef\xbb\xbf\nb\n", [b"b"], id="byte order mark alone"),
        pytest.param(b" a \n", [b" a "], id="spaces are kept"),
        pytest.param(b"\0\n", [b"\0"], id="a null byte is not blank"),
    ],
)
@pytest.mark.parametrize("pack", COMPRESSED.values(), ids=COMPRESSED)
def test_a_line_is_a_message(
    pack: Callable[[bytes], bytes], content: bytes, expected: list[bytes]
) -> None:
    assert payloads(read_all(pack(content))) == expected


def test_a_message_is_placed_by_the_number_of_its_line() -> None:
    assert places(b"a\n\nb\n") == ["x.jsonl#1", "x.jsonl#3"]


def test_a_line_longer_than_a_chunk_stays_one_line() -> None:
    line = b"x" * 700_000
    assert payloads(read_all(lines_of(b"a", line, b"b"))) == [b"a", line, b"b"]


def test_the_first_bytes_decide_the_compression() -> None:
    assert payloads(read_all(gzip.compress(b"a\n"), "answers.jsonl")) == [b"a"]
    assert payloads(read_all(b"a\n", "answers.jsonl.gz")) == [b"a"]


def test_several_gzip_members_are_one_archive() -> None:
    assert payloads(read_all(gzip.compress(b"a\nb") + gzip.compress(b"c\nd"))) == [
        b"a",
        b"bc",
        b"d",
    ]


def test_zero_bytes_behind_a_gzip_member_are_padding() -> None:
    content = gzip.compress(b"a\n") + b"\0" * 700_000 + gzip.compress(b"b\n") + b"\0"
    assert payloads(read_all(content)) == [b"a", b"b"]


@pytest.mark.parametrize("pack", COMPRESSED.values(), ids=COMPRESSED)
def test_highly_compressed_lines_are_read(pack: Callable[[bytes], bytes]) -> None:
    content = lines_of(*[b"x" * 1_000] * 3_000)
    assert payloads(read_all(pack(content))) == [b"x" * 1_000] * 3_000


def test_several_zstandard_frames_are_one_archive() -> None:
    skippable = struct.pack("<II", 0x184D2A50, 3) + b"abc"
    packed = zstd.compress(b"a\nb") + skippable + zstd.compress(b"c\n")
    assert payloads(read_all(packed)) == [b"a", b"bc"]


@given(st.lists(st.binary(max_size=30)), st.sampled_from(list(COMPRESSED)))
def test_any_bytes_are_read_line_by_line(lines: list[bytes], packing: str) -> None:
    kept = [line.replace(b"\n", b"") + b"." for line in lines]
    content = b"{}\n" + lines_of(*kept)
    assert payloads(read_all(COMPRESSED[packing](content))) == [b"{}", *kept]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\x1f", id="first byte of gzip"),
        pytest.param(b"\x1f\x8b", id="magic of gzip"),
        pytest.param(b"\x28\xb5", id="half the magic of zstandard"),
        pytest.param(b"\x28\xb5\x2f\xfd", id="magic of zstandard"),
        pytest.param(b"Obj", id="most of the magic of Avro"),
        pytest.param(b"Obj\x01", id="magic of Avro"),
        pytest.param(gzip.compress(b"a\n") + b"rubbish", id="gzip with something behind it"),
        pytest.param(gzip.compress(b"a\n")[:-8] + b"\0" * 8, id="gzip with a wrong checksum"),
        pytest.param(gzip.compress(b"a\n")[:10] + b"\xff" * 9, id="gzip of no deflate stream"),
        pytest.param(zstd.compress(b"a\n")[:8] + b"\xff" * 9, id="zstandard of no blocks"),
    ],
)
def test_a_file_with_magic_bytes_only_is_damaged(content: bytes) -> None:
    _, damage = read_damaged(content)
    assert damage


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "a.avro"])
def test_an_empty_file_with_a_compressed_name_is_damaged(name: str) -> None:
    with pytest.raises(DamagedArchive, match="empty"):
        read_all(b"", name)


def test_a_file_called_avro_that_is_not_avro_is_damaged() -> None:
    with pytest.raises(DamagedArchive, match="is not an Avro file"):
        read_all(b'{"answer": "Lamps glow."}\n', "a.avro")
