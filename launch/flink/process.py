"""A process of the cluster: started with a log of its own, ended by its id."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import launch

_END_TIMEOUT_S = 10.0
_LAST_LINES = 20
_ENVIRONMENT = os.environ | {
    # Beam's worker pool starts whatever is called python.
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    "PYTHONPATH": str(Path(launch.__file__).parents[1]),
}


class Died(Exception):
    """A process of the cluster has ended by itself; the message holds the end of its log."""


class Process:
    """A running program.

    Args:
      name: for its log and for what is wrong with it.
      command: the program and its arguments.
      folder: where its log goes.
    """

    def __init__(self, name: str, command: Sequence[str], folder: Path) -> None:
        self._name = name
        self._log = folder / f"{name}.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - named by this package alone
                command, env=_ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    @property
    def id(self) -> int:
        """The process's id."""
        return self._process.pid

    def check(self) -> None:
        """See that it still runs.

        Raises:
          Died: it does not.
        """
        if self._process.poll() is not None:
            lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
            raise Died("\n".join([f"the {self._name} has ended:", *lines[-_LAST_LINES:]]))

    def end(self) -> None:
        """End it, in good order if it does so soon."""
        self._process.terminate()
        try:
            self._process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.kill()
        self._process.wait()
