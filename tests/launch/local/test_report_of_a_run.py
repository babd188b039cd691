"""The report and the screen of a run, counted while its records are written."""

from collections.abc import Callable
from pathlib import Path

import pytest

from launch.local import local_run
from launch.local.work_folder import SegmentDone, WorkFolder
from launch.outputs import output_folder
from launch.outputs.output_folder import find_files
from launch.report import terminal_summary
from launch.report.page.page import render
from launch.report.write_report import read_output
from pipeline.sinks.counted_rows import CountedRows
from tests.support.limits import limited
from tests.support.runs import a_long_archive, backfill


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return a_long_archive(tmp_path, 60)


def page_of_files(output: Path) -> str:
    return render(read_output(find_files(str(output)), {}, {}), str(output))


def is_report_of_its_files(output: Path) -> bool:
    return (output / "report.html").read_text(encoding="utf-8") == page_of_files(output)


def forbid_reading(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def read(path: str) -> None:
        raise AssertionError(path)

    for module in (output_folder, terminal_summary):
        monkeypatch.setattr(module, "read_answers", read)
    return monkeypatch.undo


@limited(segment_messages=7)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_records_of_a_run_are_not_read_back(
    tmp_path: Path,
    archive: Path,
    workers: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    allow_reading = forbid_reading(monkeypatch)
    assert backfill(archive, tmp_path / "out", "--workers", workers) == 0
    allow_reading()
    assert "Kettles vote in Senegal." in capsys.readouterr().out
    assert is_report_of_its_files(tmp_path / "out")


@limited(segment_messages=7)
def test_a_second_run_in_the_folder_is_counted_with_the_first(
    tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for run in ("first", "second"):
        assert backfill(archive, tmp_path / "out", "--run_id", run) == 0
    assert is_report_of_its_files(tmp_path / "out")
    assert ">120<" in page_of_files(tmp_path / "out")
    second = capsys.readouterr().out.split("60 messages in")[-1]
    assert "6 of 60 scored answers flagged by the lexical screen." in second


@limited(segment_messages=7)
def test_the_screen_is_honest_of_a_run_too_long_to_read(
    tmp_path: Path,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(terminal_summary, "_MAX_ROWS_TO_SEARCH", 5)
    for run in ("first", "second"):
        assert backfill(archive, tmp_path / "out", "--run_id", run) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "6 answers flagged by the lexical screen, or reported by the generator." in printed


@limited(segment_messages=7)
def test_what_an_interrupted_run_has_counted_counts(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        finish = WorkFolder.finish_segment

        def crashing(work: WorkFolder, number: int, done: SegmentDone) -> None:
            if number == 4:
                raise OSError("the disk is gone")
            finish(work, number, done)

        patched.setattr(WorkFolder, "finish_segment", crashing)
        assert backfill(archive, tmp_path / "out") == 1
    allow_reading = forbid_reading(monkeypatch)
    assert backfill(archive, tmp_path / "out") == 0
    allow_reading()
    assert is_report_of_its_files(tmp_path / "out")


@limited(segment_messages=7)
@pytest.mark.parametrize("content", [b"", b'{"record_id":'], ids=["lost", "cut"])
def test_the_files_are_read_if_what_was_counted_is_damaged(
    tmp_path: Path, archive: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = local_run.publish_parts

    def damaging(*arguments: object) -> dict[str, int]:
        path = next(tmp_path.glob(f"out/.groundwatch-*/segment-*/{CountedRows.kind}-*"))
        path.write_bytes(content)
        return publish(*arguments)

    monkeypatch.setattr(local_run, "publish_parts", damaging)
    assert backfill(archive, tmp_path / "out") == 0
    assert is_report_of_its_files(tmp_path / "out")
