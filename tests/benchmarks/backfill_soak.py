r"""A backfill that is killed again and again: what it takes, and what is lost or doubled.

    python -m tests.benchmarks.backfill_soak [--answers N] [--workers N ...] [--kills N]
    python -m tests.benchmarks.backfill_soak --embedded --kills 5
    python -m tests.benchmarks.backfill_soak --embedded --answers 30000 --kills 50 \
        --workers 1 2 3 --batch_messages 500

Backfills gzip archives of generated answers with the embedded checker, or against a local one that
answers after 20 to 80 ms and fails one call in twenty (503, 429, reset, no reply, broken JSON); one
answer in fifty comes twice. The run is killed (-9), all its processes at once, at random moments,
and the same command goes on, with the next of the numbers of workers. In the end the files are
read. Prints a line of Markdown now and then: what the largest of the run's processes has taken at
most, what the database has, and how far the run is.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from random import Random

import fastavro
import msgspec

from tests.benchmarks.generated_answers import generated_messages, write_archives
from tests.benchmarks.processes import Footprint, family_of, footprint_of
from tests.benchmarks.slow_checker import slow_checker
from tests.benchmarks.verification import verification
from tests.support.commands import GROUNDWATCH
from tests.support.limits import LIMITED
from tests.support.outputs import failures_in, summary_in
from tests.support.runs import batches_done

_REPEATED_AFTER = 20_000
_EACH_TWICE = 50
_FAULT_SHARE = 0.05
_BATCH_MESSAGES = 10_000
_LOOK_EVERY_S = 0.5
_SHOW_EVERY_S = 20.0
_BATCH_S = 10.0
"""What a batch of the usual size takes, or less: a kill comes at any moment within a batch."""


class Soak:
    """A run that is killed and goes on, and the most that it has taken.

    Args:
      folder: of the archives and the output.
      flags: of the command.
      workers: one number after the other, again and again.
      batch_messages: messages in a batch.
    """

    def __init__(
        self, folder: Path, flags: list[str], workers: list[int], batch_messages: int
    ) -> None:
        self.output = folder / "out"
        self.peak_mb = self.database_mb = 0.0
        self.killed = 0
        # Limits are not for nothing: what they import takes 10 MB.
        limits = [*LIMITED, f"segment_messages={batch_messages}", "--"]
        program = GROUNDWATCH if batch_messages == _BATCH_MESSAGES else limits
        places = ["--input", f"{folder}/*.gz", "--output", str(self.output)]
        self._command = [sys.executable, *program, "backfill", *flags, *places, "--workers"]
        self._batch_s = _BATCH_S * batch_messages / _BATCH_MESSAGES
        self._workers = cycle(map(str, workers))
        self._started_s = self._shown_s = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._started_s

    def run(self, kills_after: list[int], random: Random) -> int:
        """Run to the end, killed a while after so many batches; returns the last exit status."""
        while True:
            run = subprocess.Popen(  # noqa: S603 - our own source
                [*self._command, next(self._workers)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            killed_s = None
            while run.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    run.wait(_LOOK_EVERY_S)
                self._look(run.pid)
                if killed_s is None and kills_after and batches_done(self.output) >= kills_after[0]:
                    killed_s = time.monotonic() + random.uniform(0, self._batch_s)
                if killed_s is not None and time.monotonic() >= killed_s and run.poll() is None:
                    kills_after.pop(0)
                    self._kill(run)
            if run.returncode >= 0:
                return run.returncode

    def _kill(self, run: "subprocess.Popen[bytes]") -> None:
        for process in family_of(run.pid):
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        run.wait()
        self.killed += 1
        sys.stdout.write(f"| {self.seconds:5.0f} s | killed |\n")

    def _look(self, process_id: int) -> None:
        with suppress(OSError):
            footprints = [footprint_of(process) for process in family_of(process_id)]
            files = self.output.glob(".groundwatch-*/run.sqlite*")
            database_mb = sum(file.stat().st_size for file in files) / 1e6
            self.peak_mb = max(self.peak_mb, *(each.peak_mb for each in footprints))
            self.database_mb = max(self.database_mb, database_mb)
            if time.monotonic() > self._shown_s + _SHOW_EVERY_S:
                self._shown_s = time.monotonic()
                self._show(footprints, database_mb)

    def _show(self, footprints: list[Footprint], database_mb: float) -> None:
        sys.stdout.write(
            f"| {self.seconds:5.0f} s | {batches_done(self.output)} batches done |"
            f" {len(footprints)} processes | {max(each.peak_mb for each in footprints):.0f} MB |"
            f" database {database_mb:.0f} MB |"
            f" {max(each.open_files for each in footprints)} files |"
            f" {max(each.threads for each in footprints)} threads |\n"
        )
        sys.stdout.flush()


def counted(output: Path, answers: int) -> str:
    """What became of the answers, read from the files, in a line."""
    ids = Counter(failure["record_id"] for failure in failures_in(output))
    for path in output.glob("enriched/*/*.avro"):
        with path.open("rb") as stream:
            ids.update(str(row["record_id"]) for row in fastavro.reader(stream))
    summary = summary_in(output)
    return (
        f"| {summary['read']:,} read | {summary['enriched']:,} enriched |"
        f" {summary['duplicates']:,} duplicates | {summary['failures']:,} failures |"
        f" {answers - len(ids):,} lost | {ids.total() - len(ids)} doubled |"
        f" {summary['retries']:,} retries | {verification(output)} |\n"
    )


def with_facts(messages: Iterator[bytes], every: int) -> Iterator[bytes]:
    """Leave facts to one message of so many: the others need no check."""
    for number, message in enumerate(messages):
        if number % every:
            yield msgspec.json.encode(msgspec.json.decode(message) | {"facts": []})
        else:
            yield message


def with_repeats(messages: Iterator[bytes]) -> Iterator[bytes]:
    """Hand messages on, one in fifty again when 20,000 have passed."""
    while passed := list(islice(messages, _REPEATED_AFTER)):
        yield from passed
        yield from passed[::_EACH_TWICE]


def main() -> None:
    """Soak, and count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[2])
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--embedded", action="store_true", help="the checker")
    parser.add_argument("--checked_every", type=int, default=1, help="only one of so many")
    parser.add_argument("--batch_messages", type=int, default=_BATCH_MESSAGES)
    parser.add_argument("--seed", type=int, default=8)
    given = parser.parse_args()
    random = Random(given.seed)  # noqa: S311 - moments, no secrets
    with tempfile.TemporaryDirectory() as name, slow_checker(0.02, 0.08) as checker:
        folder = Path(name)
        answers = with_facts(generated_messages(given.answers), given.checked_every)
        batches = write_archives(folder, with_repeats(answers)) // given.batch_messages
        checker.begin(_FAULT_SHARE)
        flags = [] if given.embedded else ["--checker", checker.address]
        soak = Soak(folder, flags, given.workers, given.batch_messages)
        exit_status = soak.run(sorted(random.choices(range(batches), k=given.kills)), random)
        sys.stdout.write(
            f"| {soak.killed} kills | {soak.seconds:.0f} s | status {exit_status} | at most"
            f" {soak.peak_mb:.0f} MB a process | at most {soak.database_mb:.0f} MB of database "
            + counted(soak.output, given.answers)
        )


if __name__ == "__main__":
    main()
