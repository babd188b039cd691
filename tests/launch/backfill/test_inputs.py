"""What `backfill --input` takes: folders, tables, standard input, and rows by a field map."""

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyarrow import parquet

from groundwatch.launch.cli.main import main
from tests.support.archives import an_envelope, avro_of, lines_of
from tests.support.limits import limited
from tests.support.outputs import records_in, summary_in

ROWS = [{"said": f"Ada feeds cat {n}.", "docs": [f"Ada feeds cat {n} at noon."]} for n in range(9)]
MAP = ["--map", "answer=$.said", "--map", "facts=$.docs[*]"]


def backfill(source: str, output: Path, *flags: str) -> int:
    return main(["backfill", "--input", source, "--output", str(output), *flags])


def write_tables(folder: Path) -> None:
    (folder / "deep").mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist(ROWS), folder / "rows.parquet", row_group_size=4)
    kinds = ("said", "string"), ("docs", {"type": "array", "items": "string"})
    (folder / "rows.avro").write_bytes(avro_of(ROWS, *kinds))
    (folder / "deep" / "rows.jsonl").write_bytes(
        lines_of(*(json.dumps(row).encode() for row in ROWS))
    )
    cells = [f'"{row["said"]}","[""{row["docs"][0]}""]"' for row in ROWS]
    (folder / "deep" / "rows.CSV").write_text("\n".join(["said,docs", *cells]))
    (folder / "notes.txt").write_text("no archive")
    (folder / ".hidden.jsonl").write_text("no archive")


@pytest.mark.parametrize("messages", [10_000, 5])
def test_a_folder_of_tables_is_read_by_a_map(tmp_path: Path, messages: int) -> None:
    write_tables(tmp_path / "in")
    with limited(segment_messages=messages):
        assert backfill(str(tmp_path / "in"), tmp_path / "out", *MAP) == 0
    records = records_in(tmp_path / "out")
    assert sorted(record["answer_text"] for record in records) == sorted(
        row["said"] for row in ROWS for _ in range(4)
    )
    assert {record["source_format"] for record in records} == {"field_map.custom"}
    assert {len(record["facts"]) for record in records} == {1}
    assert main(["verify", str(tmp_path / "out")]) == 0


def test_an_estimate_counts_the_rows_of_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_tables(tmp_path / "in")
    assert main(["estimate", "--input", str(tmp_path / "in"), *MAP]) == 0
    assert "36 " in capsys.readouterr().out


def test_standard_input_is_read_and_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = lines_of(*map(an_envelope, range(3)))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines)))
    assert backfill("-", tmp_path / "out") == 0
    assert summary_in(tmp_path / "out")["enriched"] == 3
    left = {path.name for path in (tmp_path / "out").iterdir() if path.name.startswith(".")}
    assert not left
