"""groundwatch: the command itself, with its defaults."""

import os
import sys

from tests.benchmarks.peers.job import Job


def run(job: Job) -> None:
    """Become the command."""
    places = ["--input", job.archive, "--output", job.output, "--checker", job.checker]
    flags = ["--max_in_flight", str(job.in_flight)]
    command = [sys.executable, "-m", "groundwatch", "backfill", *places, *flags]
    os.execv(sys.executable, command)  # noqa: S606 - our own source
