"""Reading archives: what a record is, in every packing, and what is left of a damaged one."""

import gzip
import struct
from collections.abc import Callable
from typing import Any

import pytest
from backports import zstd
from hypothesis import given
from hypothesis import strategies as st

from pipeline.archives import DamagedArchive
from tests.support.archives import (
    PACKED,
    an_envelope,
    avro_of,
    lines_of,
    payloads,
    read_all,
    read_damaged,
)

LINES = [an_envelope(number, answer="Größe: 90 °C, sagt das Café.") for number in range(40)]
BYTES = ("data", "bytes")


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
        pytest.param(b"\0\n", [b"\0"], id="a null byte is no blank"),
    ],
)
@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED)
def test_a_line_is_a_message(
    pack: Callable[[bytes], bytes], content: bytes, expected: list[bytes]
) -> None:
    assert payloads(read_all(pack(content))) == expected


def test_a_message_is_placed_by_the_number_of_its_line() -> None:
    assert places(b"a\n\nb\n") == ["x.jsonl#1", "x.jsonl#3"]


def test_a_line_longer_than_what_is_read_at_once_stays_one_line() -> None:
    line = b"x" * 700_000
    assert payloads(read_all(lines_of(b"a", line, b"b"))) == [b"a", line, b"b"]


def test_the_first_bytes_tell_the_packing_and_not_the_name() -> None:
    assert payloads(read_all(gzip.compress(b"a\n"), "answers.jsonl")) == [b"a"]
    assert payloads(read_all(b"a\n", "answers.jsonl.gz")) == [b"a"]


def test_several_gzip_members_are_one_archive() -> None:
    assert payloads(read_all(gzip.compress(b"a\nb") + gzip.compress(b"c\nd"))) == [
        b"a",
        b"bc",
        b"d",
    ]


def test_several_zstandard_frames_are_one_archive() -> None:
    skippable = struct.pack("<II", 0x184D2A50, 3) + b"abc"
    packed = zstd.compress(b"a\nb") + skippable + zstd.compress(b"c\n")
    assert payloads(read_all(packed)) == [b"a", b"bc"]


@given(st.lists(st.binary(max_size=30)), st.sampled_from(list(PACKED)))
def test_any_bytes_come_back_line_by_line(lines: list[bytes], packing: str) -> None:
    kept = [line.replace(b"\n", b"") + b"." for line in lines]
    content = b"{}\n" + lines_of(*kept)
    assert payloads(read_all(PACKED[packing](content))) == [b"{}", *kept]


@pytest.mark.parametrize("packing", ["gzip", "zstandard"])
def test_an_archive_cut_anywhere_gives_its_whole_lines_and_the_rest_of_the_cut_one(
    packing: str,
) -> None:
    packed, content = PACKED[packing](lines_of(*LINES)), lines_of(*LINES)
    for cut in range(len(packed)):
        messages, damage = read_damaged(packed[:cut], "answers.jsonl.gz")
        assert damage is not None, cut
        found = lines_of(*payloads(messages)) + damage.remains
        assert content.startswith(found), cut
        assert payloads(messages) == LINES[: len(messages)], cut


def test_gzip_that_lacks_its_last_byte_gives_every_line() -> None:
    messages, damage = read_damaged(gzip.compress(lines_of(*LINES))[:-1])
    assert damage is not None
    assert payloads(messages) == LINES


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
def test_what_begins_like_a_packed_file_and_is_none_is_damaged(content: bytes) -> None:
    _, damage = read_damaged(content)
    assert damage is not None
    assert str(damage)


@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.jsonl.zst", "a.avro"])
def test_an_empty_file_that_was_to_be_a_packed_one_is_damaged(name: str) -> None:
    with pytest.raises(DamagedArchive, match="empty"):
        read_all(b"", name)


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"])
def test_the_rows_of_avro_are_messages(codec: str) -> None:
    content = avro_of([{"data": line} for line in LINES], BYTES, codec=codec)
    assert payloads(read_all(content)) == LINES


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        pytest.param("bytes", b"\xff{}", id="bytes"),
        pytest.param("string", "{é}", id="string"),
        pytest.param(["null", "bytes"], b"{}", id="bytes or null"),
        pytest.param({"type": "string", "avro.java.string": "String"}, "{}", id="Java's string"),
    ],
)
@pytest.mark.parametrize("name", ["data", "payload", "message", "body"])
def test_a_payload_may_be_bytes_or_string(name: str, kind: object, value: bytes | str) -> None:
    [message] = read_all(avro_of([{name: value, "n": 1}], (name, kind), ("n", "long")), "x.avro")
    assert message.payload == (value.encode() if isinstance(value, str) else value)
    assert message.place == "x.avro#1"


def test_a_row_without_a_payload_is_a_message_that_holds_nothing() -> None:
    content = avro_of([{"data": None}, {"data": b"{}"}], ("data", ["null", "bytes"]))
    assert payloads(read_all(content)) == [b"", b"{}"]


def test_attributes_that_are_text_come_along() -> None:
    kinds = ("attributes", {"type": "map", "values": ["null", "string"]})
    rows = [{"data": b"{}", "attributes": {"id": "7", "gone": None}}]
    [message] = read_all(avro_of(rows, BYTES, kinds))
    assert message.attributes == {"id": "7"}


def test_bad_utf8_in_a_row_of_strings_is_that_rows_affair_alone() -> None:
    content = avro_of([{"data": "first"}, {"data": "bad"}, {"data": "third"}], ("data", "string"))
    spoilt = content.replace(b"bad", b"b\xffd")
    assert payloads(read_all(spoilt)) == [b"first", b"b\xffd", b"third"]


def test_bad_utf8_in_an_attribute_is_replaced() -> None:
    kinds = ("attributes", {"type": "map", "values": "string"})
    content = avro_of([{"data": b"{}", "attributes": {"id": "bad"}}], BYTES, kinds)
    [message] = read_all(content.replace(b"bad", b"b\xffd"))
    assert message.attributes == {"id": "b\ufffdd"}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param([("a", "string"), ("b", "bytes")], id="two that could be"),
        pytest.param([("n", "long")], id="none that could be"),
        pytest.param([("data", "long")], id="a number of the right name"),
        pytest.param([("data", ["string", "long"])], id="text or a number"),
    ],
)
def test_rows_that_do_not_tell_where_the_message_is_are_refused(
    fields: list[tuple[str, object]],
) -> None:
    values = {"a": "", "b": b"", "n": 5, "data": 5}
    row = {name: values[name] for name, _ in fields}
    with pytest.raises(DamagedArchive, match="name it one of data, payload, message"):
        read_all(avro_of([row], *fields))


def test_a_codec_that_cannot_be_read_is_told() -> None:
    content = avro_of([{"data": b"{}"}], BYTES).replace(b"\x08null", b"\x06lz4")
    with pytest.raises(DamagedArchive, match="codec is none of null, deflate"):
        read_all(content)


def test_avro_cut_inside_a_block_gives_the_whole_blocks() -> None:
    content = avro_of([{"data": line} for line in LINES], BYTES, block=1)
    whole = 0
    for cut in range(4, len(content)):
        messages, damage = read_damaged(content[:cut])
        assert payloads(messages) == LINES[: len(messages)], cut
        whole += damage is None
    # A file that ends between two blocks is a valid one; only a manifest could tell.
    assert whole == len(LINES)


def test_what_is_called_avro_and_is_none_is_damaged() -> None:
    with pytest.raises(DamagedArchive, match="called Avro"):
        read_all(b'{"answer": "Lamps glow."}\n', "a.avro")


def test_rows_that_pubsub_wrote_keep_their_id_and_their_time() -> None:
    row = {"message_id": "17", "publish_time": 1_000_001, "attributes": {}, "data": b"{}"}
    time: Any = {"type": "long", "logicalType": "timestamp-micros"}
    attributes: Any = {"type": "map", "values": "string"}
    content = avro_of(
        [row],
        ("message_id", "string"),
        ("publish_time", time),
        ("attributes", attributes),
        ("data", "bytes"),
    )
    [message] = read_all(content, "a.avro")
    assert (message.place, message.publish_time_us) == ("17", 1_000_001)
