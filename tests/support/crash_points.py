"""Kill a run, a replay or a worker at each point where it changes the disk, and run it again.

A point is a call of unlink, rename, link, rmdir or fsync, or a statement that commits to SQLite;
the process is killed before it, or after it. Each point has a folder of its own. A forked process
runs the job and kills itself with SIGKILL; another one runs it to its end.
"""

import argparse
import json
import os
import signal
import sqlite3
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from apache_beam.options.pipeline_options import PipelineOptions

from groundwatch.launch.cli.commands.watch import WatchSettings
from groundwatch.launch.cli.main import main
from groundwatch.launch.cli.paths import default_work_folder
from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.launch.watch.reporter import LogReporter
from groundwatch.launch.watch.run_worker import run_worker
from groundwatch.pipeline.settings.config import Config, Destination
from groundwatch.pipeline.settings.definition import build
from groundwatch.schemas.failure import failure_to_json
from groundwatch.schemas.message import Message
from groundwatch.schemas.summary import Summary, summary_to_json
from tests.support.archives import an_envelope, lines_of
from tests.support.builders import a_failure, a_message
from tests.support.limits import limited
from tests.support.outputs import failures_in, record_ids_in, summary_in

ANSWERS = 60
UNREADABLE = 3
BATCH = 20
JOBS = ("backfill", "replay", "worker")
_CALLS = ("unlink", "rename", "replace", "link", "rmdir", "fsync")
_WRITES = ("COMMIT", "INSERT", "UPDATE", "DELETE")


class Points:
    """Count the points of this process, and kill it at one of them; 0 is none."""

    def __init__(self, kill_at: int) -> None:
        self._kill_at = kill_at
        self._lock = threading.Lock()
        self.passed = 0

    def pass_one(self) -> None:
        with self._lock:
            self.passed += 1
            if self.passed == self._kill_at:
                os.kill(os.getpid(), signal.SIGKILL)

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **named: Any) -> Any:
            self.pass_one()
            result = function(*args, **named)
            self.pass_one()
            return result

        return called

    def interpose(self) -> None:
        """Let the calls of this process pass the points; it never ends otherwise than it does."""
        for name in _CALLS:
            setattr(os, name, self.around(getattr(os, name)))
        points = self

        class Connection(sqlite3.Connection):
            def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
                execute = super().execute
                is_write = statement.lstrip().startswith(_WRITES)
                if is_write and (statement == "COMMIT" or not self.in_transaction):
                    execute = points.around(execute)
                cursor: sqlite3.Cursor = execute(statement, *values)
                return cursor

        connect = sqlite3.connect

        def connecting(*args: Any, **named: Any) -> sqlite3.Connection:
            return connect(*args, **named, factory=Connection)

        sqlite3.connect = connecting  # type: ignore[assignment]


class FileSubscription:
    """Deliver messages until a file says that they are acknowledged; then set an event."""

    def __init__(self, acknowledged: Path, payloads: Sequence[bytes], all_done: Any) -> None:
        self._file = acknowledged
        self._all_done = all_done
        done = set(acknowledged.read_text().split()) if acknowledged.exists() else set()
        self._left = {
            str(number): Message(payload=payload, place=str(number), publish_time_us=number + 1)
            for number, payload in enumerate(payloads)
            if str(number) not in done
        }
        self._waiting = list(self._left.values())

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> Sequence[Message]:  # noqa: ARG002
        if not self._left:
            self._all_done.set()
        size = min(max_messages, BATCH)
        pulled, self._waiting = self._waiting[:size], self._waiting[size:]
        return pulled

    def acknowledge(self, places: Iterable[str]) -> None:
        with self._file.open("a") as stream:
            for place in places:
                stream.write(f"{place}\n")
                del self._left[place]

    def stats(self) -> SubscriptionStats:
        return SubscriptionStats(processing=len(self._left))

    def close(self, within_s: float) -> None:
        pass


def run_job(job: str, folder: Path) -> int:
    """Run a job in this process; return its exit status."""
    output = folder / "out"
    places = ["--output", str(output)]
    if job == "worker":
        return _run_worker(folder, output)
    with limited(segment_messages=BATCH):
        if job == "backfill":
            return main(["backfill", "--input", str(folder / "answers.jsonl"), *places])
        failures = str(output / "failures" / "*.jsonl")
        return main(["replay", "--failures", failures, *places, "--run_id", "again"])


def _run_worker(folder: Path, output: Path) -> int:
    stop = threading.Event()
    destination = Destination(root=str(output), run="watched")
    config = Config(
        output=destination.root, run=destination.run, work_folder=default_work_folder(destination)
    )
    summary = run_worker(
        config,
        build(WatchSettings, {"subscription": "projects/p/subscriptions/s"}),
        PipelineOptions([]),
        subscription=FileSubscription(folder / "acknowledged", _lines(), stop),
        reporter=LogReporter(),
        stop=stop,
    )
    return 0 if summary.closes else 1


def _lines() -> list[bytes]:
    times = (f"2026-03-0{2 + number % 3}T08:00:00Z" for number in range(ANSWERS))
    return [an_envelope(number, time=time) for number, time in enumerate(times)] + [
        b"{unreadable %d" % number for number in range(UNREADABLE)
    ]


def prepare(job: str, folder: Path) -> None:
    """Make the input of a job."""
    (folder / "answers.jsonl").write_bytes(lines_of(*_lines()))
    if job == "replay":
        failed = folder / "out" / "failures"
        failed.mkdir(parents=True)
        lines = [
            failure_to_json(a_failure(message=a_message(payload=line, place=f"old#{number}")))
            for number, line in enumerate(_lines())
        ]
        (failed / "earlier-1.jsonl").write_bytes(lines_of(*lines))
        runs = folder / "out" / "runs"
        runs.mkdir()
        (runs / "earlier.json").write_bytes(summary_to_json(_summary_of_failures(len(lines))))


def _summary_of_failures(count: int) -> Summary:
    """Make the summary of a run whose checks have all failed."""
    return Summary(
        run="earlier",
        checker="local",
        read=count,
        enriched=0,
        failures=count,
        retryable_failures=count,
        failures_by_error={a_failure().error_class: count},
        alerts=0,
        cost=None,
        mean_latency_ms=None,
        max_latency_ms=None,
        started_at_us=0,
        finished_at_us=0,
    )


def problems_of(job: str, folder: Path) -> list[str]:
    """Reconcile what is in the files with the input; name the differences."""
    output = folder / "out"
    ids = Counter(record_ids_in(output))
    found = []
    if len(ids) != ANSWERS:
        found.append(f"{len(ids)} of {ANSWERS} answers have a record")
    if doubled := sum(count > 1 for count in ids.values()):
        found.append(f"{doubled} answers are doubled")
    failed = [each["source"] for each in failures_in(output)]
    if len(failed) != UNREADABLE:
        found.append(f"{len(failed)} failures of {UNREADABLE} messages")
    summary = summary_in(output)
    if (summary["enriched"], summary["failures"], summary["closes"]) != (ANSWERS, UNREADABLE, True):
        found.append(f"summary.json says {summary['enriched']} and {summary['failures']}")
    hidden = [path for path in output.rglob("*") if path.name.startswith(".")]
    if job != "worker" and hidden:
        found.append(f"left behind: {hidden[0].name}")
    linked = [p for p in output.rglob("*") if p.is_file() and p.stat().st_nlink > 1]
    if linked:
        found.append(f"{linked[0].name} has a second name")
    return found


def in_child(action: Callable[[], int]) -> int:
    """Run something in a forked process; return its exit status, negative for a signal."""
    child = os.fork()
    if not child:
        status = 1
        with (
            Path(os.devnull).open("w") as nothing,
            redirect_stdout(nothing),
            redirect_stderr(nothing),
        ):
            try:
                status = action()
            finally:
                os._exit(status)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def crash_at(job: str, point: int) -> dict[str, Any]:
    """Kill a job at a point, run it again, and reconcile; `killed` is false behind the last."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(job, folder)

        def interposed() -> int:
            Points(point).interpose()
            return run_job(job, folder)

        killed = in_child(interposed) == -signal.SIGKILL
        status = in_child(lambda: run_job(job, folder)) if killed else 0
        problems = problems_of(job, folder) if killed else []
        if status:
            problems.append(f"the second run ended with {status}")
        return {"job": job, "point": point, "killed": killed, "problems": problems}


def count_points(job: str) -> int:
    """Count the points of a job that is not killed."""
    with tempfile.TemporaryDirectory() as name:
        folder, counted = Path(name), Path(name, "points")
        prepare(job, folder)

        def counting() -> int:
            points = Points(0)
            points.interpose()
            status = run_job(job, folder)
            counted.write_text(str(points.passed))
            return status

        status = in_child(counting)
        if not counted.exists():
            raise RuntimeError(f"the job ended with {status}")
        return int(counted.read_text())


def sweep(job: str, step: int = 1) -> Iterator[dict[str, Any]]:
    """Crash at every so many points of a job."""
    for point in range(1, count_points(job) + 1, step):
        yield crash_at(job, point)


def main_of_sweep(arguments: Sequence[str]) -> int:
    """Print a line of JSON for each point; return 1 if there was a problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="*", default=JOBS)
    parser.add_argument("--step", type=int, default=1)
    given = parser.parse_args(arguments)
    found = 0
    for job in given.jobs:
        for crash in sweep(job, given.step):
            found += bool(crash["problems"])
            sys.stdout.write(f"{json.dumps(crash)}\n")
            sys.stdout.flush()
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main_of_sweep(sys.argv[1:]))
