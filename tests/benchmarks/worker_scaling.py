"""How the throughput grows with the number of workers on one subscription, and what limits it.

    python -m tests.benchmarks.worker_scaling [--workers 1 2 4] [--quotas 6000 2400] [--seconds 6]

The checker takes 100 ms, in a process of its own; the Pub/Sub server runs in the benchmark's
process. Few calls in flight keep the processor from being the limit, so that one machine can show
what several would do. The last rows give the largest number of workers a quota. Beside the rate of
calls is the one that the arithmetic of docs/scale.md expects; `least` is the slowest worker's part
of the mean. Prints a line of Markdown for each, in about two minutes.
"""

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from groundwatch.pipeline.sinks.topic_messages import build_message
from tests.benchmarks.generated_answers import generated_messages
from tests.benchmarks.scale_arithmetic import capacity, plan
from tests.benchmarks.scale_figures import Figures
from tests.benchmarks.slow_checker import SlowChecker, slow_checker
from tests.benchmarks.watched_worker import SkippingClock, WatchedWorker, publish, pubsub
from tests.support.journals import read_journal

_LATENCY_S = 0.1
_IN_FLIGHT = 8
_WARM_UP_S = 3.0
_HEAD = "| workers | quota, each | calls/s | expected | answers/s | least | CPU ms an answer |"


@dataclass(frozen=True)
class Rehearsal:
    """Workers on one subscription, and the quota of each in calls a minute."""

    workers: int
    quota: int | None

    @property
    def expected_per_s(self) -> float:
        """The calls a second by the arithmetic of docs/scale.md, without Dataflow's part."""
        figures = Figures(
            stream_cpu_ms=0,
            runner_factor=1,
            checked_share=1,
            latency_s=_LATENCY_S,
            in_flight=_IN_FLIGHT,
        )
        total = None if self.quota is None else self.quota * self.workers
        return capacity(replace(plan(1, figures), processes=self.workers), figures, total)


@dataclass(frozen=True)
class Measured:
    """Calls a second, answers a second by worker, and processor seconds an answer."""

    calls_per_s: float
    per_s: list[float]
    cpu_s: float

    @property
    def fairness(self) -> float:
        """The slowest worker's part of the mean."""
        return min(self.per_s) * len(self.per_s) / (sum(self.per_s) or 1.0)


def measure(rehearsal: Rehearsal, checker: SlowChecker, seconds: float) -> Measured:
    """Let workers process a backlog that does not end, and count what each finishes."""
    backlog = int(rehearsal.expected_per_s * (seconds + _WARM_UP_S) * 2) + 1_000 * rehearsal.workers
    flags = ["--checker", checker.address, "--max_in_flight", str(_IN_FLIGHT)]
    # A worker that pulls more than it can check leaves less for the others.
    limits = ["outstanding_messages=500"]
    if rehearsal.quota:
        flags += ["--requests_per_minute", str(rehearsal.quota)]
    with tempfile.TemporaryDirectory() as name, pubsub(SkippingClock()) as server:
        folders = [Path(name) / f"work-{number}" for number in range(rehearsal.workers)]
        workers = [
            WatchedWorker(
                *(server.address, Path(name) / "out", "--work_folder", str(folder), *flags),
                limits=limits,
            )
            for folder in folders
        ]
        try:
            for worker in workers:
                worker.wait_until_started()
            messages = itertools.islice(generated_messages(backlog), backlog)
            publish(server.address, (build_message(message, {}) for message in messages))
            time.sleep(_WARM_UP_S)
            first = _progress(folders, workers)
            checker.begin()
            time.sleep(seconds)
            calls = checker.begin()
            last = _progress(folders, workers)
        finally:
            for worker in workers:
                worker.kill()
    (started_s, counts_before, cpu_before_s), (ended_s, counts, cpu_s) = first, last
    done = [after - before for before, after in zip(counts_before, counts, strict=True)]
    per_s = [number / (ended_s - started_s) for number in done]
    return Measured(calls.steady_per_s, per_s, (cpu_s - cpu_before_s) / (sum(done) or 1))


def _progress(
    folders: Sequence[Path], workers: Sequence[WatchedWorker]
) -> tuple[float, list[int], float]:
    cpu_s = sum(worker.footprint().cpu_s for worker in workers)
    counts = []
    for folder in folders:
        with closing(read_journal(folder)) as journal:
            counts.append(journal.totals().read)
    return time.monotonic(), counts, cpu_s


def rehearsals(workers: Sequence[int], quotas: Sequence[int]) -> Iterator[Rehearsal]:
    """Every number of workers without a quota, then the largest with each quota."""
    yield from (Rehearsal(number, None) for number in workers)
    yield from (Rehearsal(max(workers), quota) for quota in quotas)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--quotas", type=int, nargs="*", default=[6_000, 2_400])
    parser.add_argument("--seconds", type=float, default=6.0)
    given = parser.parse_args()
    sys.stdout.write(f"{_HEAD}\n{'| ---: ' * 7}|\n")
    with slow_checker(_LATENCY_S, _LATENCY_S) as checker:
        for rehearsal in rehearsals(given.workers, given.quotas):
            measured = measure(rehearsal, checker, given.seconds)
            sys.stdout.write(
                f"| {rehearsal.workers} | {rehearsal.quota or 'no limit'} |"
                f" {measured.calls_per_s:,.0f} | {rehearsal.expected_per_s:,.0f} |"
                f" {sum(measured.per_s):,.0f} |"
                f" {measured.fairness:.2f} | {1000 * measured.cpu_s:.2f} |\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
