"""A backfill that is killed again and again, and what of it was lost or doubled.

    python -m tests.benchmarks.kill_run --kills 50 --answers 30000

Each try is the same command with another number of workers, killed (-9) after a random while; the
last one is left alone. Prints a line of Markdown.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.benchmarks.generated_answers import write_archive
from tests.benchmarks.verification import verification
from tests.support.limits import LIMITED
from tests.support.outputs import record_ids_in

_SHORTEST_S, _LONGEST_S = 2.0, 10.0


def begin(archive: Path, output: Path, workers: int) -> subprocess.Popen[bytes]:
    """Start a try."""
    flags = ["--input", str(archive), "--output", str(output), "--workers", str(workers)]
    return subprocess.Popen(  # noqa: S603 - our own source
        [sys.executable, *LIMITED, "segment_messages=500", "--", "backfill", *flags],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def main() -> None:
    """Kill, finish, count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--answers", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=8)
    given = parser.parse_args()
    chance = random.Random(given.seed)  # noqa: S311 - moments, no secrets
    with tempfile.TemporaryDirectory() as folder:
        archive, output = Path(folder) / "answers.jsonl", Path(folder) / "out"
        write_archive(archive, given.answers)
        killed = ended = doubled_before = 0
        while killed < given.kills:
            process = begin(archive, output, workers=1 + killed % 3)
            time.sleep(chance.uniform(_SHORTEST_S, _LONGEST_S))
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                killed += 1
            else:
                ended += 1
            process.wait()
            ids = record_ids_in(output)
            doubled_before += len(ids) - len(set(ids))
        while begin(archive, output, workers=2).wait() != 0:
            ended += 1
        counts = Counter(record_ids_in(output))
        lost = given.answers - len(counts)
        doubled = sum(counts.values()) - len(counts)
        verified = verification(output)
    sys.stdout.write(
        f"| {killed} kills | {ended} tries that ended by themselves | {given.answers:,} answers |"
        f" {lost} lost | {doubled} doubled | {verified} | doubled before the end:"
        f" {doubled_before} |\n"
    )


if __name__ == "__main__":
    main()
