"""Running groundwatch in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import launch

_SOURCE = Path(launch.__file__).parents[1]

GROUNDWATCH = ("-m", "launch")

WITHOUT_NETWORK = """
import os, sys

def refuse(event, arguments):
    if event in {"socket.connect", "socket.sendto", "socket.getaddrinfo"}:
        sys.stderr.write(f"network: {event} {arguments}")
        os._exit(97)

sys.addaudithook(refuse)
"""
"""The beginning of a program: from there on, any use of Python's sockets ends the process."""


def start(
    *arguments: str, prepare: Callable[[], None] | None = None, source: Path | None = None
) -> subprocess.Popen[str]:
    """Start Python with arguments; its output can be read from pipes.

    Args:
      arguments: of the interpreter, such as those in `GROUNDWATCH` and a command.
      prepare: called in the new process before the interpreter starts.
      source: a folder of other packages than these very ones, in which the process then starts.
    """
    return subprocess.Popen(  # noqa: S603 - our own source
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(source or _SOURCE)},
        cwd=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=prepare,  # noqa: PLW1509 - the tests' process has no other thread by then
    )


def run(
    *arguments: str, prepare: Callable[[], None] | None = None, source: Path | None = None
) -> tuple[int, str, str]:
    """Run Python with arguments to its end: exit status, standard output, standard error."""
    with start(*arguments, prepare=prepare, source=source) as process:
        output, errors = process.communicate()
    return process.returncode, output, errors
