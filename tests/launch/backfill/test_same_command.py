"""The same command on a finished run, a changed one, and `--again`."""

import io
import os
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from groundwatch.launch.backfill import run_backfill
from groundwatch.launch.cli.main import main
from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.launch.engine.plan import Plan
from groundwatch.pipeline import storage
from groundwatch.pipeline.sinks.summary_file import read_summaries
from groundwatch.schemas.summary import summary_from_json, summary_to_json
from tests.support.archives import an_envelope, an_unsupported_envelope, lines_of
from tests.support.commands import GROUNDWATCH, run, start
from tests.support.fault_server import FaultServer, always, by_answer
from tests.support.limits import limited
from tests.support.outputs import (
    distinct_ids_in,
    failures_in,
    record_ids_in,
    records_in,
    summary_in,
)
from tests.support.runs import an_archive, backfill
from tests.support.waiting import wait_until
from tests.support.wire_faults import after, status

ANSWERS = 20


def lamps(*numbers: int) -> list[bytes]:
    return [an_envelope(number, answer=f"Lamp {number} glows.") for number in numbers]


def state_of(output: Path) -> dict[str, tuple[int, bytes]]:
    """Every file, hidden ones too, with its version and content."""
    paths = (path for path in output.rglob("*") if path.is_file())
    return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in paths}


def archive_in(folder: Path, *lines: bytes) -> Path:
    return an_archive(folder, *(lines or lamps(*range(ANSWERS))))


RUNS: dict[str, tuple[list[bytes], list[str], int]] = {
    "done": (lamps(1, 2), [], 0),
    "low-grounded": ([an_unsupported_envelope(1)], ["--fail_above", "0.5"], 4),
    "unreadable": ([*lamps(1), b"{"], [], 0),
    "all unreadable": ([b"{"], [], 1),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_same_command_shows_a_finished_run_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    lines, flags, expected = RUNS[name]
    archive, output = archive_in(tmp_path, *lines), tmp_path / "out"
    with FaultServer() as server:
        given = "--checker", server.address, *flags
        assert backfill(archive, output, *given) == expected
        first, before = capsys.readouterr(), state_of(output)
    # The checker may be away.
    assert backfill(archive, output, *given) == expected
    assert state_of(output) == before
    again = capsys.readouterr()
    assert again.err.startswith("groundwatch: this run finished at 20")
    assert "nothing was checked or written; --again runs it again" in again.err
    assert again.err.splitlines()[1:] == first.err.splitlines()
    assert again.out.splitlines()[1] == first.out.splitlines()[1]
    assert not list(output.glob(".*"))


def test_the_same_command_ends_as_a_run_with_failures_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    with FaultServer(by_answer({"Lamp 3 glows.": status(503, "UNAVAILABLE")})) as server:
        given = "--checker", server.address, "--max_attempts", "1"
        assert backfill(archive, output, *given) == 3
        paid, before = server.requests, state_of(output)
        capsys.readouterr()
        assert backfill(archive, output, *given) == 3
        assert (server.requests, state_of(output)) == (paid, before)
    assert "groundwatch replay --failures" in capsys.readouterr().out


def grow(archive: Path) -> None:
    with archive.open("ab") as stream:
        stream.write(lines_of(*lamps(ANSWERS)))


def rotate(archive: Path) -> None:
    content = archive.read_bytes().replace(b"Lamp", b"Wick")
    archive.unlink()
    archive.write_bytes(content)
    os.utime(archive, ns=(1, 1))


def add_file(archive: Path) -> None:
    an_archive(archive.parent, *lamps(ANSWERS), name="more.jsonl")


def lose_file(archive: Path) -> None:
    archive.unlink()


CHANGES: dict[str, tuple[Callable[[Path], object], list[str], str]] = {
    "a longer file": (grow, [], "answers.jsonl has changed"),
    "another file of the same name": (rotate, [], "answers.jsonl has changed"),
    "a new file": (add_file, [], "the input has other files (new: "),
    "a file that went": (lose_file, [], "the input has other files (gone: "),
    "a setting": (str, ["--low_grounded_threshold", "0.3"], "the settings have changed"),
    "rates": (str, ["--rate_burn", "2"], "--rate_burn is 2, and was 4"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_was_paid_for_is_replaced_only_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    change, flags, reason = CHANGES[name]
    source, output = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    archive = archive_in(source)
    an_archive(source, *lamps(100), name="others.jsonl")
    with FaultServer() as server:
        given = "--checker", server.address
        assert backfill(source, output, *given) == 0
        paid, before = server.requests, state_of(output)
        change(archive)
        capsys.readouterr()
        assert backfill(source, output, *given, *flags) == 2
        assert (server.requests, state_of(output)) == (paid, before)
        refusal = capsys.readouterr().err
        assert f"holds {ANSWERS + 1} records of a run of this input that finished at" in refusal
        assert reason in refusal
        assert "give --again to replace them by a new run" in refusal
        assert backfill(source, output, *given, *flags, "--again") == 0
    assert f"it replaces {ANSWERS + 1} records of the run that" in capsys.readouterr().err
    expected = sorted(
        line.split(b'"answer": "')[1].split(b'"')[0].decode()
        for path in source.iterdir()
        for line in path.read_bytes().splitlines()
    )
    assert sorted(record["answer_text"] for record in records_in(output)) == expected
    summary = summary_in(output)
    assert (summary["read"], len(summary["runs"])) == (len(expected), 1)
    assert main(["verify", str(output)]) == 0


def test_a_run_of_an_earlier_release_is_replaced_only_when_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    assert backfill(archive, output) == 0
    [path] = (output / "runs").iterdir()
    path.write_bytes(summary_to_json(replace(summary_from_json(path.read_bytes()), planned=None)))
    assert backfill(archive, output) == 2
    assert "earlier release, which did not note its settings" in capsys.readouterr().err
    assert backfill(archive, output, "--again") == 0
    assert len(record_ids_in(output)) == ANSWERS


def finish_and_interrupt_again(
    archive: Path, output: Path, given: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert backfill(archive, output, *given) == 0
    with monkeypatch.context() as patched:
        patched.setattr(storage, "publish_new", lambda *_: 1 / 0)
        assert backfill(archive, output, *given, "--again") == 1


def test_a_run_made_again_by_the_same_command_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    with FaultServer() as server:
        given = "--checker", server.address
        finish_and_interrupt_again(archive, output, given, monkeypatch)
        assert backfill(archive, output, *given, "--again") == 0
        assert server.requests == 2 * ANSWERS
    assert len(record_ids_in(output)) == ANSWERS


def test_results_are_replaced_when_the_run_made_again_has_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, output, calls = archive_in(tmp_path), tmp_path / "out", 8

    def files() -> dict[str, bytes]:
        found = {path: content for path, (_, content) in state_of(output).items()}
        # It says when it was made.
        found.pop(str(output / "report.html"), None)
        return found

    with FaultServer() as server:
        given = "--checker", server.address, "--work_folder", str(tmp_path / "work")
        assert backfill(archive, output, *given) == 0
        before = files()
        for limit in (calls, 2 * calls):
            again = *given, "--again", "--max_calls", str(limit)
            assert backfill(archive, output, *again) == 3
            assert files() == before
            assert f"{output} keeps the results of the run that" in capsys.readouterr().err
            assert main(["verify", str(output)]) == 0
        with monkeypatch.context() as patched:
            patched.setattr(storage, "remove", lambda *_: 1 / 0)
            assert backfill(archive, output, *given) == 1
        assert backfill(archive, output, *given) == 0
        assert server.requests == 2 * ANSWERS
    assert len(distinct_ids_in(output)) == ANSWERS
    assert set(before).isdisjoint(path for path in files() if path.endswith(".avro"))
    assert main(["verify", str(output)]) == 0


def test_the_log_of_a_run_made_again_is_emptied_between_its_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    assert backfill(archive, output) == 0
    waiting: list[int] = []
    checkpoint = EngineDatabase.checkpoint

    def noting(database: EngineDatabase) -> None:
        waiting.append(Plan(database).waiting())
        checkpoint(database)

    monkeypatch.setattr(EngineDatabase, "checkpoint", noting)
    monkeypatch.setattr(run_backfill, "_PUBLISH_EVERY_S", 0.0)
    with limited(segment_messages=4):
        assert backfill(archive, output, "--again") == 0
    assert {16, 12, 8, 4} & {*waiting}


def test_of_two_runs_at_once_one_is_paid(tmp_path: Path) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    with FaultServer(always(after(0.3))) as server:
        command = *GROUNDWATCH, "backfill", "--input", str(archive), "--output", str(output)
        command += "--checker", server.address, "--max_in_flight", "10"
        with start(*command) as first:
            wait_until(lambda: server.requests > 0, 60)
            status_of_second, _, said = run(*command)
            assert first.wait(60) == 0
        assert (status_of_second, server.requests) == (0, ANSWERS)
    assert "this run finished at" in said
    assert len(record_ids_in(output)) == ANSWERS


FAILING = {f"Lamp {number} glows.": status(503, "UNAVAILABLE") for number in range(10)}


def failing_backfill(archive: Path, output: Path, *flags: str) -> int:
    with FaultServer(by_answer(FAILING)) as server:
        given = "--checker", server.address, "--max_attempts", "1", *flags
        return backfill(archive, output, *given)


LOCAL = "--checker", "local"
"""The failures' run had one that is gone, unless a test names another."""


def replay(output: Path, *flags: str, pattern: str = "*") -> int:
    failures = str(output / "failures" / f"{pattern}.jsonl")
    return main(["replay", "--failures", failures, "--output", str(output), *LOCAL, *flags])


def assert_whole(output: Path, answers: int, runs: int) -> None:
    """Every answer is there once, and so says everything in the folder."""
    assert len(distinct_ids_in(output)) == answers
    summary = summary_in(output)
    assert (summary["closes"], summary["failures"], len(summary["runs"])) == (True, 0, runs)
    assert min(summary[name] for name in ("read", "failures", "retryable_failures")) >= 0
    assert main(["verify", str(output)]) == 0


def test_a_backfill_after_a_replay_of_its_failures_is_finished(tmp_path: Path) -> None:
    archive, output, faults = archive_in(tmp_path), tmp_path / "out", dict(FAILING)
    with FaultServer(by_answer(faults)) as server:
        given = "--run_id", "r", "--checker", server.address, "--max_attempts", "1"
        assert backfill(archive, output, *given) == 3
        faults.clear()
        assert replay(output, pattern="r-*") == 0
        paid, before = server.requests, state_of(output)
        # It ends as it did; the folder's summary has the replay.
        assert backfill(archive, output, *given) == 3
        assert (server.requests, state_of(output)) == (paid, before)
        assert_whole(output, ANSWERS, runs=2)
        assert backfill(archive, output, *given, "--again") == 0
    assert_whole(output, ANSWERS, runs=1)
    assert not list((output / "replayed").glob("*.jsonl"))


def test_failures_of_other_runs_are_put_back_when_their_replay_goes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = an_archive(tmp_path, *lamps(*range(5)), name="first.jsonl")
    second = an_archive(tmp_path, *lamps(*range(5, ANSWERS)), name="second.jsonl")
    output = tmp_path / "out"
    assert failing_backfill(first, output) == 3
    assert failing_backfill(second, output) == 3
    assert replay(output) == 0
    assert_whole(output, ANSWERS, runs=3)
    capsys.readouterr()
    assert backfill(second, output, "--again") == 0
    said = capsys.readouterr().err
    assert "it replaces 10 records and 5 failures of the run" in said
    assert "and 10 records of 1 replay of its failures" in said
    # Those of the first run are failures again, to be replayed.
    assert len(distinct_ids_in(output)) == ANSWERS - 5
    assert len(failures_in(output)) == summary_in(output)["failures"] == 5
    assert main(["verify", str(output)]) == 0
    assert replay(output) == 0
    assert_whole(output, ANSWERS, runs=3)


@pytest.mark.parametrize("left", ["", ".lock"])
def test_what_a_killed_replay_was_removing_goes_with_the_next_one(
    tmp_path: Path, left: str
) -> None:
    lines, output = [*lamps(*range(ANSWERS)), b"{unreadable"], tmp_path / "out"
    assert failing_backfill(archive_in(tmp_path, *lines), output) == 3
    assert replay(output) == 0
    [run_id] = (each["run"] for each in summary_in(output)["runs"] if each["replayed"])
    path = output / f".groundwatch-{run_id}{left}"
    if left:
        path.touch()
    else:
        path.mkdir()
        (path / "part").touch()
    assert replay(output) == 1  # it can read nothing of what is left
    assert len(summary_in(output)["runs"]) == 3
    assert not list(output.glob(".*"))


def test_the_same_replay_is_shown_and_resolves_nothing_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    assert failing_backfill(archive, output, "--run_id", "r") == 3
    for flags in ([], ["--run_id", "mine"]):
        assert replay(output, *flags, pattern="r-*") == (0 if not flags else 2)
    assert "no file matches" in capsys.readouterr().err
    before = state_of(output)
    with FaultServer() as server:
        assert replay(output, pattern="r-*") == 0
        assert server.requests == 0
    assert "this run finished at" in capsys.readouterr().err
    assert state_of(output) == before
    assert_whole(output, ANSWERS, runs=2)


def pipe(monkeypatch: pytest.MonkeyPatch, output: Path, lines: bytes, *flags: str) -> int:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines)))
    return main(["backfill", "--input", "-", "--output", str(output), *flags])


def test_what_comes_from_a_pipe_is_a_run_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = tmp_path / "out"
    days = [lines_of(*lamps(*range(20))), lines_of(*lamps(*range(20, 40)))]
    with FaultServer() as server:
        for day in (*days, *days):
            assert pipe(monkeypatch, output, day, "--checker", server.address) == 0
        assert server.requests == 40
    assert_whole(output, 40, runs=2)
    assert not list(output.glob(".*"))


def test_a_pipe_that_was_interrupted_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output, lines = tmp_path / "out", lines_of(*lamps(*range(ANSWERS)))
    with FaultServer() as server:
        given = "--checker", server.address
        with monkeypatch.context() as patched:
            patched.setattr(storage, "publish_new", lambda *_: 1 / 0)
            assert pipe(patched, output, lines, *given) == 1
        assert not list(output.rglob("standard-input*"))
        assert pipe(monkeypatch, output, lines, *given) == 0
        assert server.requests == ANSWERS
    assert_whole(output, ANSWERS, runs=1)


def test_pipes_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    output = tmp_path / "out"

    def pipe_of(number: int) -> int:
        command = [*GROUNDWATCH, "backfill", "--input", "-", "--output", str(output)]
        source = tmp_path / f"{number}.jsonl"
        source.write_bytes(lines_of(*lamps(number)))
        prepare = f"import os; os.dup2(os.open({str(source)!r}, os.O_RDONLY), 0)"
        returned, _, _ = run(*command, prepare=prepare)
        return returned

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(pipe_of, range(2))) == [0] * 2
    assert_whole(output, 2, runs=2)


@pytest.mark.parametrize("runner", [(), ("--runner", "FnApiRunner")], ids=["here", "on a runner"])
def test_a_run_that_read_nothing_is_replaced_with_another_map(
    tmp_path: Path, runner: tuple[str, ...]
) -> None:
    row = b'{"reply": "Lamps glow.", "docs": "Lamps glow."}'
    archive, output = archive_in(tmp_path, row, row), tmp_path / "out"
    assert backfill(archive, output, *runner) == 1
    assert (len(failures_in(output)), len(records_in(output))) == (2, 0)
    maps = "--map", "answer=$.reply", "facts=$.docs"
    assert backfill(archive, output, *maps, *runner) == 0
    assert (len(failures_in(output)), len(records_in(output))) == (0, 2)
    assert backfill(archive, output, *runner) == 2
    assert main(["verify", str(output)]) == 0


def test_a_run_without_a_record_whose_failures_were_replayed_is_replaced_only_when_asked(
    tmp_path: Path,
) -> None:
    archive, output = archive_in(tmp_path, *lamps(1, 2)), tmp_path / "out"
    with FaultServer(always(status(503, "UNAVAILABLE"))) as server:
        assert backfill(archive, output, "--checker", server.address, "--max_attempts", "1") == 3
    assert replay(output) == 0
    before = state_of(output)
    assert len(records_in(output)) == 2
    assert backfill(archive, output, "--claim_threshold", "0.3") == 2
    assert state_of(output) == before


REMOTE = "--runner", "FnApiRunner"


def test_a_runner_repeats_no_finished_run_either(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    with FaultServer() as server:
        given = "--checker", server.address, *REMOTE
        assert backfill(archive, output, *given) == 0
        paid, before = server.requests, state_of(output)
        assert backfill(archive, output, *given) == 0
        grow(archive)
        assert backfill(archive, output, *given) == 2
        assert (server.requests, state_of(output)) == (paid, before)
    said = capsys.readouterr().err
    assert "this run finished at" in said
    assert "answers.jsonl has changed: nothing was checked or written; give --again" in said


def test_a_run_here_that_was_interrupted_keeps_its_replies_when_a_runner_shows_the_finished_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    with FaultServer() as server:
        given = "--checker", server.address
        finish_and_interrupt_again(archive, output, given, monkeypatch)
        assert backfill(archive, output, *given, *REMOTE) == 0
        assert backfill(archive, output, *given, "--again") == 0
        assert server.requests == 2 * ANSWERS
    assert_whole(output, ANSWERS, runs=1)


LAST_WRITES = {
    "the folder's summary": "summary.json",
    "the report": "report.html",
    "the moves of replayed failures": "replayed/",
}


@pytest.mark.parametrize("lost", LAST_WRITES)
@pytest.mark.parametrize("flags", [(), REMOTE], ids=["here", "on a runner"])
def test_what_a_finished_run_could_not_publish_comes_with_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], lost: str
) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    assert failing_backfill(archive, output, "--run_id", "r") == 3
    with monkeypatch.context() as patched:
        publish = storage.publish

        def interrupted(temporary_path: str, path: str) -> None:
            is_ended = any(each.replayed for each in read_summaries(str(output)))
            if is_ended and LAST_WRITES[lost] in path:
                raise KeyboardInterrupt
            publish(temporary_path, path)

        patched.setattr(storage, "publish", interrupted)
        replay(output, *flags)
    # The state of the run is lost, too, as it always is on a runner.
    for folder in output.glob(".groundwatch-*/"):
        shutil.rmtree(folder)
    assert replay(output, *flags) == 0
    assert_whole(output, ANSWERS, runs=2)
    assert not list((output / "failures").iterdir())
    assert not list(output.glob(".*"))
    report, summary = (storage.version(str(output / n)) for n in ("report.html", "summary.json"))
    assert report[1] >= summary[1]
    before = state_of(output)
    assert replay(output, *flags) == 0
    assert state_of(output) == before


@pytest.mark.parametrize(
    ("before", "flags"), [((), REMOTE), (REMOTE, ())], ids=["then on a runner", "then here"]
)
def test_a_run_again_replaces_the_former_and_its_replays_on_any_runner(
    tmp_path: Path, before: tuple[str, ...], flags: tuple[str, ...]
) -> None:
    archive, output = archive_in(tmp_path), tmp_path / "out"
    assert failing_backfill(archive, output, "--run_id", "r", *before) == 3
    assert replay(output) == 0
    assert_whole(output, ANSWERS, runs=2)
    assert backfill(archive, output, "--run_id", "r", "--again", *flags) == 0
    assert_whole(output, ANSWERS, runs=1)
