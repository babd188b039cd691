"""Tables of enriched records: the rows of the Avro files, whole in Parquet, flat in CSV."""

import csv
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwatch.launch.results.export import parquet_table
from groundwatch.launch.results.export.csv_table import _cell
from groundwatch.launch.results.export.run_export import write_table
from groundwatch.schemas.quantities import to_rfc3339, to_us
from tests.support.builders import a_claim, an_enriched
from tests.support.outputs import records_in
from tests.support.released_schemas import WRITTEN
from tests.support.reports import write_enriched
from tests.support.whole_records import ENRICHED

Json = dict[str, Any]


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A folder with whole and bare records."""
    write_enriched(tmp_path / "out", list(ENRICHED.values()))
    return tmp_path / "out"


def table_of(output: Path, kind: str) -> Path:
    path = output.parent / f"answers.{kind}"
    assert write_table(str(output), kind, str(path)) == 0
    return path


def lines_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def avro_rows(output: Path) -> Iterator[Json]:
    """Write maps as Arrow does, and add the date."""
    for row in records_in(output):
        for fact in row["facts"]:
            fact["attributes"] = list(fact["attributes"].items())
        yield row | {"event_date": row["event_time"] and row["event_time"].date()}


def test_parquet_has_the_rows_names_and_types_of_the_avro_files(output: Path) -> None:
    assert pq.read_table(table_of(output, "parquet")).to_pylist() == list(avro_rows(output))


def test_a_row_group_is_written_when_it_is_full(
    output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_table, "_ROW_GROUP_BYTES", 1)
    write_enriched(output, [an_enriched()], run="second")
    file = pq.ParquetFile(table_of(output, "parquet"))
    assert file.num_row_groups > 1
    assert file.read().to_pylist() == list(avro_rows(output))


@pytest.mark.parametrize("kind", ["parquet", "csv"])
@pytest.mark.parametrize("version", ["1.0.0", "1.1.0"])
def test_files_of_older_versions_are_read(tmp_path: Path, kind: str, version: str) -> None:
    folder = tmp_path / "out" / "enriched" / "event_date=2026-03-02"
    folder.mkdir(parents=True)
    (folder / "a.avro").write_bytes((WRITTEN / "enriched_answer" / f"{version}.avro").read_bytes())
    assert table_of(tmp_path / "out", kind).stat().st_size > 0


def test_a_line_of_csv_has_the_simple_fields_and_the_sizes_of_lists(output: Path) -> None:
    [row, *_], [line, *_] = records_in(output), lines_of(table_of(output, "csv"))
    assert line["record_id"] == row["record_id"]
    assert line["tags"].split() == row["tags"]
    assert float(line["support_score"]) == row["support_score"]
    assert line["check_calls"] == str(row["check"]["calls"])
    assert line["claims_count"] == str(len(row["claims"]))
    assert line["event_time"] == to_rfc3339(to_us(row["event_time"]))
    assert line["event_date"] == str(row["event_time"].date())


def test_csv_names_the_claim_with_the_lowest_score(tmp_path: Path) -> None:
    claims = (
        a_claim("No check.", score=0.0, grounding_check_required=False),
        a_claim("Better.", score=0.5),
        a_claim("Worst.", score=0.1),
        a_claim("No score."),
    )
    write_enriched(tmp_path / "out", [an_enriched(claims=claims), an_enriched(claims=())])
    claimed, bare = lines_of(table_of(tmp_path / "out", "csv"))
    assert (claimed["worst_claim"], bare["worst_claim"]) == ("Worst.", "")


FORMULAS = [
    *("=1+1", "+1", "-1", "@SUM(1)", "=cmd|' /C calc'!A0", "\t1", "\r1", "\n1"),
    # In other widths.
    *("\uff1d1", "\uff0b1", "\uff0d1", "\uff201", "\ufe661", "\ufe621", "\ufe631", "\ufe6b1"),
    # Behind white space, controls, marks of direction and order, and what has no width.
    *(f"{before}=1" for before in ("\t", "\r", "\n", "  ", "\x0b", "\xa0", "\u2028", "\u3000")),
    *(f"{before}=1" for before in ("\x01", "\x1b", "\x7f", "\x85", "\xad", "\u061c", "\u180e")),
    *(f"{before}=1" for before in ("\u200b", "\u200e", "\u202e", "\u2060", "\u2066", "\ufeff")),
    *("\u200b \x7f\ufeff\uff20a", "\U000e0020-1", "\ufff9+1"),
]


@pytest.mark.parametrize("text", FORMULAS, ids=ascii)
def test_a_spreadsheet_runs_no_text_as_a_formula(tmp_path: Path, text: str) -> None:
    write_enriched(tmp_path / "out", [an_enriched(answer_text=text, query=text, tags=(text,))])
    [line] = lines_of(table_of(tmp_path / "out", "csv"))
    assert line["answer_text"] == line["query"] == line["tags"] == f"'{text}"


@pytest.mark.parametrize("text", ["", " ", "\u200b", "a=1", "\u200ba", "\u2212a", "'=1"], ids=ascii)
def test_another_text_is_kept(text: str) -> None:
    assert _cell(text) == text


def test_a_negative_number_stays_a_number(tmp_path: Path) -> None:
    write_enriched(tmp_path / "out", [an_enriched(score_drift=-0.25)])
    [line] = lines_of(table_of(tmp_path / "out", "csv"))
    assert float(line["score_drift"]) == -0.25


@given(st.text())
def test_a_text_is_kept_or_guarded(text: str) -> None:
    assert _cell(text) in {text, f"'{text}"}


def test_a_time_before_1970_is_written() -> None:
    assert _cell(datetime.fromisoformat("1969-12-31T23:59:59Z")) == "1969-12-31T23:59:59.000000Z"


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_damaged_file_leaves_no_table_and_keeps_an_earlier_one(
    output: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = table_of(output, kind)
    earlier = path.read_bytes()
    [avro, *_] = output.glob("enriched/*/*.avro")
    avro.write_bytes(avro.read_bytes()[:-20])
    assert write_table(str(output), kind, str(path)) == 1
    assert "is damaged" in capsys.readouterr().err
    assert path.read_bytes() == earlier
    assert sorted(output.parent.iterdir()) == sorted([path, output])
