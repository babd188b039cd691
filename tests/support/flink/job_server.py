"""Run Beam's job server for Flink, which executes jobs in its own process."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.flink.installation import java_command
from tests.support.repository import python_path

SETTINGS = {
    "cluster.evenly-spread-out-slots": "true",
    # Beam requests no restarts, and neither does Flink for a job without checkpoints. Each attempt
    # to use a lost task manager counts, so the backoff has to grow beyond the heartbeat timeout.
    "restart-strategy.type": "exponential-delay",
    "restart-strategy.exponential-delay.initial-backoff": "1 s",
    "restart-strategy.exponential-delay.backoff-multiplier": "2",
    "restart-strategy.exponential-delay.max-backoff": "10 s",
    "restart-strategy.exponential-delay.attempts-before-reset-backoff": "6",
    "heartbeat.interval": "2000",
    "heartbeat.timeout": "30000",
}
_JOB_SERVER = "org.apache.beam.runners.flink.FlinkJobServerDriver"
_START_TIMEOUT_S = 120.0
_END_TIMEOUT_S = 10.0
_CONNECT_TIMEOUT_S = 5.0
_POLL_S = 0.2
_LOG_LINES = 20
_ENVIRONMENT = os.environ | {
    # Beam's worker pool starts the `python` on the path.
    "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    "PYTHONPATH": python_path(),
}


class JobServerDied(Exception):
    """A process of Flink ended or did not start; the message holds the end of its log."""


class Process:
    """A child process that writes to a log file, NAME.log."""

    def __init__(self, name: str, command: Sequence[str], folder: Path) -> None:
        self._name = name
        self._log = folder / f"{name}.log"
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - only this package's commands
                command, env=_ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        self.id = self._process.pid

    def wait_for_port(self, port: int) -> None:
        """Wait until the process listens on a port, or raise `JobServerDied`."""
        deadline = time.monotonic() + _START_TIMEOUT_S
        while True:
            try:
                # gRPC's own wait prints a traceback when its channel is closed (grpc/grpc#18995).
                return socket.create_connection(("localhost", port), _CONNECT_TIMEOUT_S).close()
            except OSError:
                self.check()
            if time.monotonic() > deadline:
                raise JobServerDied(
                    f"the {self._name} did not start within {_START_TIMEOUT_S:.0f} s"
                )
            time.sleep(_POLL_S)

    def check(self) -> None:
        """Raise `JobServerDied` if the process has ended."""
        if self._process.poll() is not None:
            lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
            raise JobServerDied("\n".join([f"the {self._name} has ended:", *lines[-_LOG_LINES:]]))

    def end(self) -> None:
        """Terminate the process; kill it if it does not end soon."""
        self._process.terminate()
        try:
            self._process.wait(_END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def start_job_server(
    class_path: str, folder: Path, port: int, settings: Mapping[str, str], master: str = "[auto]"
) -> Process:
    """Start a job server without waiting for it; `master` is the address of a Flink cluster."""
    lines = (f"{name}: {value}\n" for name, value in settings.items())
    (folder / "config.yaml").write_text("".join(lines), encoding="utf-8")
    (folder / "temporary").mkdir(exist_ok=True)
    command = java_command(
        class_path,
        _JOB_SERVER,
        *(f"--job-port={port}", "--artifact-port=0", "--expansion-port=0"),
        f"--artifacts-dir={folder / 'artifacts'}",
        *(f"--flink-conf-dir={folder}", f"--flink-master={master}"),
        heap="1g",
        temporary=folder / "temporary",
    )
    return Process("job-server", command, folder)
