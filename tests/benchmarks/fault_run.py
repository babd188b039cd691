"""A backfill against a checker that fails more often than it answers.

python -m tests.benchmarks.fault_run [--answers 10000] [backfill's own flags]

Of all requests 30 % get a 503, 10 % a 429 that asks for 2 s, 5 % each hang, are reset, or get a
reply that is cut. Prints what became of the answers, and the calls each one took.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from launch.__main__ import main as groundwatch
from tests.benchmarks.generated_answers import write_archive
from tests.support.fault_server import FaultServer
from tests.support.wire_faults import BAD_REPLIES, Fault, good, hang, reset, status

_FAULTS: dict[float, Fault] = {
    0.30: status(503, "UNAVAILABLE"),
    0.40: status(429, "RESOURCE_EXHAUSTED", "Retry-After: 2"),
    0.45: hang,
    0.50: reset,
    0.55: BAD_REPLIES["cut JSON"],
}
"""By the upper end of its share of all requests."""


def _plan(number: int) -> Fault:
    chance = random.Random(number).random()  # noqa: S311 - chance that can be repeated
    return next((fault for end, fault in _FAULTS.items() if chance < end), good)


def main(arguments: list[str] | None = None) -> int:
    """Run it and print one line of results; the status is backfill's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=10_000)
    options, flags = parser.parse_known_args(arguments)
    with tempfile.TemporaryDirectory() as folder, FaultServer(_plan) as server:
        archive = Path(folder) / "answers.jsonl"
        write_archive(archive, options.answers)
        started_s = time.monotonic()
        places = ["--input", str(archive), "--output", folder, "--checker", server.address]
        exit_status = groundwatch(["backfill", *places, *flags])
        seconds = time.monotonic() - started_s
        summary = msgspec.json.decode((Path(folder) / "summary.json").read_bytes())
    sys.stdout.write(
        f"{options.answers} answers in {seconds:.0f} s: {summary['enriched']} enriched,"
        f" {summary['failures']} failures, {summary['retryable_failures']} of them retryable;"
        f" {server.requests / options.answers:.2f} calls an answer;"
        f" exit status {exit_status}\n"
    )
    return exit_status


if __name__ == "__main__":
    sys.exit(main())
