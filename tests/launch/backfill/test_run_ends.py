"""A run that dies behind its last batch: the same command ends it, and pays for nothing again."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.backfill import earlier_runs, run_job
from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.publisher import Publisher
from groundwatch.pipeline import storage
from groundwatch.pipeline.sinks import summary_file
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer
from tests.support.outputs import (
    alerts_in,
    distinct_ids_in,
    failures_in,
    manifest_in,
    record_ids_in,
    summary_in,
    visible_files,
)
from tests.support.runs import Crash, an_archive, backfill

ANSWERS = 20
STEPS = {
    "rates": (Journal, "raise_alerts"),
    "name": (Publisher, "_begin_file"),
    "content": (Publisher, "_write_file"),
    "link": (storage, "publish_new"),
    "rows": (Publisher, "_record_placed"),
    "manifest": (Publisher, "_list_placed"),
    "supersede": (earlier_runs, "_remove_earlier_runs"),
    "earlier files": (earlier_runs, "_remove_run"),
    "earlier summary": (summary_file, "remove_summary"),
    "summary": (summary_file, "write_summary"),
    "report": (run_job, "write_report"),
    "removal": (EngineDatabase, "remove"),
}

CRASHES = [(step, 1, False) for step in STEPS]
CRASHES += [(step, 2, False) for step in ("name", "content", "link", "rows")]
# What is left after another step is what is left before the next one.
CRASHES.append(("removal", 1, True))


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = [
        an_envelope(
            number, answer=f"Lamp {number} glows.", time=f"2026-03-0{2 + number % 2}T08:00:00Z"
        )
        for number in range(ANSWERS)
    ]
    return an_archive(tmp_path_factory.mktemp("archive"), *lines, b"no answer")


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer() as server:
        yield server


@pytest.fixture(scope="module")
def finished(archive: Path, server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the output of a run that has ended, of which tests make copies."""
    output = tmp_path_factory.mktemp("finished") / "out"
    assert backfill(archive, output, *flags_of(server)) == 0
    return output


def flags_of(server: FaultServer) -> tuple[str, ...]:
    return "--run_id", "r", "--checker", server.address


def crash_at(monkeypatch: pytest.MonkeyPatch, step: str, call: int, *, is_done: bool) -> None:
    """Let the process end at a call of a step, before or after it."""
    owner, name = STEPS[step]
    works: Callable[..., Any] = getattr(owner, name)
    calls: list[object] = []

    def crashing(*given: Any, **named: Any) -> Any:
        calls.append(given)
        if len(calls) != call:
            return works(*given, **named)
        if is_done:
            works(*given, **named)
        raise Crash

    monkeypatch.setattr(owner, name, crashing)


def assert_whole(output: Path) -> None:
    """Every answer is there once, and so says everything in the folder."""
    assert len(distinct_ids_in(output)) == ANSWERS
    assert len(failures_in(output)) == 1
    summary = summary_in(output)
    assert (summary["enriched"], summary["failures"], summary["alerts"]) == (
        ANSWERS,
        1,
        len(alerts_in(output)),
    )
    assert (summary["closes"], summary["unfinished"], len(summary["runs"])) == (True, False, 1)
    listed = sorted(entry["path"] for entry in manifest_in(output))
    folders = ("enriched/", "failures/", "alerts/")
    assert listed == [name for name in visible_files(output) if name.startswith(folders)]
    assert "report.html" in visible_files(output)
    assert [path for path in output.rglob("*") if path.name.startswith(".")] == []


@pytest.mark.parametrize(("step", "call", "is_done"), CRASHES)
def test_a_run_that_dies_behind_its_last_batch_is_ended_by_the_same_command(
    tmp_path: Path,
    archive: Path,
    finished: Path,
    server: FaultServer,
    *,
    step: str,
    call: int,
    is_done: bool,
) -> None:
    # The files of an earlier run are replaced.
    output = Path(shutil.copytree(finished, tmp_path / "out"))
    flags, paid = flags_of(server), server.requests
    with pytest.MonkeyPatch.context() as patched:
        crash_at(patched, step, call, is_done=is_done)
        assert backfill(archive, output, *flags, "--again") == 1
    assert len(set(record_ids_in(output))) == ANSWERS
    for _ in range(2):
        assert backfill(archive, output, *flags) == 0
        assert server.requests == paid + ANSWERS
        assert_whole(output)


@pytest.mark.parametrize("is_log_left", [False, True])
def test_a_database_that_a_person_removed_is_no_run_unless_its_log_is_left(
    tmp_path: Path, archive: Path, *, is_log_left: bool
) -> None:
    output, work = tmp_path / "out", tmp_path / "work"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(EngineDatabase, "remove", lambda database: database.close())
        patched.setattr(storage, "remove_folder", lambda _: None)
        assert backfill(archive, output, "--work_folder", str(work)) == 0
    # What a log of another database would hold.
    log = work / "run.sqlite-wal"
    log.write_bytes((work / "run.sqlite").read_bytes())
    (work / "run.sqlite").unlink()
    if not is_log_left:
        log.unlink()
    assert backfill(archive, output, "--work_folder", str(work)) == int(is_log_left)
    assert len(distinct_ids_in(output)) == ANSWERS
    if not is_log_left:
        assert_whole(output)


def test_other_files_of_a_named_work_folder_stay(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "mine.txt").write_text("mine")
    archive = an_archive(tmp_path, an_envelope(1))
    assert backfill(archive, tmp_path / "out", "--work_folder", str(work)) == 0
    assert [path.name for path in work.iterdir()] == ["mine.txt"]
