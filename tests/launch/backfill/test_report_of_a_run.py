"""The report and the screen of a run."""

from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.results.report import terminal_summary
from groundwatch.launch.results.report.page.report_page import render
from groundwatch.launch.results.report.write_report import read_output
from groundwatch.pipeline import storage
from groundwatch.pipeline.sources.output_folder import find_files
from tests.support.outputs import record_ids_in
from tests.support.runs import a_long_archive, in_batches

ANSWERS, UNSUPPORTED = 40, 4
"""In six batches."""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return a_long_archive(tmp_path, ANSWERS)


def page_of_files(output: Path) -> str:
    return render(read_output(find_files(str(output)), {}), str(output))


def is_report_of_its_files(output: Path) -> bool:
    return (output / "report.html").read_text(encoding="utf-8") == page_of_files(output)


def test_the_report_and_the_screen_show_the_records_of_a_run(
    tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert in_batches(archive, tmp_path / "out") == 0
    assert "Kettles vote in Senegal." in capsys.readouterr().out
    assert is_report_of_its_files(tmp_path / "out")


def test_a_second_run_in_the_folder_is_counted_with_the_first(
    tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for run in ("first", "second"):
        assert in_batches(archive, tmp_path / "out", "--run_id", run) == 0
    assert is_report_of_its_files(tmp_path / "out")
    assert f">{2 * ANSWERS}<" in page_of_files(tmp_path / "out")
    second = capsys.readouterr().out.split(f"{ANSWERS} messages in")[-1]
    assert f"{UNSUPPORTED} of {ANSWERS} scored answers flagged by the embedded checker." in second


@pytest.mark.parametrize(
    ("runs", "flagged"),
    [
        # The report has counted it.
        (1, f"{UNSUPPORTED} of {ANSWERS} scored answers flagged by the embedded checker."),
        (
            2,
            f"{UNSUPPORTED} answers flagged by the embedded checker, or reported by the generator.",
        ),
    ],
)
def test_the_screen_is_honest_of_a_run_too_long_to_read(
    tmp_path: Path,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    *,
    runs: int,
    flagged: str,
) -> None:
    monkeypatch.setattr(terminal_summary, "_MAX_ROWS_TO_SEARCH", 5)
    for run in range(runs):
        assert in_batches(archive, tmp_path / "out", "--run_id", f"run-{run}") == 0
    assert flagged in " ".join(capsys.readouterr().out.split())


def test_a_report_that_cannot_be_written_fails_no_run(
    tmp_path: Path,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write = storage.write_whole

    def fail(path: str, *rest: Any) -> None:
        if path.endswith(".html"):
            raise OSError("No space left on device")
        write(path, *rest)

    monkeypatch.setattr(storage, "write_whole", fail)
    assert in_batches(archive, tmp_path / "out") == 0
    assert "cannot write the report: No space left on device" in capsys.readouterr().err
    assert len(record_ids_in(tmp_path / "out")) == ANSWERS
