"""Kill a job at each system call that makes a change durable, and run it again.

A job is a backfill, one made again by `--again`, a replay or a worker; `pair` is a backfill whose
second checker's budget is spent, and then a larger one, and `pair_worker` a worker with a second
checker.

A point is a call of unlink, rename, link, rmdir, fsync or fdatasync, by Python or by SQLite; the
process is killed before it, or after it. Each point has a folder of its own. A forked process runs
the job until it is killed; the same command then runs to its end, and once more, which must change
nothing. What is in the files is reconciled with the input, and the calls with those that the
checker has counted.
"""

import argparse
import io
import json
import mmap
import os
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

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
from tests.support.fault_server import FaultServer
from tests.support.limits import limited
from tests.support.outputs import (
    Json,
    alerts_in,
    failures_in,
    manifest_in,
    record_ids_in,
    records_in,
    summary_in,
    visible_files,
)
from tests.support.system_calls import require_tracing, run_killed_at
from tests.support.wire_faults import Fault, good

ANSWERS = 60
UNREADABLE = 3
BATCH = 21  # three batches: one can be done, one under way and one not begun
JOBS = ("backfill", "again", "replay", "worker", "pair", "pair_worker")
BUDGET = 30
IN_FLIGHT = 4
_STUCK_AFTER_S = 120


class CountingChecker(NamedTuple):
    """A checker in a process of its own, and a counter of the calls that it has answered."""

    address: str
    counter: mmap.mmap

    @property
    def calls(self) -> int:
        return int.from_bytes(self.counter[:8], sys.byteorder)

    @classmethod
    @contextmanager
    def started(cls) -> "Iterator[CountingChecker]":
        """Serve while a `with` block lasts."""
        counter = mmap.mmap(-1, 8)
        reader, writer = os.pipe()

        def count(number: int) -> Fault:
            counter[:8] = (number + 1).to_bytes(8, sys.byteorder)
            return good

        child = os.fork()
        if not child:
            with FaultServer(count) as server:
                os.write(writer, server.address.encode())
                signal.pause()
        try:
            yield cls(os.read(reader, 100).decode(), counter)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


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


def run_job(job: str, folder: Path, checker: str, *further: str) -> int:
    """Run a job in this process, with `further` flags; return its exit status."""
    signal.alarm(_STUCK_AFTER_S)
    output = folder / "out"
    if job.endswith("worker"):
        return _run_worker(folder, output, _checkers(job, checker))
    flags = ["--output", str(output)]
    for name, value in _checkers(job, checker).items():
        flags += [f"--{name}", str(value)]
    flags += further
    with limited(segment_messages=BATCH):
        if job != "replay":
            return main(["backfill", "--input", str(folder / "answers.jsonl"), *flags])
        return main(["replay", "--failures", str(output / "failures" / "*.jsonl"), *flags])


def run_first(job: str, folder: Path, checker: str) -> int:
    """Run the command that is killed: its flags are further ones, or a budget."""
    flags = {"again": ["--again"], "pair": ["--max_calls", str(BUDGET)]}
    return run_job(job, folder, checker, *flags.get(job, []))


def _checkers(job: str, checker: str) -> dict[str, Any]:
    """Return flags by which this checker checks each answer, also as the second one."""
    named = {"checker": checker}
    if job.startswith("pair"):
        named = {"escalate": checker, "escalate_share": 1.0}
    return {**named, "max_in_flight": IN_FLIGHT}


def _run_worker(folder: Path, output: Path, checkers: dict[str, Any]) -> int:
    stop = threading.Event()
    destination = Destination(root=str(output), run="watched")
    flags = {"subscription": "projects/p/subscriptions/s"}
    settings = build(WatchSettings, flags | checkers)
    work_folder = default_work_folder(destination)
    config = Config(
        output=destination.root,
        run=destination.run,
        work_folder=work_folder,
        check=settings.job.checker.check(reply_folder=work_folder),
    )
    summary = run_worker(
        config,
        settings,
        subscription=FileSubscription(folder / "acknowledged", _lines(), stop),
        reporter=LogReporter(),
        stop=stop,
    )
    return 0 if summary.closes else 1


def _lines() -> list[bytes]:
    times = (f"2026-03-0{2 + number % 3}T08:00:00Z" for number in range(ANSWERS))
    return [
        an_envelope(number, time=time, answer=f"Lamp {number} glows.")
        for number, time in enumerate(times)
    ] + [b"{unreadable %d" % number for number in range(UNREADABLE)]


def prepare(job: str, folder: Path, checker: str) -> None:
    """Make the input of a job, and the results that it replaces."""
    (folder / "answers.jsonl").write_bytes(lines_of(*_lines()))
    if job == "again" and in_child(lambda: run_job(job, folder, checker)):
        raise RuntimeError("the run that is to be made again has failed")
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
    decided = sum(record["check"]["checker"] != "local" for record in records_in(output))
    if job.startswith("pair") and decided != ANSWERS:
        found.append(f"the second checker decided {decided} of {ANSWERS} answers")
    if not job.endswith("worker") and hidden:
        found.append(f"left behind: {hidden[0].name}")
    found += _problems_of_files(output, ids)
    return found


def _problems_of_files(output: Path, ids: Counter[str]) -> Iterator[str]:
    # An alert about a rate has no record.
    if Counter(each["record_id"] for each in alerts_in(output) if each["record_id"]) != ids:
        yield "not each answer has one alert"
    results = ("alerts/", "enriched/")
    listed = sorted(entry["path"] for entry in manifest_in(output))
    if not {*listed} >= {name for name in visible_files(output) if name.startswith(results)}:
        yield "a file is in no manifest"
    if len(listed) > len({*listed}):
        yield "a manifest lists a file twice"
    if any(path.is_file() and path.stat().st_nlink > 1 for path in output.rglob("*")):
        yield "a file has a second name"


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


def crash_at(job: str, point: int, checker: CountingChecker) -> Json | None:
    """Kill a job at a point, run it twice more, and reconcile; None behind the last point."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(job, folder, checker.address)
        before = checker.calls
        killed = run_killed_at(point, lambda: run_first(job, folder, checker.address))
        if killed.status != -signal.SIGKILL:
            return None
        problems = []
        for turn in ("second", "third"):
            calls, files = checker.calls, _files(folder / "out")
            status = in_child(lambda: run_job(job, folder, checker.address))
            # A replay of what is unreadable, which alone is left, ends with 1.
            if status not in ((0, 1) if job == "replay" else (0,)):
                stuck = " (stuck)" if status == -signal.SIGALRM else ""
                problems.append(f"the {turn} run ended with {status}{stuck}")
            problems += [f"{turn} run: {each}" for each in problems_of(job, folder)]
            if turn == "third" and checker.calls > calls:
                problems.append(f"the third run paid for {checker.calls - calls} calls")
            # A replay fails again to read what is unreadable, a worker counts its time.
            is_same = job == "replay" or job.endswith("worker") or _files(folder / "out") == files
            if turn == "third" and not is_same:
                problems.append("the third run changed files")
        paid_again = checker.calls - before - ANSWERS
        # Before the run made again has begun, the next command shows the finished one.
        is_not_begun = job == "again" and paid_again == -ANSWERS
        if not 0 <= paid_again <= IN_FLIGHT and not is_not_begun:
            problems.append(f"{paid_again} calls more than answers")
        place = {"point": point, "call": killed.points[-1]}
        return {"job": job, **place, "result": "killed", "problems": problems}


def _files(output: Path) -> dict[str, tuple[int, int]]:
    """Return which files a reader sees, and their versions."""
    statuses = {name: (output / name).stat() for name in visible_files(output)}
    return {name: (each.st_ino, each.st_mtime_ns) for name, each in statuses.items()}


def rehearse(checker: CountingChecker) -> None:
    """Run a backfill in this process: forks of it have what a run imports and compiles."""
    nothing = io.StringIO()
    with tempfile.TemporaryDirectory() as name, redirect_stdout(nothing), redirect_stderr(nothing):
        prepare("backfill", Path(name), checker.address)
        if run_job("backfill", Path(name), checker.address):
            raise RuntimeError(f"the rehearsal failed: {nothing.getvalue()}")
    signal.alarm(0)
    if (threads := threading.active_count()) > 1:
        raise RuntimeError(f"a process of {threads} threads must not be forked")


def count_points(job: str, checker: CountingChecker) -> int:
    """Count the points of a job that is not killed."""
    with tempfile.TemporaryDirectory() as name:
        prepare(job, Path(name), checker.address)
        ended = run_killed_at(0, lambda: run_first(job, Path(name), checker.address))
        if ended.status != (3 if job == "pair" else 0):
            raise RuntimeError(f"the job ended with {ended.status}")
        return len(ended.points)


def print_sweep(job: str, results: Iterable[Json]) -> int:
    """Print a line of JSON for each problem, and the sums; return how many problems there were."""
    sums = Counter(points=0)
    for result in results:
        sums["points"] += 1
        sums[result["result"]] += 1
        if result["problems"]:
            sums["problems"] += 1
            sys.stdout.write(f"{json.dumps(result)}\n")
            sys.stdout.flush()
    sys.stdout.write(f"{json.dumps({'job': job, **sums})}\n")
    return sums["problems"]


def main_of_sweep(arguments: Sequence[str]) -> int:
    """Sweep jobs; return 1 if there was a problem."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", nargs="*", default=JOBS)
    parser.add_argument("--step", type=int, default=1, help="kill at each so many points")
    given = parser.parse_args(arguments)
    require_tracing()
    problems = 0
    with CountingChecker.started() as checker:
        rehearse(checker)
        for job in given.jobs:
            points = range(1, count_points(job, checker) + 1, given.step)
            crashes = (crash_at(job, point, checker) for point in points)
            problems += print_sweep(job, filter(None, crashes))
    return int(problems > 0)


if __name__ == "__main__":
    sys.exit(main_of_sweep(sys.argv[1:]))
