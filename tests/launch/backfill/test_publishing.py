"""Files of a run: published as they fill, under new names, until they replace an earlier run's."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.backfill import run_backfill
from groundwatch.launch.engine.publisher import Publisher
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings import config
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, Plan, always
from tests.support.outputs import (
    Json,
    distinct_ids_in,
    manifest_in,
    record_ids_in,
    summary_in,
    visible_files,
)
from tests.support.runs import Crash, a_long_archive, an_archive, backfill, crash_in, in_batches
from tests.support.waiting import wait_until
from tests.support.wire_faults import Exchange, good

ANSWERS, UNSUPPORTED = 42, 5
"""In six batches."""

_TIMEOUT_S = 60.0


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return a_long_archive(tmp_path, ANSWERS)


@pytest.fixture
def small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a batch fill a file, which is published at once."""
    monkeypatch.setattr(config, "MEGABYTE", 1)
    monkeypatch.setattr(run_backfill, "_PUBLISH_EVERY_S", 0.01)


def lamps(folder: Path) -> Path:
    return an_archive(
        folder, *(an_envelope(number, answer=f"Lamp {number} glows.") for number in range(ANSWERS))
    )


@pytest.mark.usefixtures("small_files")
def test_a_file_is_visible_before_the_run_has_ended_which_says_so(tmp_path: Path) -> None:
    output = tmp_path / "out"
    found: list[tuple[int, Json]] = []

    def last_answer_waits() -> Plan:
        async def choose(exchange: Exchange) -> bool:
            if f"Lamp {ANSWERS - 1} " in exchange.asked:
                published = lambda: len(set(record_ids_in(output))) >= ANSWERS // 2  # noqa: E731
                await asyncio.to_thread(wait_until, published, _TIMEOUT_S)
                found.append((len(record_ids_in(output)), summary_in(output)))
            return await good(exchange)

        return always(choose)

    with FaultServer(last_answer_waits()) as server:
        flags = "--checker", server.address
        assert in_batches(lamps(tmp_path), output, *flags) == 0
    [(visible, summary)] = found
    assert visible < ANSWERS
    assert summary["unfinished"] is True
    assert len(distinct_ids_in(output)) == ANSWERS
    assert summary_in(output)["unfinished"] is False


@pytest.mark.usefixtures("small_files")
def test_the_manifest_describes_every_file(tmp_path: Path, archive: Path) -> None:
    output = tmp_path / "out"
    assert in_batches(archive, output) == 0
    entries = manifest_in(output)
    results = [name for name in visible_files(output) if name.startswith(("enriched/", "alerts/"))]
    assert sorted(entry["path"] for entry in entries) == results
    for entry in entries:
        path = output / entry["path"]
        assert path.stat().st_nlink == 1
        assert (entry["bytes"], entry["checksum"]) == (
            path.stat().st_size,
            storage.checksum(str(path)),
        )
    enriched = [entry for entry in entries if entry["path"].startswith("enriched/")]
    assert len(enriched) > 3
    assert sum(entry["rows"] for entry in enriched) == ANSWERS


def test_no_two_runs_write_a_file_of_the_same_name(tmp_path: Path, archive: Path) -> None:
    names = []
    for output in (tmp_path / "one", tmp_path / "two"):
        assert backfill(archive, output, "--run_id", "r") == 0
        names.append(set(visible_files(output)))
    assert names[0] & names[1] == {"report.html", "summary.json"}


@pytest.mark.usefixtures("small_files")
def test_the_files_of_a_run_that_began_anew_are_replaced_at_its_end(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    with monkeypatch.context() as patched:
        crash_in(patched, 5)
        patched.setattr(run_backfill, "_PUBLISH_EVERY_S", 0.0)
        assert in_batches(archive, output) == 1
    assert in_batches(archive, output, "--low_grounded_threshold", "0.3") == 0
    assert len(distinct_ids_in(output)) == ANSWERS
    assert len(summary_in(output)["runs"]) == 1
    assert {entry["path"] for entry in manifest_in(output)} <= set(visible_files(output))


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize(
    ("step", "error"), [("_write_file", OSError("the disk is gone")), ("_record_placed", Crash())]
)
def test_a_publication_that_fails_beside_the_batches_fails_the_run_which_loses_nothing(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: Exception
) -> None:
    def fail(*_: Any) -> None:
        raise error

    output = tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr(Publisher, step, fail)
        assert in_batches(archive, output) == 1
    distinct_ids_in(output)
    assert in_batches(archive, output) == 0
    assert len(distinct_ids_in(output)) == ANSWERS
    assert sum(entry["rows"] for entry in manifest_in(output)) == ANSWERS + UNSUPPORTED
    assert not list(output.rglob("*.unpublished"))
