"""A million answers with faults: whether a backfill takes more and more on the way.

    python -m tests.benchmarks.backfill_soak [--answers N] [--workers N] [--kills N]

Backfills gzip archives of generated answers against a local checker that answers after 20 to 80 ms
and fails one call in twenty (503, 429, reset, no reply, broken JSON); one answer in fifty comes
twice. The run is killed (-9) at equal distances, and the same command goes on. Prints a line of
Markdown now and then: what the largest of the run's processes takes, and how far it is.
"""

import argparse
import gzip
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import fastavro

from tests.benchmarks.generated_answers import generated_messages
from tests.benchmarks.processes import Usage, family_of, usage_of
from tests.benchmarks.slow_checker import SlowChecker, slow_checker
from tests.support.outputs import summary_in

_FILE_ANSWERS = 20_000
_EACH_TWICE = 50
_FAULT_SHARE = 0.05
_LOOK_EVERY_S = 20.0


def write_archives(folder: Path, count: int) -> int:
    """Write generated answers to gzip files, one in fifty twice; returns how many were written."""
    messages, written = generated_messages(count), 0
    for first in range(0, count, _FILE_ANSWERS):
        lines = [line + b"\n" for line in islice(messages, _FILE_ANSWERS)]
        lines += lines[::_EACH_TWICE]
        with gzip.open(folder / f"answers-{first:08d}.jsonl.gz", "wb", compresslevel=1) as stream:
            stream.writelines(lines)
        written += len(lines)
    return written


def begin(folder: Path, address: str, workers: int) -> subprocess.Popen[bytes]:
    """Start the command, or go on with it."""
    command = [sys.executable, "-m", "launch", "backfill", "--checker", address]
    places = ["--input", f"{folder}/*.gz", "--output", str(folder / "out")]
    return subprocess.Popen(  # noqa: S603 - our own source
        [*command, *places, "--workers", str(workers)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def looks(run: subprocess.Popen[bytes]) -> Iterator[list[Usage]]:
    """Look at a run's processes now and then, until it has ended."""
    while run.poll() is None:
        try:
            run.wait(_LOOK_EVERY_S)
        except subprocess.TimeoutExpired:
            try:
                yield [usage_of(member) for member in family_of(run.pid)]
            except OSError:
                continue


def segments_done(folder: Path) -> int:
    """How many segments of the run have been finished for good."""
    return len(list((folder / "out").glob(".groundwatch-*/segment-*.json")))


def show(started_s: float, folder: Path, usages: list[Usage]) -> None:
    """Print a line: the number of processes, and the most that any of them takes."""
    sys.stdout.write(
        f"| {time.monotonic() - started_s:5.0f} s | {segments_done(folder)} segments done |"
        f" {len(usages)} processes | {max(usage.rss_mb for usage in usages):.0f} MB |"
        f" {max(usage.open_files for usage in usages)} files |"
        f" {max(usage.threads for usage in usages)} threads |\n"
    )
    sys.stdout.flush()


def soak(folder: Path, checker: SlowChecker, workers: int, kills_after: list[int]) -> int:
    """Run to the end, killed whenever so many segments are done; returns the last exit status."""
    started_s = time.monotonic()
    while True:
        run = begin(folder, checker.address, workers)
        for usages in looks(run):
            show(started_s, folder, usages)
            if kills_after and segments_done(folder) >= kills_after[0]:
                kills_after.pop(0)
                run.kill()
                sys.stdout.write("| killed |\n")
        if run.wait() >= 0:
            return run.returncode


def told(folder: Path, answers: int) -> str:
    """What became of the answers, in a line."""
    ids: Counter[str] = Counter()
    for path in folder.glob("out/enriched/*/*.avro"):
        with path.open("rb") as stream:
            ids.update(str(row["record_id"]) for row in fastavro.reader(stream))
    summary = summary_in(folder / "out")
    return (
        f"| {summary['read']:,} read | {summary['enriched']:,} enriched |"
        f" {summary['duplicates']:,} duplicates | {summary['failures']:,} failures |"
        f" {answers - len(ids) - summary['failures']:,} lost | {ids.total() - len(ids)} doubled |"
        f" {summary['retries']:,} retries | closes: {summary['closes']} |\n"
    )


def main() -> None:
    """Soak, and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, slow_checker(0.02, 0.08) as checker:
        folder = Path(name)
        segments = write_archives(folder, given.answers) // 10_000
        checker.begin(_FAULT_SHARE)
        kills_after = [segments * n // (given.kills + 1) for n in range(1, given.kills + 1)]
        exit_status = soak(folder, checker, given.workers, kills_after)
        sys.stdout.write(f"| status {exit_status} {told(folder, given.answers)}")


if __name__ == "__main__":
    main()
