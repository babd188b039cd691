"""Read the rows of Parquet and CSV: each is a message with a JSON object."""

import csv
import gzip
import io
import json
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from groundwatch.pipeline.sources.archives import examine_file, read_archive, read_examined_file
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.pipeline.sources.splits import SegmentReader, split_segments
from groundwatch.pipeline.sources.tables import read_parquet
from groundwatch.schemas.message import Message
from groundwatch.schemas.wire.json_input import MAX_PAYLOAD_BYTES
from tests.support.archives import COMPRESSED, buffered, payloads, read_all, read_damaged

ROWS = [
    {
        "id": f"row-{number}",
        "query": "Wer füttert die Katze?",
        "answer": f'Ada feeds the cat, "daily",\nat {number}.',
        "facts": ["Ada feeds the cat at noon.", f"It is {number}."],
    }
    for number in range(40)
]


def parquet_of(rows: list[dict[str, Any]], **options: Any) -> bytes:
    stream = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), stream, **options)
    return stream.getvalue()


def csv_of(rows: list[dict[str, Any]], **options: Any) -> bytes:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, rows[0].keys(), **options)
    writer.writeheader()
    for row in rows:
        cells = {name: _cell(value) for name, value in row.items()}
        writer.writerow(cells)
    return stream.getvalue().encode()


def _cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value


def twice_named() -> bytes:
    stream = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays([pa.array(["x"])] * 2, ["a", "a"]), stream)
    return stream.getvalue()


def objects(messages: list[Message]) -> list[Any]:
    return [json.loads(message.payload) for message in messages]


def test_the_rows_of_parquet_are_objects() -> None:
    messages = read_all(parquet_of(ROWS, row_group_size=7), "x.parquet")
    assert objects(messages) == ROWS
    assert [message.place for message in messages] == [f"x.parquet#{n}" for n in range(1, 41)]


def test_values_of_every_type_become_json() -> None:
    noon = datetime(2026, 3, 3, 12, tzinfo=UTC)
    row = {
        "bytes": b"caf\xc3\xa9",
        "other bytes": b"\xff\x00",
        "time": noon,
        "local time": noon.replace(tzinfo=None),
        "date": noon.date(),
        "decimal": Decimal("1.50"),
        "not a number": float("nan"),
        "nothing": None,
        "nested": {"list": [{"text": "a"}]},
    }
    [found] = objects(read_all(parquet_of([row]), "x.parquet"))
    assert found == {
        "bytes": "café",
        "other bytes": "/wA=",
        "time": "2026-03-03T12:00:00Z",
        "local time": "2026-03-03T12:00:00Z",
        "date": "2026-03-03",
        "decimal": "1.50",
        "not a number": None,
        "nothing": None,
        "nested": {"list": [{"text": "a"}]},
    }


NANOSECONDS = 1_772_539_200_000_000_001


def test_maps_and_nanoseconds_are_read() -> None:
    time = pa.timestamp("ns", "UTC")
    kinds = {"map": pa.map_(pa.string(), pa.int64()), "time": time, "times": pa.list_(time, 1)}
    columns = {"map": [[("a", 1)]], "time": [NANOSECONDS], "times": [[NANOSECONDS]]}
    table = pa.table({name: pa.array(columns[name], kind) for name, kind in kinds.items()})
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    [found] = objects(read_all(stream.getvalue(), "x.parquet"))
    noon = "2026-03-03T12:00:00Z"
    assert found == {"map": {"a": 1}, "time": noon, "times": [noon]}


@pytest.mark.parametrize("pack", COMPRESSED.values(), ids=COMPRESSED)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_rows_of_csv_are_objects_of_texts(
    pack: Callable[[bytes], bytes], delimiter: str
) -> None:
    messages = read_all(pack(csv_of(ROWS, delimiter=delimiter)), "x.csv.gz")
    texts = [{name: _cell(value) for name, value in row.items()} for row in ROWS]
    assert objects(messages) == texts
    assert messages[1].place == "x.csv.gz#2"


@given(st.lists(st.lists(st.text(max_size=8), min_size=3, max_size=3), max_size=8))
def test_every_text_survives_csv(cells: list[list[str]]) -> None:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\r\n").writerows([["a", "b", "c"], *cells])
    content = stream.getvalue().encode(errors="surrogatepass")
    expected = [
        {name: cell or None for name, cell in zip("abc", row, strict=True)} for row in cells
    ]
    found = read_all(content, "x.csv")
    assert objects(found) == expected


def test_a_byte_order_mark_and_blank_lines_are_skipped() -> None:
    content = b"\xef\xbb\xbfanswer,id\n\nIt rains.,1\n\n"
    assert objects(read_all(content, "x.CSV")) == [{"answer": "It rains.", "id": "1"}]


def test_bad_utf8_affects_no_other_row_of_csv() -> None:
    messages = read_all(b"a,b\n\xff,1\nx,2\n", "x.csv")
    assert payloads(messages) == [b'{"a": "\xff", "b": "1"}', b'{"a":"x","b":"2"}']


@pytest.mark.parametrize(
    ("names", "bad", "failed"),
    [
        pytest.param("ab", '"stray,2', ['"stray,2'], id="a quote that nothing closes"),
        pytest.param("a", '"stray', ['"stray', ""], id="a quote that nothing closes, one column"),
        pytest.param("ab", '"a"b,2', ['"a"b,2'], id="a quote inside of a cell"),
        pytest.param("ab", "x" * 10_000_001 + ",2", None, id="a cell over the limit"),
        pytest.param("ab", "x" * 33_000_000, None, id="a line over the limit"),
    ],
)
def test_a_bad_row_is_one_failure(names: str, bad: str, failed: object) -> None:
    rows = [names, *(str(number) * len(names) for number in range(3))]
    lines = [",".join(row) for row in rows]
    found = read_all("\n".join([*lines[:2], bad, *lines[2:]]).encode(), "x.csv")
    good = [dict.fromkeys(names, str(number)) for number in range(3)]
    assert [json.loads(found[place].payload) for place in (0, 2, 3)] == good
    assert len(found) == len(good) + 1
    assert len(found[1].payload) > MAX_PAYLOAD_BYTES or objects(found)[1] == failed


@pytest.mark.parametrize("kind", [pa.timestamp("s"), pa.timestamp("ns"), pa.date32()], ids=str)
@pytest.mark.parametrize("is_nested", [False, True])
def test_a_time_that_python_cannot_hold_affects_no_other_row(kind: Any, *, is_nested: bool) -> None:
    number = {"timestamp[s]": 10**14 + 1, "date32[day]": 2**31 - 1}.get(str(kind), 2**60 + 1)
    times = pa.array([0, number, 1], pa.int32() if kind == pa.date32() else pa.int64()).cast(kind)
    column = pa.StructArray.from_arrays([times], ["time"]) if is_nested else times
    stream = io.BytesIO()
    table = pa.table({"id": ["a", "b", "c"], "time": column})
    parquet.write_table(table, stream, version="2.6")
    found = objects(read_all(stream.getvalue(), "x.parquet"))
    assert [row["id"] for row in found] == ["a", "b", "c"]
    assert "1970-01-01" in str(found[0]["time"])
    assert "2006" in str(found[1]["time"]) or str(number) in str(found[1]["time"])


def test_text_in_another_encoding_fails_with_its_bytes() -> None:
    rows = [{"id": "1", "answer": "Käse".encode("latin-1")}]
    [message] = read_all(parquet_of(rows), "x.parquet")
    assert "K\udce4se".encode(errors="surrogateescape") in message.payload


def test_a_row_of_another_length_is_kept_as_a_list() -> None:
    assert objects(read_all(b"a,b\n1,2,3\n4,5\n", "x.csv")) == [
        ["1", "2", "3"],
        {"a": "4", "b": "5"},
    ]


@pytest.mark.parametrize(
    ("content", "path", "reason"),
    [
        (b"a,a\n1,2\n", "x.csv", "two of its columns have the same name. It is 'a'"),
        (twice_named(), "x.parquet", "two of its columns have the same name. It is 'a'"),
        (b"PAR1 and nothing else", "x", "no whole Parquet file"),
        (b'{"answer": "a"}', "x.parquet", "it is not a Parquet file"),
    ],
)
def test_a_file_that_is_no_table_is_damage(content: bytes, path: str, reason: str) -> None:
    with pytest.raises(DamagedArchive, match=reason):
        read_all(content, path)


def test_rows_before_damage_count_and_those_behind_it_do_not() -> None:
    content = parquet_of(ROWS, row_group_size=10, compression="gzip", write_page_checksum=True)
    middle = len(content) // 2
    spoilt = content[:middle] + bytes(byte ^ 0xFF for byte in content[middle : middle + 40])
    messages, damage = read_damaged(spoilt + content[middle + 40 :], "x.parquet")
    assert damage
    assert 0 < len(messages) < len(ROWS)
    assert objects(messages) == ROWS[: len(messages)]


PACKED = [parquet_of(ROWS, row_group_size=10, compression=each) for each in ("snappy", "zstd")]


@given(st.integers(0), st.integers(0, 7), st.sampled_from(PACKED))
def test_no_damage_is_an_unexpected_error(place: int, bit: int, packed: bytes) -> None:
    content = bytearray(packed)
    content[4 + place % (len(content) - 4)] ^= 1 << bit
    messages, damage = read_damaged(bytes(content), "x.parquet")
    assert damage or len(messages) == len(ROWS)
    cut, _ = read_damaged(bytes(content[: 4 + place % len(content)]), "x.parquet")
    assert len(cut) <= len(ROWS)


def test_no_row_of_a_cut_gzip_member_counts() -> None:
    messages, damage = read_damaged(gzip.compress(csv_of(ROWS))[:-1], "x.csv.gz")
    assert (messages, bool(damage)) == ([], True)


@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_segments_cover_a_table_once(tmp_path: Path, name: str, size: int) -> None:
    path = tmp_path / name
    path.write_bytes(parquet_of(ROWS, row_group_size=6) if "par" in name else csv_of(ROWS))
    contents = examine_file(str(path), are_failures=False)
    segments = split_segments([(str(path), contents)], size)
    reader = SegmentReader(are_failures=False)
    found = [
        message
        for segment in reversed(segments)
        for each in reader.messages_of(segment)
        for message in each.messages
    ]
    whole = list(read_examined_file(str(path), contents, are_failures=False))
    assert sorted(found, key=lambda each: each.place) == sorted(whole, key=lambda each: each.place)
    assert len(whole) == len(ROWS)


def test_row_groups_before_a_segment_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    content = parquet_of(ROWS, row_group_size=10)
    decoded: list[object] = []
    decode = parquet.ParquetFile.iter_batches

    def spy(file: Any, *arguments: Any, row_groups: list[int], **options: Any) -> Any:
        decoded.extend(row_groups)
        return decode(file, *arguments, row_groups=row_groups, **options)

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", spy)
    found = list(read_parquet(buffered(io.BytesIO(content)), "x.parquet", 25))
    assert (objects(found), decoded) == (ROWS[25:], [2, 3])
    assert found[0].place == "x.parquet#26"


@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
def test_memory_does_not_grow_with_the_table(tmp_path: Path, name: str) -> None:
    def peak(rows: int) -> int:
        path = tmp_path / name
        many = [ROWS[0] | {"id": str(number), "answer": "x" * 500} for number in range(rows)]
        path.write_bytes(parquet_of(many, compression="none") if "par" in name else csv_of(many))
        tracemalloc.start()
        before = pa.total_allocated_bytes()
        highest = 0
        with path.open("rb", buffering=0) as stream:
            for _ in read_archive(buffered(stream), str(path)):
                highest = max(highest, pa.total_allocated_bytes() - before)
        own = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return own + highest

    assert peak(8_000) < 2 * peak(1_000) + 500_000
