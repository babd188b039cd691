"""Whether a backfill's time and memory stay the same, answer for answer, as archives grow.

    python -m tests.benchmarks.scaling --answers 10000 100000 1000000 --workers 1
    python -m tests.benchmarks.scaling --answers 100000 --workers 1 2

Makes gzip archives of answers of about 3 KB in many files, backfills them with the embedded
checker in processes of their own, and prints one line for each run. The baseline of the ratios is
the first line.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.generated_answers import generated_messages, write_archives
from tests.benchmarks.usage import usage_of

_LONGEST_S = 24 * 3600.0
_HEAD = "| answers | workers | seconds | answers/s | ratio | CPU ms an answer | largest process |"


def measured(folder: Path, workers: int) -> dict[str, float]:
    """Backfill a folder; returns seconds, processor seconds, megabytes of the largest process."""
    output = folder / f"out-{workers}"
    flags = ["--input", f"{folder}/*.gz", "--output", str(output), "--workers", str(workers)]
    command = [sys.executable, "-m", "launch", "backfill", *flags]
    usage = usage_of(command, _LONGEST_S)
    summary = json.loads((output / "summary.json").read_bytes())
    return {
        "seconds": usage.seconds,
        "cpu_s": usage.cpu_s,
        "rss_mb": usage.peak_mb,
        "enriched": summary["enriched"],
    }


def rows(answers: list[int], workers: list[int]) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Measure every combination."""
    for count in answers:
        with tempfile.TemporaryDirectory() as folder:
            write_archives(Path(folder), generated_messages(count))
            for number in workers:
                yield count, number, measured(Path(folder), number)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--workers", type=int, nargs="+", default=[1])
    given = parser.parse_args()
    sys.stdout.write(f"{_HEAD}\n{'| --- ' * 7}|\n")
    baseline = None
    for count, workers, taken in rows(given.answers, given.workers):
        per_s = taken["enriched"] / taken["seconds"]
        baseline = baseline or per_s
        sys.stdout.write(
            f"| {count:,} | {workers} | {taken['seconds']:,.1f} | {per_s:,.0f} |"
            f" {per_s / baseline:.2f} | {1000 * taken['cpu_s'] / count:.3f} |"
            f" {taken['rss_mb']:,.0f} MB |\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
