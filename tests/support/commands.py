"""Running groundwatch in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.repository import ROOT, python_path

GROUNDWATCH = ("-m", "groundwatch")
_THEN_RUN = "import os, sys; os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"

# A shell makes jobs in the background deaf to SIGINT.
HEED_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)"
"""The beginning of a program: an interrupt ends it, or is handled, as on a terminal."""

WITHOUT_NETWORK = """
import os, sys

def refuse(event, arguments):
    if event in {"socket.connect", "socket.sendto", "socket.getaddrinfo"}:
        sys.stderr.write(f"network: {event} {arguments}")
        os._exit(97)

sys.addaudithook(refuse)
"""
"""The beginning of a program: from there on, any use of Python's sockets ends the process."""

WITHOUT_EXTRAS = """
import sys

sys.modules.update(
    dict.fromkeys(
        ("apitools", "google.cloud.bigquery", "google.cloud.dataflow")
    )
)
"""
"""The beginning of a program: the packages of groundwatch's extras cannot be imported."""


_END_WITHIN_S = 300.0


class ChildProcess(subprocess.Popen[str]):
    """A process that is killed when its `with` block ends; `Popen` would wait for it for ever."""

    def __exit__(self, *given: object) -> None:
        self.kill()
        super().__exit__(*given)


def redirected(streams: str, *arguments: str) -> list[str]:
    """The command that runs Python with arguments, by a shell that redirects streams: ``2>&-``."""
    return ["/bin/sh", "-c", f'exec "$@" {streams}', "sh", sys.executable, *arguments]


def start(*arguments: str, prepare: str = "", source: Path | None = None) -> ChildProcess:
    """Start Python with arguments; its output can be read from pipes.

    Args:
      arguments: of the interpreter, such as those in `GROUNDWATCH` and a command.
      prepare: Python that runs before it in the new process. A function of `subprocess` would run
        in a fork of this one, where gRPC may have threads.
      source: another copy of the repository than this very one, in which the process then starts.
    """
    if prepare:
        arguments = ("-c", f"{prepare}\n{_THEN_RUN}", *arguments)
    return ChildProcess(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": python_path(source or ROOT)},
        cwd=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(*arguments: str, prepare: str = "", source: Path | None = None) -> tuple[int, str, str]:
    """Run Python with arguments to its end: exit status, standard output, standard error."""
    with start(*arguments, prepare=prepare, source=source) as process:
        output, errors = process.communicate(timeout=_END_WITHIN_S)
    return process.returncode, output, errors


def output_under_any_hash_seed(program: str) -> str:
    """Return what a program prints, which is the same with sets in other orders."""
    prepare = "import os; os.environ['PYTHONHASHSEED'] = '{}'"
    first, second = (run("-c", program, prepare=prepare.format(seed)) for seed in "12")
    assert first == second == (0, first[1], "")
    return first[1]
