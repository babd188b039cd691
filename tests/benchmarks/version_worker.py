"""Run a program with the sources of one version, and have it process files one by one."""

import subprocess
import sys
from pathlib import Path

from tests.support.repository import python_path


class VersionWorker:
    """Run a program in a process of its own: it prints a line for each path that it reads."""

    def __init__(self, version: Path, program: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, a fixed program
            [sys.executable, "-c", program],
            cwd=version,
            env={"PYTHONPATH": python_path(version)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def process(self, path: Path) -> str:
        """Return the line that the program prints for a file."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()

    def close(self) -> None:
        """End the input of the program, and wait for it."""
        self._process.communicate()
