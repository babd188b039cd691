"""A million answers with faults: whether a backfill takes more and more on the way.

    python -m tests.benchmarks.backfill_soak [--answers N] [--workers N] [--kills N]

Backfills gzip archives of generated answers against a local checker that answers after 20 to 80 ms
and fails one call in twenty (503, 429, reset, no reply, broken JSON); one answer in fifty comes
twice. The run is killed (-9) at equal distances, and the same command goes on. Prints a line of
Markdown now and then: what the largest of the run's processes takes, and how far it is.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import fastavro

from tests.benchmarks.generated_answers import generated_messages, write_archives
from tests.benchmarks.processes import Footprint, family_of, footprint_of
from tests.benchmarks.slow_checker import SlowChecker, slow_checker
from tests.benchmarks.verification import verification
from tests.support.outputs import summary_in
from tests.support.runs import batches_done

_REPEATED_AFTER = 20_000
_EACH_TWICE = 50
_FAULT_SHARE = 0.05
_LOOK_EVERY_S = 20.0


def with_repeats(messages: Iterator[bytes]) -> Iterator[bytes]:
    """Hand messages on, one in fifty again when 20,000 have passed."""
    while passed := list(islice(messages, _REPEATED_AFTER)):
        yield from passed
        yield from passed[::_EACH_TWICE]


def begin(folder: Path, address: str, workers: int) -> subprocess.Popen[bytes]:
    """Start the command, or resume the run."""
    command = [sys.executable, "-m", "launch", "backfill", "--checker", address]
    places = ["--input", f"{folder}/*.gz", "--output", str(folder / "out")]
    return subprocess.Popen(  # noqa: S603 - our own source
        [*command, *places, "--workers", str(workers)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def looks(run: subprocess.Popen[bytes]) -> Iterator[list[Footprint]]:
    """Look at a run's processes now and then, until it has ended."""
    while run.poll() is None:
        try:
            run.wait(_LOOK_EVERY_S)
        except subprocess.TimeoutExpired:
            try:
                yield [footprint_of(process) for process in family_of(run.pid)]
            except OSError:
                continue


def show(started_s: float, folder: Path, footprints: list[Footprint]) -> None:
    """Print a line: the number of processes, and the most that any of them takes."""
    sys.stdout.write(
        f"| {time.monotonic() - started_s:5.0f} s | {batches_done(folder / 'out')} batches done |"
        f" {len(footprints)} processes | {max(each.rss_mb for each in footprints):.0f} MB |"
        f" {max(each.open_files for each in footprints)} files |"
        f" {max(each.threads for each in footprints)} threads |\n"
    )
    sys.stdout.flush()


def soak(folder: Path, checker: SlowChecker, workers: int, kills_after: list[int]) -> int:
    """Run to the end, killed whenever so many batches are done; returns the last exit status."""
    started_s = time.monotonic()
    while True:
        run = begin(folder, checker.address, workers)
        for footprints in looks(run):
            show(started_s, folder, footprints)
            if kills_after and batches_done(folder / "out") >= kills_after[0]:
                kills_after.pop(0)
                run.kill()
                sys.stdout.write("| killed |\n")
        if run.wait() >= 0:
            return run.returncode


def counted(folder: Path, answers: int) -> str:
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
        f" {summary['retries']:,} retries | {verification(folder / 'out')} |\n"
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
        messages = with_repeats(generated_messages(given.answers))
        batches = write_archives(folder, messages) // 10_000
        checker.begin(_FAULT_SHARE)
        kills_after = [batches * n // (given.kills + 1) for n in range(1, given.kills + 1)]
        exit_status = soak(folder, checker, given.workers, kills_after)
        sys.stdout.write(f"| status {exit_status} {counted(folder, given.answers)}")


if __name__ == "__main__":
    main()
