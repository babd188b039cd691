"""Run one contender that is a script, in this process.

python -m tests.benchmarks.peers.run SCRIPT ARCHIVE OUTPUT CHECKER IN_FLIGHT
"""

import importlib
import sys

from tests.benchmarks.peers.job import Job


def main(script: str, archive: str, output: str, checker: str, in_flight: str) -> None:
    """Import the script, and have it do the job."""
    job = Job(archive=archive, output=output, checker=checker, in_flight=int(in_flight))
    importlib.import_module(f"tests.benchmarks.peers.{script}").run(job)


if __name__ == "__main__":
    main(*sys.argv[1:])
