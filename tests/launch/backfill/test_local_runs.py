"""Runs on one machine: several processes, interrupted and resumed, within a budget."""

import asyncio
import errno
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.backfill import run_backfill
from groundwatch.launch.engine import process_count
from groundwatch.launch.engine.batches import Batches, Work
from groundwatch.launch.engine.engine_database import folder_held
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.plan import Plan
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings import config
from groundwatch.pipeline.sources.read_batch import ReadBatch
from groundwatch.pipeline.storage.output_lock import lock_output
from tests.support.archives import an_envelope
from tests.support.fault_server import FaultServer, always
from tests.support.fault_server import Plan as Choice
from tests.support.limits import limited
from tests.support.outputs import (
    alerts_in,
    distinct_ids_in,
    failures_in,
    record_ids_in,
    records_in,
    summary_in,
    visible_files,
)
from tests.support.runs import a_long_archive, an_archive, backfill, crash_in, in_batches
from tests.support.wire_faults import Exchange, good

ANSWERS = 36
"""In six batches."""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return a_long_archive(tmp_path, ANSWERS)


def batches_run(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the batches that are run from now on."""
    numbers: list[int] = []
    run = Batches.run

    def noting(batches: Batches, work: Work, **named: Any) -> Any:
        numbers.append(work.number)
        return run(batches, work, **named)

    monkeypatch.setattr(Batches, "run", noting)
    return numbers


def kinds_in(output: Path) -> Counter[str]:
    """How many files of each folder there are."""
    return Counter(name.rpartition("/")[0] for name in visible_files(output))


def test_batches_are_put_together_to_the_files_of_one_run(tmp_path: Path, archive: Path) -> None:
    assert backfill(archive, tmp_path / "whole") == 0
    assert in_batches(archive, tmp_path / "cut") == 0
    assert kinds_in(tmp_path / "cut") == kinds_in(tmp_path / "whole")
    assert record_ids_in(tmp_path / "cut") == record_ids_in(tmp_path / "whole")
    assert len(alerts_in(tmp_path / "cut")) == len(alerts_in(tmp_path / "whole")) > 0


def test_messages_that_hold_too_many_answers_together_are_checked_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ReadBatch, "most_answers", 20)
    repeated = an_envelope(0)
    lines = [
        b"[" + b",".join([an_envelope(number), repeated, *[b"{}"] * 5]) + b"]"
        for number in range(1, 21)
    ]
    assert backfill(an_archive(tmp_path, *lines), tmp_path / "out") == 0
    assert len(distinct_ids_in(tmp_path / "out")) == 21
    assert len(failures_in(tmp_path / "out")) == 100
    summary = summary_in(tmp_path / "out")
    assert (summary["read"], summary["duplicates"], summary["closes"]) == (140, 19, True)


def test_a_rate_is_seen_over_all_batches(tmp_path: Path) -> None:
    lines = [
        an_envelope(number, answer="Kettles vote in Senegal.", engine="shop")
        for number in range(20)
    ]
    for name, segments in (("whole", 20), ("cut", 4)):
        archive = an_archive(tmp_path, *lines)
        with limited(segment_messages=segments):
            assert backfill(archive, tmp_path / name) == 0
    rates = [
        [alert for alert in alerts_in(tmp_path / name) if alert["kind"] == "rate"]
        for name in ("whole", "cut")
    ]
    assert rates[0] == rates[1] != []


def test_two_processes_find_what_one_finds(tmp_path: Path) -> None:
    lines = [an_envelope(number % 40) for number in range(60)]
    archive = an_archive(tmp_path, *lines)
    assert backfill(archive, tmp_path / "one") == 0
    assert in_batches(archive, tmp_path / "two", "--workers", "2") == 0
    assert record_ids_in(tmp_path / "two") == record_ids_in(tmp_path / "one")
    assert summary_in(tmp_path / "two")["duplicates"] == 20


def test_what_is_done_is_not_done_again(
    tmp_path: Path,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with monkeypatch.context() as patched:
        crash_in(patched, 4)
        assert in_batches(archive, tmp_path / "out") == 1
    assert records_in(tmp_path / "out") == []
    run_again = batches_run(monkeypatch)
    capsys.readouterr()
    assert in_batches(archive, tmp_path / "out") == 0
    assert run_again == [4, 5, 6]
    assert "going on: 21 of 36 messages are done" in capsys.readouterr().err
    assert len(distinct_ids_in(tmp_path / "out")) == ANSWERS


@pytest.mark.parametrize("workers", [("--workers", "2"), ()], ids=["two", "all processors"])
def test_a_run_goes_on_with_other_numbers_of_processes_messages_and_bytes(
    tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    words = "--scorer", "none"
    with monkeypatch.context() as patched:
        crash_in(patched, 4)
        assert in_batches(archive, tmp_path / "out", *words, "--workers", "1") == 1
    monkeypatch.setattr(process_count, "usable_processors", lambda: 3)
    monkeypatch.setattr(process_count, "_MESSAGES_BY_WORDS", 7)
    with limited(segment_messages=11):
        flags = *words, *workers, "--target_file_mb", "1"
        assert backfill(archive, tmp_path / "out", *flags) == 0
    assert len(distinct_ids_in(tmp_path / "out")) == ANSWERS


def test_a_run_of_other_settings_starts_over_and_says_so(
    tmp_path: Path,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with monkeypatch.context() as patched:
        crash_in(patched, 4)
        assert in_batches(archive, tmp_path / "out") == 1
    run_again = batches_run(monkeypatch)
    capsys.readouterr()
    assert in_batches(archive, tmp_path / "out", "--claim_threshold", "0.1") == 0
    told = "groundwatch: the settings have changed: a new run begins\n"
    assert told in capsys.readouterr().err
    assert run_again == list(range(1, 7))
    assert len(distinct_ids_in(tmp_path / "out")) == ANSWERS


def test_flags_of_beam_that_do_nothing_here_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, flags = an_archive(tmp_path, an_envelope(1)), ["--num_workers", "3", "--region=eu"]
    assert backfill(archive, tmp_path / "out", *flags, "--direct_num_workers", "1") == 0
    named = "groundwatch: without --runner these do nothing: --num_workers, --region\n"
    assert named in capsys.readouterr().err


def test_a_second_run_of_the_same_id_is_kept_out(
    tmp_path: Path, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with folder_held(str(tmp_path / "work")):
        status = in_batches(archive, tmp_path / "out", "--work_folder", str(tmp_path / "work"))
    assert status == 1
    assert "another run or worker is active" in capsys.readouterr().err


@limited(segment_messages=20)
def test_large_files_are_cut_where_they_are_wished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(config, "MEGABYTE", 100_000)
    # Hardly anything to be packed, so that the files are as large as what goes in.
    noise = [f"{hash((number, word)):x}" for number in range(100) for word in range(200)]
    texts = [" ".join(noise[200 * number : 200 * number + 200]) for number in range(100)]
    lines = (an_envelope(number, answer=text, facts=[]) for number, text in enumerate(texts))
    archive = an_archive(tmp_path, *lines)
    flags = "--target_file_mb", "1"
    assert backfill(archive, tmp_path / "out", *flags) == 0
    sizes = [path.stat().st_size for path in sorted(tmp_path.glob("out/enriched/*/*.avro"))]
    assert len(sizes) > 1
    assert all(size > 90_000 for size in sizes[:-1])
    assert len(records_in(tmp_path / "out")) == 100


def test_a_limit_of_calls_stops_the_run_where_it_can_be_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [an_envelope(number, answer=f"Lamp {number} glows.") for number in range(ANSWERS)]
    archive, output = an_archive(tmp_path, *lines), tmp_path / "out"
    with FaultServer() as server:
        flags = "--checker", server.address
        for limit in (12, 25):
            assert in_batches(archive, output, *flags, "--max_calls", str(limit)) == 3
            assert server.requests == limit
            summary = summary_in(output)
            assert summary["closes"] is True
            assert (summary["read"], summary["deferred"]) == (limit, ANSWERS - limit)
            assert len(distinct_ids_in(output)) == limit
        assert "left 11 messages unread" in capsys.readouterr().out
        assert in_batches(archive, output, *flags) == 0
        assert server.requests == ANSWERS
    begun = f"going on: 25 of {ANSWERS} messages are done, and 25 calls made"
    assert begun in capsys.readouterr().err
    assert summary_in(output)["calls"] == ANSWERS
    assert len(distinct_ids_in(output)) == ANSWERS


def test_a_disk_that_is_full_when_files_are_published_is_gone_on_with(
    tmp_path: Path,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(storage, "publish_new", full)
        assert in_batches(archive, tmp_path / "out") == 1
    assert "No space left on device" in capsys.readouterr().err
    assert records_in(tmp_path / "out") == []
    run_again = batches_run(monkeypatch)
    assert in_batches(archive, tmp_path / "out") == 0
    assert run_again == []
    assert len(record_ids_in(tmp_path / "out")) == ANSWERS


def test_a_run_of_the_same_id_over_other_input_replaces_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = an_archive(tmp_path, *map(an_envelope, range(3)))
    (tmp_path / "other").mkdir()
    second = an_archive(tmp_path / "other", *map(an_envelope, range(3, 5)))
    output = tmp_path / "out"
    flags = "--run_id", "r", "--work_folder"
    assert backfill(first, output, *flags, str(tmp_path / "one")) == 0
    assert in_batches(second, output, *flags, str(tmp_path / "two")) == 1
    assert "a run 'r' over other input has written to" in capsys.readouterr().err
    assert len(records_in(output)) == 3
    assert in_batches(first, output, *flags, str(tmp_path / "three")) == 0
    assert len(records_in(output)) == 3


def test_two_runs_of_the_same_id_never_write_at_the_same_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_backfill, "LOCK_WAIT_S", 0.0)
    archive = an_archive(tmp_path, *map(an_envelope, range(3)))
    output = tmp_path / "out"
    flags = "--run_id", "r", "--work_folder", str(tmp_path / "two")
    with lock_output(f"{output}/.groundwatch-r.lock", 0):
        assert in_batches(archive, output, *flags) == 1
    assert "another process holds" in capsys.readouterr().err
    assert records_in(output) == []
    assert in_batches(archive, output, *flags) == 0


def held_until(asked: str, released: threading.Event) -> Choice:
    """Answer the first lamp's request when another lamp's has come."""

    async def choose(exchange: Exchange) -> bool:
        if "Lamp 0 " in exchange.asked:
            await asyncio.to_thread(released.wait, 60)
        elif f"Lamp {asked} " in exchange.asked:
            released.set()
        return await good(exchange)

    return always(choose)


def lamps(folder: Path) -> Path:
    lines = [an_envelope(number, answer=f"Lamp {number} glows.") for number in range(ANSWERS)]
    return an_archive(folder, *lines)


def test_a_batch_does_not_wait_for_the_last_call_of_the_one_before(tmp_path: Path) -> None:
    # The first batch's call ends when the sixth one runs, which has the last answer.
    with FaultServer(held_until("35", threading.Event())) as server:
        flags = "--checker", server.address
        assert in_batches(lamps(tmp_path), tmp_path / "out", *flags) == 0
        assert server.requests == ANSWERS
    ids = record_ids_in(tmp_path / "out")
    assert len(set(ids)) == len(ids) == ANSWERS
    assert summary_in(tmp_path / "out")["closes"] is True


def test_a_batch_that_waits_for_calls_is_finished_when_another_one_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    released = threading.Event()
    commit = Journal.commit

    def committing(journal: Journal, number: int, *others: Any, **named: Any) -> None:
        if number == 3:
            released.set()
            raise OSError(errno.ENOSPC, "No space left on device")
        commit(journal, number, *others, **named)

    archive, output = lamps(tmp_path), tmp_path / "out"
    with FaultServer(held_until("none", released)) as server:
        flags = "--checker", server.address
        with monkeypatch.context() as patched:
            patched.setattr(Journal, "commit", committing)
            assert in_batches(archive, output, *flags) == 1
        assert "No space left on device" in capsys.readouterr().err
        run_again = batches_run(monkeypatch)
        assert in_batches(archive, output, *flags) == 0
        assert run_again[0] == 3
        assert server.requests == ANSWERS
    assert len(distinct_ids_in(output)) == ANSWERS


@pytest.mark.timeout(60)
@pytest.mark.parametrize("method", ["claim", "advance"])
def test_a_database_that_cannot_be_written_ends_the_run_which_is_gone_on_with(
    tmp_path: Path,
    archive: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    method: str,
) -> None:
    works = getattr(Plan, method)
    calls: list[object] = []

    def fail_later(*given: Any) -> Any:
        calls.append(given)
        if len(calls) == 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        return works(*given)

    with monkeypatch.context() as patched:
        patched.setattr(Plan, method, fail_later)
        assert in_batches(archive, tmp_path / "out") == 1
    assert "No space left on device" in capsys.readouterr().err
    assert in_batches(archive, tmp_path / "out") == 0
    assert len(distinct_ids_in(tmp_path / "out")) == ANSWERS
