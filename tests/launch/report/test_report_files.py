"""Reading an output folder: all of it, whatever state it is in."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fastavro
import pytest

from launch.report.files import (
    UnreadableFile,
    find_files,
    read_alerts,
    read_failures,
    read_rows,
    read_summary,
)
from launch.report.reading import read_output
from tests.support.builders import an_enriched
from tests.support.reports import (
    a_low,
    findings_in,
    write_enriched,
    write_lines,
    write_summary,
)
from transforms.rules.tagging import Thresholds


def test_several_runs_in_one_folder_are_all_read(tmp_path: Path) -> None:
    write_enriched(tmp_path, [an_enriched(), a_low()], run="first")
    write_enriched(tmp_path, [an_enriched()], run="second")
    assert findings_in(tmp_path).tally.answers == 3


def test_what_is_hidden_or_of_another_kind_is_no_output(tmp_path: Path) -> None:
    path = write_enriched(tmp_path, [an_enriched()])
    path.with_name("notes.txt").write_text("none of ours")
    hidden = tmp_path / "enriched" / ".groundwatch-run" / "half.avro"
    hidden.parent.mkdir()
    hidden.write_bytes(b"Obj")
    findings = findings_in(tmp_path)
    assert (findings.tally.answers, findings.unreadable) == (1, ())


def test_an_empty_folder_holds_no_output(tmp_path: Path) -> None:
    assert not find_files(str(tmp_path)).are_there


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


def test_an_avro_file_of_another_s_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.avro"
    schema = {"type": "record", "name": "Other", "fields": [{"name": "a", "type": "string"}]}
    with path.open("wb") as stream:
        fastavro.writer(stream, schema, [{"a": "x"}])
    with pytest.raises(UnreadableFile, match="holds no enriched answers"):
        next(read_rows(str(path)))


def test_a_damaged_line_is_told_without_what_stands_in_it(tmp_path: Path) -> None:
    path = write_lines(tmp_path, "alerts", {"kind": "answer", "severity": "info"})
    path.write_bytes(path.read_bytes() + b'{"kind": "secret\n')
    findings = findings_in(tmp_path)
    assert findings.tally.alerts.total == 1
    assert findings.unreadable == (f"{path}: is damaged: DecodeError",)


def test_a_summary_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text("[]")
    findings = findings_in(tmp_path)
    assert findings.summary is None
    assert len(findings.unreadable) == 1


@pytest.mark.parametrize("read", [read_rows, read_alerts, read_failures, read_summary])
def test_what_may_not_be_read_is_not_called_damaged(
    tmp_path: Path, read: Callable[[str], Any]
) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read: Is a directory"):
        list(read(str(tmp_path)))


def test_failures_are_counted_before_the_answers_that_mend_them(tmp_path: Path) -> None:
    payload = base64.b64encode(b"x" * 1_000).decode()
    failure = {"record_id": "5f" * 32, "step": "CheckGrounding", "error_class": "Unavailable"}
    write_lines(tmp_path, "failures", failure | {"retryable": True, "payload_base64": payload})
    write_enriched(tmp_path, [an_enriched(record_id="5f" * 32)])
    tally = findings_in(tmp_path).tally
    assert (tally.failures.total, tally.failures.mended) == (1, 1)


@pytest.mark.parametrize(
    ("told", "given", "in_force"),
    [
        (None, {}, Thresholds()),
        ({"low_grounded": 0.7, "claim": 0.5}, {}, Thresholds(low_grounded=0.7, claim=0.5)),
        (
            {"low_grounded": 0.7, "later": 1},
            {"claim": 0.2},
            Thresholds(low_grounded=0.7, claim=0.2),
        ),
        ({"low_grounded": 0.7}, {"low_grounded": 0.8}, Thresholds(low_grounded=0.8)),
    ],
    ids=["the defaults", "the summary's", "both", "what is given first"],
)
def test_the_thresholds_in_force(
    tmp_path: Path,
    told: dict[str, float] | None,
    given: dict[str, float],
    in_force: Thresholds,
) -> None:
    write_summary(tmp_path, **({"thresholds": told} if told else {}))
    assert read_output(find_files(str(tmp_path)), given, {}).tally.thresholds == in_force
