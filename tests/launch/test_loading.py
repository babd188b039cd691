"""The files of a real run in other people's hands: three libraries, and the commands of the docs.

fastavro wrote them; the official library in Python and DuckDB's extension in C read the same rows.
"""

import json
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import avro.datafile
import avro.io
import duckdb
import fastavro
import pyarrow as pa
import pytest

from groundwatch.launch.cli.main import main
from groundwatch.launch.results.export.run_export import write_table
from groundwatch.schemas.avro import load_schema
from tests.support.bigquery import refusals
from tests.support.outputs import records_in
from tests.support.repository import ROOT

Json = dict[str, Any]

DOCS = ROOT / "docs"
PAGE = (DOCS / "output.md").read_text(encoding="utf-8")
RESULTS = (DOCS / "results.md").read_text(encoding="utf-8")
QUERIES = RESULTS.partition("## SQL queries")[2].partition("\n## ")[0]
BIGQUERY_CODECS = {"deflate", "snappy", "zstandard"}


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the demo once and return its folder."""
    folder = tmp_path_factory.mktemp("demo")
    assert main(["demo", "--output", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def rows(output: Path) -> list[Json]:
    """Return the records as fastavro reads them."""
    return in_order(records_in(output))


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    """Open a DuckDB that reads Avro without a download."""
    connection = duckdb.connect()
    build = files("duckdb_extension_avro") / "extensions" / f"v{duckdb.__version__}"
    connection.load_extension(str(build / "avro.duckdb_extension"))
    return connection


def in_order(rows: list[Json]) -> list[Json]:
    return sorted(rows, key=lambda row: str(row["record_id"]))


def avro_files(output: Path) -> list[Path]:
    return sorted(output.glob("enriched/*/*.avro"))


def test_the_rows_contain_what_readers_may_fail_at(rows: list[Json]) -> None:
    assert {row["event_time"] is None for row in rows} == {True, False}
    assert {row["check"] is None for row in rows} == {True, False}
    assert any(not row["answer_text"].isascii() for row in rows)
    assert any(fact["attributes"] for row in rows for fact in row["facts"])
    assert any(claim["citations"] for row in rows for claim in row["claims"])
    assert any(rating["blocked"] for row in rows for rating in row["safety_ratings"])


def test_the_official_library_reads_the_same_rows(output: Path, rows: list[Json]) -> None:
    read = [row for path in avro_files(output) for row in by_the_official_library(path)]
    assert in_order(read) == rows


def by_the_official_library(path: Path) -> Iterator[Json]:
    with avro.datafile.DataFileReader(path.open("rb"), avro.io.DatumReader()) as reader:
        yield from reader


def test_duckdb_reads_the_same_rows(
    output: Path, rows: list[Json], connection: duckdb.DuckDBPyConnection
) -> None:
    path = f"{output}/enriched/*/*.avro"
    read = connection.execute("FROM read_avro(?, hive_partitioning = false)", [path])
    names = [column[0] for column in read.description]
    assert in_order([in_utc(dict(zip(names, row, strict=True))) for row in read.fetchall()]) == rows


def in_utc(value: Any) -> Any:
    """Add the time zone, which DuckDB leaves out, at any depth."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC)
    if isinstance(value, dict):
        return {name: in_utc(each) for name, each in value.items()}
    return value


def test_every_file_says_its_version_and_is_within_bigquerys_rules(output: Path) -> None:
    for path in avro_files(output):
        with path.open("rb") as stream:
            metadata = fastavro.reader(stream).metadata
        schema = json.loads(metadata["avro.schema"])
        assert schema["version"] == load_schema("enriched_answer")["version"]
        assert refusals(schema) == []
        assert metadata["avro.codec"] in BIGQUERY_CODECS


def code_of_the_page(language: str, output: Path) -> str:
    """Return the page's code block in a language."""
    [block] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return block.replace("OUT/", f"{output}/")


def test_the_python_of_the_output_page_makes_a_table(output: Path, rows: list[Json]) -> None:
    names: Json = {}
    exec(code_of_the_page("python", output), names)  # noqa: S102 - our own page
    assert in_order(names["answers"]) == rows
    schema = names["table"].schema
    assert schema.field("event_time").type == pa.timestamp("us", tz="UTC")
    assert schema.field("support_score").type == pa.float64()
    assert names["table"].num_rows == len(rows)


def queries_of_the_page(output: Path) -> tuple[str, dict[str, list[str]]]:
    """Return the first block of the page, and its queries by heading."""
    page = QUERIES.replace("OUT/", f"{output}/")
    before, *parts = re.split(r"^### ", page, flags=re.MULTILINE)
    [opening] = blocks(before)
    return opening, {part.partition("\n")[0]: blocks(part) for part in parts}


def blocks(page: str) -> list[str]:
    return re.findall(r"^```sql\n(.*?)^```", page, re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def queries_by_heading(output: Path, connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Create the page's view, and return its queries."""
    opening, queries = queries_of_the_page(output)
    connection.execute(opening.replace("INSTALL avro;\nLOAD avro;\n", ""))
    return queries


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_the_queries_of_the_page_return_the_same_rows_from_a_table(
    output: Path,
    connection: duckdb.DuckDBPyConnection,
    queries_by_heading: dict[str, list[str]],
    tmp_path: Path,
    kind: str,
) -> None:
    table = tmp_path / f"answers.{kind}"
    assert write_table(str(output), kind, str(table)) == 0
    queries = [each for found in queries_by_heading.values() for each in found]
    if kind == "csv":
        named = re.findall(r"\]\(#([a-z-]+)\)", QUERIES.partition("DuckDB counts")[0])
        slugs = {heading.lower().replace(" ", "-"): heading for heading in queries_by_heading}
        queries = [query for name in named for query in queries_by_heading[slugs[name]]]
        assert len(queries) == 2
    for query in queries:
        expected = connection.execute(query).fetchall()
        found = connection.execute(query.replace("FROM answers", f"FROM '{table}'")).fetchall()
        assert sorted(map(str, found)) == sorted(map(str, expected))


def test_the_view_counts_a_record_id_once(
    rows: list[Json], connection: duckdb.DuckDBPyConnection, output: Path, tmp_path: Path
) -> None:
    for path in avro_files(output):
        for worker in ("first", "second"):
            copy = tmp_path / path.relative_to(output).with_stem(f"{worker}-{path.stem}")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
    opening, _ = queries_of_the_page(tmp_path)
    view = opening.replace("INSTALL avro;\nLOAD avro;\n", "").replace("VIEW answers", "VIEW twice")
    connection.execute(view)
    assert connection.execute("SELECT count(*) FROM twice").fetchall() == [(len(rows),)]


def test_every_query_of_the_page_returns_rows(
    rows: list[Json],
    connection: duckdb.DuckDBPyConnection,
    queries_by_heading: dict[str, list[str]],
) -> None:
    results = {
        heading: [connection.execute(query).fetchall() for query in queries]
        for heading, queries in queries_by_heading.items()
    }
    assert all(found for each in results.values() for found in each)
    scored = [row for row in rows if row["verdict"] in {"GROUNDED", "LOW_GROUNDED"}]
    [by_engine] = results["Share of low-grounded answers by engine and day"]
    assert sum(count for _, _, count, _, _ in by_engine) == len(scored)
    [others] = results["Reasons of all other verdicts"]
    assert sum(count for _, _, count in others) == len(rows) - len(scored)
    [differences] = results["Contradictions"]
    assert len(differences) == sum(m["fact"] is not None for r in rows for m in r["mismatches"])
    assert all(own in claim and its in fact for _, _, own, its, claim, fact in differences)
    [documents] = results["Documents with many low-grounded answers"]
    assert documents[0][-1] == max(share for *_, share in documents)
    [cited] = results["Precision and recall of citations"]
    assert sum(count for _, count, *_ in cited) == sum(
        row["citation_precision"] is not None for row in rows
    )
