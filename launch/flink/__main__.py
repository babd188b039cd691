"""`python -m launch.flink COMMAND`: run a command on a Flink started for it on this machine.

For tests and experiments; to use an existing cluster, pass its address to the command itself.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from launch.flink import installation
from launch.flink.installation import Missing
from launch.flink.job_server import JobServerDied, job_server
from launch.terminal.exit_status import DONE, USAGE, fail


def main(arguments: list[str]) -> int:
    """Fetch Flink's jars, or run a command on Flink; return the exit status."""
    parser = argparse.ArgumentParser("python -m launch.flink")
    parser.add_argument("--jar", type=Path, help="Beam's job server jar, to use another version")
    jars_help = "the folder of the jars that `fetch` fetches (default %(default)s)"
    default = installation.DEFAULT_FOLDER
    parser.add_argument("--jars", type=Path, default=default, help=jars_help)
    parser.add_argument("command", help="fetch, or a command of groundwatch")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="the flags of the command")
    flags = parser.parse_args(arguments)
    try:
        if flags.command == "fetch":
            installation.fetch(flags.jars)
            return DONE
        class_path = str(flags.jar) if flags.jar else installation.class_path(flags.jars)
        return _run(class_path, flags.command, flags.rest)
    except Missing as error:
        sys.stderr.write(f"groundwatch: {error}\n")
        return USAGE


def _run(class_path: str, command: str, rest: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="groundwatch-flink-") as folder:
        try:
            with job_server(class_path, Path(folder)) as flags:
                groundwatch = [sys.executable, "-m", "launch", command, *flags, *rest]
                return subprocess.run(groundwatch, check=False).returncode  # noqa: S603 - our own command
        except (JobServerDied, KeyboardInterrupt) as error:
            return fail(str(error) or "interrupted")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
