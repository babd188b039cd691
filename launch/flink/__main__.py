"""`python -m launch.flink`: a command of groundwatch on a Flink of its own, on this machine.

For trying and testing; on a cluster that is there already, give the command the same flags.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from launch.flink import jars
from launch.flink.cluster import Cluster, Workers
from launch.flink.java import Java, find_java
from launch.flink.missing import Missing
from launch.flink.process import Died
from launch.terminal.exit_status import DONE, USAGE, fail


def main(arguments: list[str]) -> int:
    """Fetch Flink's jars, or run a command on Flink.

    Returns:
      The command's exit status; 1 when Flink failed, 2 when something is missing.
    """
    parser = _parser()
    flags = parser.parse_args(arguments)
    if flags.task_managers < 0:
        parser.error(f"--task_managers {flags.task_managers}: must be 0 or more")
    workers = flags.workers or (Workers.PROCESS if flags.task_managers else Workers.LOOPBACK)
    if workers is Workers.EXTERNAL and flags.task_managers > 1:
        parser.error("--workers EXTERNAL: task managers that share a worker pool end each other's")
    try:
        if flags.command == "fetch":
            jars.fetch(flags.jars)
            return DONE
        class_path = str(flags.jar) if flags.jar else jars.class_path(flags.jars)
        java = Java(program=find_java(), class_path=class_path)
    except Missing as error:
        sys.stderr.write(f"groundwatch: {error}\n")
        return USAGE
    return _run(java, flags.task_managers, workers, [flags.command, *flags.rest])


def _run(java: Java, task_managers: int, workers: Workers, command: list[str]) -> int:
    name, *rest = command
    with tempfile.TemporaryDirectory(prefix="groundwatch-flink-") as folder:
        try:
            with Cluster(java, Path(folder), task_managers, workers) as flink:
                given = [sys.executable, "-m", "launch", name, *flink.flags, *rest]
                return subprocess.run(given, check=False).returncode  # noqa: S603 - our own command
        except (Died, KeyboardInterrupt) as error:
            return fail(str(error) or "interrupted")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m launch.flink")
    parser.add_argument(
        "--task_managers",
        type=int,
        default=0,
        help="a cluster with so many; by default the job server does the work itself",
    )
    parser.add_argument(
        "--workers",
        type=Workers,
        choices=list(Workers),
        help="where Python runs; PROCESS with task managers, else LOOPBACK",
    )
    parser.add_argument(
        "--jar", type=Path, help="Beam's own jar of the job server, for another version"
    )
    parser.add_argument(
        "--jars",
        type=Path,
        default=jars.DEFAULT_FOLDER,
        help="where the jars are that `fetch` fetches; %(default)s",
    )
    parser.add_argument("command", help="fetch, or a command of groundwatch")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="its flags")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
