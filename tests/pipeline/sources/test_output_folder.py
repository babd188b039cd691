"""Read and write the files of an output folder."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import fastavro
import pytest

from groundwatch.launch.results.report.write_report import read_output, write_report
from groundwatch.pipeline.sources.output_folder import (
    OutputFiles,
    UnreadableFile,
    find_files,
    read_answers,
    read_lines,
    read_summary,
)
from groundwatch.pipeline.sources.output_records import AlertLine
from groundwatch.schemas.avro import load_schema
from groundwatch.transforms.rules.thresholds import GivenThresholds, Thresholds
from tests.support.builders import an_enriched
from tests.support.pages import parse_page
from tests.support.reports import a_low, findings_in, write_enriched, write_lines, write_summary
from tests.support.storage_server import storage_server


def test_several_runs_in_one_folder_are_all_read(tmp_path: Path) -> None:
    write_enriched(tmp_path, [an_enriched(), a_low()], run="first")
    write_enriched(tmp_path, [an_enriched()], run="second")
    assert findings_in(tmp_path).tally.answers == 3


def test_hidden_and_other_files_are_ignored(tmp_path: Path) -> None:
    path = write_enriched(tmp_path, [an_enriched()])
    path.with_name("notes.txt").write_text("not an output file")
    hidden = tmp_path / "enriched" / ".groundwatch-run" / "half.avro"
    hidden.parent.mkdir()
    hidden.write_bytes(b"Obj")
    findings = findings_in(tmp_path)
    assert (findings.tally.answers, findings.unreadable) == (1, ())


def test_an_empty_folder_holds_no_output(tmp_path: Path) -> None:
    assert find_files(str(tmp_path)) == OutputFiles()


def test_a_cut_file_counts_to_its_last_good_record(tmp_path: Path) -> None:
    path = write_enriched(tmp_path, [an_enriched(record_id=f"{n:064x}") for n in range(2_000)])
    path.write_bytes(path.read_bytes()[:-20])
    findings = findings_in(tmp_path)
    assert 0 < findings.tally.answers < 2_000
    [reason] = findings.unreadable
    assert reason.startswith(f"{path}: is damaged: Avro block ")


def test_the_other_files_are_read_where_one_is_damaged(tmp_path: Path) -> None:
    write_enriched(tmp_path, [an_enriched()], run="a").write_bytes(b"Obj\x01 and no more")
    write_enriched(tmp_path, [an_enriched()], run="b")
    findings = findings_in(tmp_path)
    assert findings.tally.answers == 1
    assert len(findings.unreadable) == 1


def test_an_avro_file_of_another_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.avro"
    schema = {"type": "record", "name": "Other", "fields": [{"name": "a", "type": "string"}]}
    with path.open("wb") as stream:
        fastavro.writer(stream, schema, [{"a": "x"}])
    with pytest.raises(UnreadableFile, match="holds no enriched answers"):
        next(read_answers(str(path)))


def test_an_enriched_file_without_the_required_fields_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "enriched" / "other.avro"
    path.parent.mkdir()
    fields = [{"name": "record_id", "type": "string"}]
    schema = {"type": "record", "name": load_schema("enriched_answer")["name"], "fields": fields}
    schema["namespace"] = load_schema("enriched_answer")["namespace"]
    with path.open("wb") as stream:
        fastavro.writer(stream, schema, [{"record_id": "secret"}])
    assert findings_in(tmp_path).unreadable == (f"{path}: is damaged: ValidationError",)


def test_a_damaged_line_is_reported_without_its_content(tmp_path: Path) -> None:
    path = write_lines(tmp_path, "alerts", {"kind": "answer", "severity": "info"})
    path.write_bytes(path.read_bytes() + b'{"kind": "secret\n')
    findings = findings_in(tmp_path)
    assert findings.tally.alert_kinds.total() == 1
    assert findings.unreadable == (f"{path}: is damaged: DecodeError",)


def test_a_file_that_is_not_a_summary_is_reported(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text("[]")
    findings = findings_in(tmp_path)
    assert findings.summary is None
    assert len(findings.unreadable) == 1


@pytest.mark.parametrize(
    "read",
    [read_answers, partial(read_lines, kind=AlertLine), read_summary],
    ids=["rows", "lines", "summary"],
)
def test_an_unreadable_file_is_not_called_damaged(
    tmp_path: Path, read: Callable[[str], Any]
) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read: Is a directory"):
        list(read(str(tmp_path)))


@pytest.mark.parametrize(
    ("stored", "given", "in_force"),
    [
        (None, {}, Thresholds()),
        ({"low_grounded": 0.7, "claim": 0.5}, {}, Thresholds(low_grounded=0.7, claim=0.5)),
        (
            {"low_grounded": 0.7, "later": 1},
            {"claim": [(None, 0.2)]},
            Thresholds(low_grounded=0.7, claim=0.2),
        ),
        ({"low_grounded": 0.7}, {"low_grounded": [(None, 0.8)]}, Thresholds(low_grounded=0.8)),
        (
            {"claim": 0.5, "engines": {"shop": {"claim": 0.1, "low_grounded": 0}}},
            {"low_grounded": [("tea", 0.9)], "claim": [("shop", 0.2)]},
            Thresholds(
                claim=0.5,
                engines={
                    "shop": Thresholds(claim=0.2, low_grounded=0),
                    "tea": Thresholds(claim=0.5, low_grounded=0.9),
                },
            ),
        ),
    ],
    ids=["the defaults", "the summary's", "both", "the given one first", "of engines"],
)
def test_the_thresholds_in_force(
    tmp_path: Path, stored: dict[str, object] | None, given: GivenThresholds, in_force: Thresholds
) -> None:
    write_summary(tmp_path, **({"thresholds": stored} if stored else {}))
    assert read_output(find_files(str(tmp_path)), given).tally.thresholds == in_force


def test_the_page_of_a_bucket_is_written_to_the_bucket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_enriched(tmp_path, [a_low("مرحبا القطط")])
    write_lines(tmp_path, "alerts", {"kind": "answer", "severity": "warning"})
    write_lines(tmp_path, "failures", {"step": "ParseAnswers", "error_class": "UnreadableAnswer"})
    write_summary(tmp_path)
    with storage_server(monkeypatch) as buckets:
        for path in tmp_path.rglob("*.*"):
            buckets.put(f"gs://out/run/{path.relative_to(tmp_path)}", path.read_bytes())
        assert write_report("gs://out/run")[0] == "gs://out/run/report.html"
        written = buckets.below("gs://out/run/")["report.html"]
    page = parse_page(written.decode())
    assert page.all("h1")[0].text.startswith("1 of 1 scored answer is flagged")
    assert "UnreadableAnswer" in page.text
    assert "مرحبا" in page.text
