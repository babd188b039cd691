"""The process of the job server, from its start to its end."""

import os
import socket
import sys
import time
from pathlib import Path

import pytest

from launch.flink.job_server import (
    SETTINGS,
    JobServerDied,
    Process,
)

_TIMEOUT_S = 120.0


def a_process(folder: Path, code: str) -> Process:
    return Process("job-server", [sys.executable, "-c", code], folder)


def wait_for_log(folder: Path, text: str) -> None:
    deadline = time.monotonic() + _TIMEOUT_S
    while text not in (folder / "job-server.log").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_process_that_ended_is_an_error_with_the_end_of_its_log(tmp_path: Path) -> None:
    process = a_process(tmp_path, "for line in range(100): print(line)")
    with pytest.raises(JobServerDied) as raised:
        process.wait_for_port(1)
    lines = str(raised.value).splitlines()
    assert lines[0] == "the job-server has ended:"
    assert lines[1:] == [str(line) for line in range(80, 100)]


def test_a_service_is_waited_for_until_it_takes_connections(tmp_path: Path) -> None:
    process = a_process(tmp_path, "import time; time.sleep(60)")
    with socket.create_server(("localhost", 0)) as server:
        port = server.getsockname()[1]
        process.wait_for_port(port)
        connection, _ = server.accept()
        connection.close()
    process.end()


def test_a_running_process_is_terminated(tmp_path: Path) -> None:
    process = a_process(tmp_path, "import time; time.sleep(60)")
    process.check()
    process.end()
    assert not is_running(process.id)


def test_a_process_that_ignores_sigterm_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("launch.flink.job_server._END_TIMEOUT_S", 0.1)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    process = a_process(tmp_path, f"{deaf}; print('deaf', flush=True); time.sleep(60)")
    wait_for_log(tmp_path, "deaf")
    process.end()
    assert not is_running(process.id)


def test_python_is_this_python_and_finds_groundwatch(tmp_path: Path) -> None:
    process = Process(
        "job-server", ["python", "-c", "import launch, sys; print(sys.prefix)"], tmp_path
    )
    wait_for_log(tmp_path, f"{sys.prefix}\n")
    process.end()


def test_a_failed_job_is_restarted_and_no_port_is_fixed() -> None:
    assert SETTINGS["restart-strategy.type"] == "exponential-delay"
    assert "port" not in " ".join(SETTINGS)
