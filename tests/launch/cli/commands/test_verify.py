"""`groundwatch verify`: the files against what the runs say, from the outside."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundwatch.launch.cli.main import main
from groundwatch.pipeline.sinks.summary_file import write_summary
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.buckets import Buckets
from tests.support.outputs import Json
from tests.support.runs import a_long_archive, backfill, crash_in, in_batches
from tests.support.storage_server import storage_server
from tests.support.watched import Watched, work

PASSED = "Verified: every row and record id is where the counts say."


def verify(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """Run the command; returns its exit status and what it printed."""
    capsys.readouterr()
    exit_status = main(["verify", *map(str, arguments)])
    printed = capsys.readouterr()
    return exit_status, printed.out + printed.err


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of a backfill over three days, with alerts and a failure."""
    folder = tmp_path_factory.mktemp("finished")
    lines = [an_unsupported_envelope(100), b"no answer"]
    archive = a_long_archive(folder, 30)
    with archive.open("ab") as stream:
        stream.writelines(line + b"\n" for line in lines)
    assert backfill(archive, folder / "out") == 0
    return folder / "out"


@pytest.fixture
def output(finished: Path, tmp_path: Path) -> Path:
    """A copy of it, which a test may damage."""
    return Path(shutil.copytree(finished, tmp_path / "out"))


def test_a_backfill_is_verified(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exit_status, printed = verify(capsys, output)
    assert exit_status == 0
    assert PASSED in printed
    rows = {line.strip().split("  ")[0]: line.split()[-3:] for line in printed.splitlines() if line}
    assert rows["written, by ledgers and summaries"] == ["31", "1", "4"]
    assert rows["listed in the manifest"] == rows["in the files"] == ["31", "1", "4"]
    assert rows["waiting in work folders"] == ["0", "0", "0"]


def a_file(output: Path, kind: str = "enriched") -> Path:
    return min(path for path in (output / kind).rglob("*") if path.is_file())


def remove_file(output: Path) -> str:
    path = a_file(output)
    path.unlink()
    return f"{path.relative_to(output)} is gone; its manifest lists 11 rows"


def cut_file(output: Path) -> str:
    path = a_file(output)
    path.write_bytes(path.read_bytes()[:-40])
    return f"{path.relative_to(output)} is damaged after 0 rows"


def copy_file(output: Path) -> str:
    path = a_file(output)
    shutil.copy(path, path.with_name("copy.avro"))
    return "11 record ids have more than one record or failure"


def add_file(output: Path) -> str:
    (output / "alerts" / "another.jsonl").write_text("{}\n")
    return "alerts/another.jsonl has 1 row, and no manifest lists it"


def add_line(output: Path) -> str:
    path = a_file(output, "failures")
    path.write_bytes(2 * path.read_bytes())
    return f"{path.relative_to(output)} has 2 rows in"


def edit_payload(output: Path) -> str:
    path = a_file(output, "failures")
    path.write_bytes(path.read_bytes().replace(b'"bm8gYW5zd2Vy"', b'"bm8gYW5zd2VyIQ=="'))
    return f"{path.relative_to(output)} has 1 row in"


def remove_manifest(output: Path) -> str:
    min(output.glob("manifest/*")).unlink()
    return f"{a_file(output).relative_to(output)} has 11 rows, and no manifest lists it"


def change_count(output: Path) -> str:
    edit(output, "runs/*.json", lambda counts: counts | {"read": counts["read"] + 1})
    return "its counts do not add up: 33 messages were read"


def change_rows(output: Path) -> str:
    edit(output, "runs/*.json", lambda counts: counts | {"enriched": 30, "failures": 2})
    return "rows of enriched: 30 written, 31 found"


def edit(output: Path, files: str, change: Callable[[Json], Json]) -> None:
    for path in output.glob(files):
        path.write_text(json.dumps(change(json.loads(path.read_bytes()))))


def edit_both(output: Path, **counts: Any) -> None:
    """Change counts of the only run in its summary and in that of the folder."""
    edit(output, "runs/*.json", lambda summary: summary | counts)
    edit(output, "summary.json", lambda summary: summary | counts)
    edit(output, "summary.json", lambda it: it | {"runs": [run | counts for run in it["runs"]]})


def remove_summary(output: Path) -> str:
    (output / "summary.json").unlink()
    return "summary.json is gone; runs/ counts 1 run"


def remove_runs(output: Path) -> str:
    shutil.rmtree(output / "runs")
    return "runs/ has no summary, and there is a summary.json"


def remove_all_summaries(output: Path) -> str:
    remove_runs(output)
    remove_summary(output)
    return "which has no summary in runs/"


def change_total_calls(output: Path) -> str:
    edit(output, "summary.json", lambda counts: counts | {"calls": 1})
    return "summary.json: calls is 1; by the summaries in runs/ it is 2"


def change_calls_of_a_run(output: Path) -> str:
    edit(output, "runs/*.json", lambda counts: counts | {"calls": 1})
    return "summary.json: calls is 2; by the summaries in runs/ it is 1"


def change_a_listed_run(output: Path) -> str:
    edit(output, "summary.json", lambda it: it | {"runs": [it["runs"][0] | {"calls": 1}]})
    (path,) = output.glob("runs/*.json")
    return f"summary.json does not list the run {path.stem} as runs/{path.name} has it"


def change_verdicts(output: Path) -> str:
    edit_both(output, verdicts={"GROUNDED": 31})
    return "verdicts GROUNDED is 31; by its files it is 27"


def change_checked(output: Path) -> str:
    edit_both(output, checked=3)
    return "checked is 3; by its files it is 31"


def change_errors(output: Path) -> str:
    edit_both(output, failures_by_error={"BadReply": 1})
    return "failures_by_error UnreadableAnswer is 0; by the files of failures it is 1"


def change_retryable(output: Path) -> str:
    edit_both(output, retryable_failures=1)
    return "retryable_failures is 1; by the files of failures it is 0"


def remove_checksum(output: Path) -> str:
    path = a_file(output, "alerts")
    path.write_bytes(path.read_bytes().replace(b'"LOW_GROUNDED"', b'"LOW_GROUNDEX"'))
    (manifest,) = output.glob("manifest/*.jsonl")
    lines = [json.loads(line) for line in manifest.read_bytes().splitlines()]
    lines = [line | {"checksum": None} if "alerts/" in line["path"] else line for line in lines]
    manifest.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return f"{path.relative_to(output)} has no checksum in its manifest"


DAMAGES = [remove_file, cut_file, copy_file, add_file, add_line, edit_payload]
DAMAGES += [remove_manifest, change_count, change_rows]
DAMAGES += [remove_summary, remove_runs, remove_all_summaries]
DAMAGES += [change_total_calls, change_calls_of_a_run]
DAMAGES += [change_a_listed_run, change_verdicts, change_checked, change_errors]
DAMAGES += [change_retryable, remove_checksum]


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_difference_is_found(
    output: Path, damage: Callable[[Path], str], capsys: pytest.CaptureFixture[str]
) -> None:
    expected = damage(output)
    exit_status, printed = verify(capsys, output)
    assert exit_status == 1
    assert expected in printed
    assert PASSED not in printed


FOREIGN_FILES = [
    *("notes.txt", "manifest/.DS_Store", "manifest/notes.txt", "manifest/._copy.jsonl"),
    *("runs/.DS_Store", "runs/._copy.json", "enriched/notes.txt", "enriched/.DS_Store"),
    *("enriched/event_date=2026-03-02/.hidden/copy.avro", "failures/notes.txt", "alerts/notes.txt"),
]


def test_files_of_others_are_no_difference(
    output: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    for name in FOREIGN_FILES:
        (output / name).parent.mkdir(exist_ok=True)
        (output / name).write_bytes(b"\x00\x05\x16\x07 by somebody else")
    exit_status, printed = verify(capsys, output)
    assert (exit_status, PASSED in printed) == (0, True)
    assert not caplog.records


def test_rows_of_a_run_that_has_not_ended_wait_in_its_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, output = a_long_archive(tmp_path, 30), tmp_path / "out"
    flags = "--work_folder", str(tmp_path / "work")
    with monkeypatch.context() as patched:
        crash_in(patched, 3)
        assert in_batches(archive, output, *flags) == 1
    before = sorted((tmp_path / "work").iterdir())
    exit_status, printed = verify(capsys, output, "--work_folder", tmp_path / "work")
    assert exit_status == 1
    assert "has not ended: give the same command again to finish it" in printed
    rows = {line.strip().split("  ")[0]: line.split()[-3:] for line in printed.splitlines() if line}
    assert rows["waiting in work folders"] == ["14", "0", "2"]
    assert set(before) <= set((tmp_path / "work").iterdir())
    assert in_batches(archive, output, *flags) == 0
    assert verify(capsys, output)[0] == 0


def test_a_bucket_is_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = a_long_archive(tmp_path, 30)
    monkeypatch.setenv("HOME", str(tmp_path))
    with storage_server(monkeypatch) as buckets:
        assert main(["backfill", "--input", str(archive), "--output", "gs://out/run"]) == 0
        assert verify(capsys, "gs://out/run")[0] == 0
        name = next(name for name in buckets.below("gs://out/run/enriched/"))
        _remove(buckets, f"gs://out/run/enriched/{name}")
        exit_status, printed = verify(capsys, "gs://out/run")
    assert (exit_status, f"enriched/{name} is gone" in printed) == (1, True)


def _remove(buckets: Buckets, path: str) -> None:
    del buckets._objects[path]


def test_a_worker_is_verified_while_rows_wait_and_after(
    watched: Watched, capsys: pytest.CaptureFixture[str]
) -> None:
    watched.publish(*map(an_envelope, range(10)), an_unsupported_envelope(10), b"no answer")
    with watched.worker() as worker:
        work(worker, lambda: not watched.outstanding)
        watched.publish(*map(an_envelope, range(20, 25)))
        # Another thread publishes the first files.
        work(worker, lambda: not watched.outstanding and worker.publisher._running is None)
    folders = watched.output, "--work_folder", watched.work_folder
    exit_status, printed = verify(capsys, *folders)
    assert (exit_status, PASSED in printed) == (0, True)
    watched.drain()
    assert verify(capsys, *folders)[0] == 0
    # The summary of a worker may be older than its database, not newer.
    (summary,) = watched.output.glob("runs/*.json")
    before = summary.read_bytes()
    edit_both(watched.output, verdicts={"GROUNDED": 16})
    exit_status, printed = verify(capsys, *folders)
    assert (exit_status, "verdicts GROUNDED is 16; by " in printed) == (1, True)
    edit_both(watched.output, verdicts=json.loads(before)["verdicts"])
    # The worker's folder is gone, and all of its rows are public.
    shutil.rmtree(watched.work_folder)
    assert verify(capsys, watched.output)[0] == 0
    a_file(watched.output).unlink()
    assert verify(capsys, watched.output)[0] == 1


def test_rows_of_a_lost_work_folder_are_missing(
    watched: Watched, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    watched.publish(*map(an_envelope, range(10)))
    watched.drain()
    watched.publish(*map(an_envelope, range(10, 15)))
    with watched.worker() as worker:
        monkeypatch.setattr(worker.publisher, "publish_due", lambda: None)
        work(worker, lambda: not watched.outstanding)
        assert worker.journal.waiting()["enriched"].rows == 5
        write_summary(watched.config().destination, worker.summarize(worker.journal))
    exit_status, _ = verify(capsys, watched.output, "--work_folder", watched.work_folder)
    assert exit_status == 0
    shutil.rmtree(watched.work_folder)
    exit_status, printed = verify(capsys, watched.output)
    assert exit_status == 1
    assert "rows of enriched in a work folder that was not found: 5; name it" in printed
