"""Count only records of damaged archives whose checksum was verified."""

import gzip
import json
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.cli.main import main
from tests.support.archives import (
    CHECKSUMMED,
    COMPRESSED,
    an_envelope,
    avro_of,
    lines_of,
    payloads,
    read_damaged,
    zstd_with_checksum,
)
from tests.support.outputs import failures_in, records_in, summary_in
from tests.support.runs import backfill

LINES = [an_envelope(number, answer="Größe: 90 °C, sagt das Café.") for number in range(40)]
BYTES = ("data", "bytes")
NAME = "answers.jsonl.gz"
_MAGIC_BYTES = 4
"""Without them a file is plain lines, none of which is an answer."""


def flipped(content: bytes, bit: int) -> bytes:
    spoilt = bytearray(content)
    spoilt[bit // 8] ^= 1 << bit % 8
    return bytes(spoilt)


@pytest.mark.parametrize("codec", CHECKSUMMED)
def test_no_line_of_a_truncated_gzip_member_counts(codec: str) -> None:
    compressed = CHECKSUMMED[codec](lines_of(*LINES))
    for cut in range(len(compressed)):
        messages, damage = read_damaged(compressed[:cut], NAME)
        assert (messages, bool(damage)) == ([], True), cut


def test_lines_without_a_checksum_count_up_to_the_damage() -> None:
    lines = LINES * 2_000
    compressed = COMPRESSED["zstandard"](lines_of(*lines))
    messages, damage = read_damaged(compressed[: len(compressed) // 2])
    assert damage
    assert payloads(messages) == lines[: len(messages)] != []


@pytest.mark.parametrize("codec", CHECKSUMMED)
def test_no_altered_line_counts_for_any_flipped_bit(codec: str) -> None:
    compress = CHECKSUMMED[codec]
    first, second = [b"Lamps", b"glow."], [b"It", b"rains."]
    compressed = compress(lines_of(*first)) + compress(lines_of(*second))
    for bit in range(8 * _MAGIC_BYTES, 8 * len(compressed)):
        messages, _ = read_damaged(flipped(compressed, bit))
        # Whole members count: the bytes of a header that say nothing of the lines may be wrong.
        assert payloads(messages) in ([], first, first + second), bit


@given(st.data())
def test_the_whole_members_before_a_damage_count(data: st.DataObject) -> None:
    pieces = data.draw(st.lists(st.lists(st.binary(max_size=20), max_size=4), max_size=4))
    compress = data.draw(st.sampled_from([*CHECKSUMMED.values()]))
    members = [
        lines_of(*(piece.replace(b"\n", b"") + b"." for piece in part))
        for part in [[b"x"], *pieces]
    ]
    parts = list(map(compress, members))
    compressed = b"".join(parts)
    cut = data.draw(st.integers(1, len(compressed)))
    bit = data.draw(st.integers(0, 8 * cut - 1))
    is_flipped = data.draw(st.booleans()) and bit >= 8 * _MAGIC_BYTES
    spoilt = flipped(compressed[:cut], bit) if is_flipped else compressed[:cut]
    messages, _ = read_damaged(spoilt, NAME)
    damaged_byte = bit // 8 if is_flipped else cut
    before = sum(end <= damaged_byte for end in accumulate(map(len, parts)))
    # A bit of a header may be changed without any effect.
    whole = [b"".join(members[:count]) for count in range(before, len(members) + 1)]
    assert lines_of(*payloads(messages)) in whole


def test_a_line_that_ends_in_a_damaged_gzip_member_does_not_count() -> None:
    content = gzip.compress(b"a\nb") + gzip.compress(b"c\nd\n")[:-2]
    messages, damage = read_damaged(content)
    assert payloads(messages) == [b"a"]
    start = len(gzip.compress(b"a\nb"))
    assert damage == (
        f"gzip member 2, from byte {start}, is damaged before byte {len(content)}: it ends early;"
        " to read what is before, pass the decompressed file (gzip -dc)"
    )


@pytest.mark.parametrize(
    ("content", "place"),
    [
        pytest.param(
            flipped(gzip.compress(b"a\n"), -8 * 8 + 8 * len(gzip.compress(b"a\n"))),
            "gzip member 1, from byte 0, is damaged before byte 22: incorrect data check",
            id="gzip checksum",
        ),
        pytest.param(
            gzip.compress(b"a\n") + b"rubbish",
            "there is no gzip member at byte 22",
            id="something behind a member",
        ),
        pytest.param(
            zstd_with_checksum(b"a\n")[:-1] + b"?",
            "zstandard frame 1, from byte 0, is damaged before byte 15: Restored data doesn't",
            id="zstandard checksum",
        ),
    ],
)
def test_damage_is_described_by_its_place(content: bytes, place: str) -> None:
    _, damage = read_damaged(content)
    assert damage
    assert damage.startswith(place)


# Others have no checksum: fastavro writes zstandard without one.
@pytest.mark.parametrize("codec", ["deflate", "snappy", "bzip2", "xz"])
def test_no_altered_avro_row_counts_for_any_flipped_bit(codec: str) -> None:
    lines = [b"Lamps glow.", b"It rains."]
    content = avro_of([{"data": line} for line in lines], BYTES, codec=codec, block=1)
    header = len(avro_of([], BYTES, codec=codec))
    assert read_damaged(content)[1] is None
    for bit in range(8 * header, 8 * len(content)):
        messages, damage = read_damaged(flipped(content, bit))
        assert payloads(messages) == lines[: len(messages)], bit
        # A bit of padding says nothing of the rows.
        assert damage or messages == read_damaged(content)[0], bit


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy", "zstandard", "bzip2", "xz"])
def test_avro_cut_inside_a_block_gives_the_whole_blocks_before(codec: str) -> None:
    lines, whole = [b"1" * 60, b"2" * 60, b"3" * 60, b"4" * 60], 0
    content = avro_of([{"data": line} for line in lines], BYTES, codec=codec, block=100)
    assert payloads(read_damaged(content)[0]) == lines
    for cut in range(4, len(content)):
        messages, damage = read_damaged(content[:cut])
        assert payloads(messages) == lines[: len(messages)], cut
        assert len(messages) % 2 == 0, cut
        whole += damage is None
    # A file that ends between two blocks is a valid one: only a manifest shows a loss.
    assert whole == 2


@pytest.mark.parametrize(
    ("codec", "at", "fault"),
    [
        pytest.param("snappy", -18, "its checksum is wrong", id="checksum"),
        pytest.param("null", -1, "its sync marker is wrong", id="sync marker"),
        pytest.param("null", -17, None, id="a byte that nothing covers"),
    ],
)
def test_a_fault_of_a_block_is_named(codec: str, at: int, fault: str | None) -> None:
    content = bytearray(avro_of([{"data": LINES[0]}], BYTES, codec=codec))
    content[at] ^= 1
    messages, damage = read_damaged(bytes(content))
    assert len(messages) == (0 if fault else 1)
    assert (damage is None) == (fault is None)
    if fault:
        assert damage
        assert damage.startswith("Avro block 1, from byte ")
        assert damage.endswith(fault)


@pytest.mark.parametrize(
    ("block", "fault"),
    [
        pytest.param(b"\x02" + b"\xfe" * 9 + b"\x01", "it claims to have", id="size beyond reason"),
        pytest.param(b"\x02\x01", "it claims to have -1 bytes", id="negative size"),
        pytest.param(b"\xff" * 11, "more than 10 bytes", id="endless number"),
        pytest.param(b"\x01\x00", "it claims to have -1 rows", id="negative count"),
    ],
)
def test_a_damaged_length_neither_fills_the_memory_nor_ends_the_run(
    block: bytes, fault: str
) -> None:
    content = avro_of([], BYTES) + block + b"x" * 100
    messages, damage = read_damaged(content)
    assert messages == []
    assert damage
    assert fault in damage


def test_a_damaged_gzip_member_yields_no_record_and_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spoilt, output = tmp_path / NAME, tmp_path / "out"
    compressed = gzip.compress(lines_of(*LINES))
    spoilt.write_bytes(flipped(compressed, 8 * (len(compressed) // 2)))
    assert backfill(spoilt, output) == 1
    assert records_in(output) == []
    [failure] = failures_in(output)
    assert failure["error_class"] == "DamagedArchive"
    assert failure["error"].startswith("gzip member 1, from byte 0, is damaged before byte ")
    assert (failure["source"], failure["payload_base64"]) == (f"{spoilt}#after-record-0", "")
    summary = summary_in(output)
    assert (summary["read"], summary["damaged_archives"], summary["closes"]) == (1, 1, True)
    assert f"{spoilt}#after-record-0: gzip member 1, from byte 0" in capsys.readouterr().err


def test_the_estimate_counts_what_the_backfill_counts(tmp_path: Path) -> None:
    archive, output = tmp_path / "answers.jsonl.gz", tmp_path / "out"
    compressed = gzip.compress(lines_of(*LINES))
    archive.write_bytes(compressed + compressed[:-3])
    given = "--input", str(archive), "--output", str(output)
    assert main(["estimate", *given]) == 1
    estimate = json.loads((output / "estimate.json").read_bytes())
    assert main(["backfill", *given]) == 1
    summary = summary_in(output)
    counted = "read", "failures", "duplicates", "damaged_archives"
    assert [estimate[name] for name in counted] == [summary[name] for name in counted]
    assert (summary["read"], summary["enriched"], summary["closes"]) == (41, 40, True)
    assert [failure["source"] for failure in failures_in(output)] == [f"{archive}#after-record-40"]
