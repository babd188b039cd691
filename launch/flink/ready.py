"""Waiting until what was started can be used."""

import json
import socket
import time
import urllib.request
from collections.abc import Callable, Iterable

from launch.flink.process import Died, Process

_START_TIMEOUT_S = 120.0
_POLL_S = 0.2
_REPLY_TIMEOUT_S = 5.0


def wait_for_service(port: int, processes: Iterable[Process]) -> None:
    """Wait until a service on this machine takes connections.

    Args:
      port: where it listens.
      processes: what must still run meanwhile.

    Raises:
      Died: a process has ended, or time is up.
    """
    _wait(lambda: _takes_connections(port), processes)


def wait_for_task_managers(rest_port: int, count: int, processes: Iterable[Process]) -> None:
    """Wait until so many task managers have told the job manager that they are there.

    Args:
      rest_port: where the job manager listens.
      count: how many.
      processes: what must still run meanwhile.

    Raises:
      Died: a process has ended, or time is up.
    """
    _wait(lambda: _count_task_managers(rest_port) == count, processes)


def _wait(is_ready: Callable[[], bool], processes: Iterable[Process]) -> None:
    deadline = time.monotonic() + _START_TIMEOUT_S
    while not is_ready():
        for process in processes:
            process.check()
        if time.monotonic() > deadline:
            raise Died(f"Flink did not come up within {_START_TIMEOUT_S:.0f} s")
        time.sleep(_POLL_S)


def _takes_connections(port: int) -> bool:
    # gRPC's own way to wait for a service prints a traceback when it is closed (grpc/grpc#18995).
    try:
        socket.create_connection(("localhost", port), _REPLY_TIMEOUT_S).close()
    except OSError:
        return False
    return True


def _count_task_managers(rest_port: int) -> int:
    overview = f"http://localhost:{rest_port}/overview"
    try:
        with urllib.request.urlopen(overview, timeout=_REPLY_TIMEOUT_S) as reply:
            return int(json.load(reply)["taskmanagers"])
    except OSError:
        return 0
