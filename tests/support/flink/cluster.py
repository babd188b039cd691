"""A Flink cluster on this machine: a job server, task managers and Python workers."""

import json
import os
import shlex
import sys
import time
import urllib.request
import zipfile
from contextlib import ExitStack, suppress
from enum import StrEnum
from pathlib import Path
from typing import Self

import pytest
from apache_beam.utils.subprocess_server import pick_port

from tests.support.flink import installation
from tests.support.flink.installation import Missing, java_command
from tests.support.flink.job_server import SETTINGS, Process, start_job_server

_REQUIRED = "REQUIRE_FLINK"
_JOB_MANAGER = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
_TASK_MANAGER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"
_EMBEDDED_PARALLELISM = 2
_REPLY_TIMEOUT_S = 5.0
_START_TIMEOUT_S = 120.0
_POLL_S = 0.2
_CLUSTER_SETTINGS = {
    "jobmanager.rpc.address": "localhost",
    "jobmanager.bind-host": "localhost",
    "jobmanager.memory.process.size": "1g",
    "rest.address": "localhost",
    "rest.bind-address": "localhost",
    "taskmanager.host": "localhost",
    "taskmanager.bind-host": "localhost",
    # A task manager that was killed is missed sooner than in the settings of groundwatch's own.
    "heartbeat.interval": "1000",
    "heartbeat.timeout": "10000",
    # One of two can do all the work when the other is gone.
    "taskmanager.numberOfTaskSlots": "2",
    # Flink's scripts would calculate the missing ones.
    "taskmanager.cpu.cores": "1",
    "taskmanager.memory.framework.heap.size": "128m",
    "taskmanager.memory.framework.off-heap.size": "64m",
    "taskmanager.memory.task.heap.size": "384m",
    "taskmanager.memory.task.off-heap.size": "64m",
    "taskmanager.memory.managed.size": "128m",
    # A step with several outputs takes 512 buffers of 32 KiB in each slot.
    "taskmanager.memory.network.min": "256m",
    "taskmanager.memory.network.max": "256m",
    "taskmanager.memory.jvm-metaspace.size": "256m",
    "taskmanager.memory.jvm-overhead.min": "192m",
    "taskmanager.memory.jvm-overhead.max": "192m",
}


class Workers(StrEnum):
    """Where the Python workers run, by Beam's name for their environment."""

    EXTERNAL = "EXTERNAL"
    """In processes that a worker pool starts; task managers must not share one."""

    PROCESS = "PROCESS"
    """In processes that each task manager starts."""


class Cluster:
    """Flink, while a `with` block lasts; without task managers the job server does the work."""

    def __init__(self, class_path: str, folder: Path, task_managers: int, workers: Workers) -> None:
        self._class_path = class_path
        self._folder = folder
        self._worker_program = folder / "worker"
        self._empty_jar = folder / "empty.jar"
        self._count = task_managers
        self._workers = workers
        self._job_port, self._rpc_port, self._rest_port, self._pool_port = pick_port(0, 0, 0, 0)
        self._stack = ExitStack()
        self._started: list[Process] = []
        self.task_managers: list[Process] = []
        self.worker_pool: Process | None = None

    def __enter__(self) -> Self:
        try:
            self._start_all()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def flags(self) -> list[str]:
        """The flags with which a command runs here."""
        config = f"localhost:{self._pool_port}"
        if self._workers is Workers.PROCESS:
            config = json.dumps({"command": str(self._worker_program)})
        # Task managers have the jars on their class path.
        staged = ["--files_to_stage", str(self._empty_jar)] if self._count else []
        return [
            *("--runner", "FlinkRunner", "--job_endpoint", f"localhost:{self._job_port}"),
            *("--parallelism", str(self._count or _EMBEDDED_PARALLELISM)),
            *("--environment_type", self._workers, "--environment_config", config),
            *staged,
        ]

    def _start_all(self) -> None:
        ports = {"jobmanager.rpc.port": str(self._rpc_port), "rest.port": str(self._rest_port)}
        settings = SETTINGS | _CLUSTER_SETTINGS | ports if self._count else SETTINGS
        master = f"localhost:{self._rest_port}" if self._count else "[auto]"
        self._write_programs()
        job_server = self._keep(
            start_job_server(self._class_path, self._folder, self._job_port, settings, master)
        )
        if self._count:
            self._start_java("job-manager", "512m", _JOB_MANAGER)
            self.task_managers = [
                self._start_java(f"task-manager-{number}", "640m", _TASK_MANAGER)
                for number in range(1, self._count + 1)
            ]
        if self._workers is Workers.EXTERNAL:
            pool = "-m", "apache_beam.runners.worker.worker_pool_main"
            command = [sys.executable, *pool, f"--service_port={self._pool_port}"]
            self.worker_pool = self._keep(Process("worker-pool", command, self._folder))
            self.worker_pool.wait_for_port(self._pool_port)
        job_server.wait_for_port(self._job_port)
        if self._count:
            self._wait_for_task_managers()

    def _write_programs(self) -> None:
        zipfile.ZipFile(self._empty_jar, "w").close()
        python, log = map(shlex.quote, [sys.executable, str(self._folder / "workers.log")])
        # Flink drops what a worker prints before it can log.
        program = f'#!/bin/sh\nexec {python} -m tests.support.flink.sdk_worker "$@" 2>>{log}\n'
        self._worker_program.write_text(program, encoding="utf-8")
        self._worker_program.chmod(0o755)

    def _start_java(self, name: str, heap: str, main_class: str) -> Process:
        folder = self._folder
        command = java_command(
            self._class_path,
            main_class,
            *("--configDir", str(folder)),
            heap=heap,
            temporary=folder / "temporary",
        )
        return self._keep(Process(name, command, folder))

    def _keep(self, process: Process) -> Process:
        self._stack.callback(process.end)
        self._started.append(process)
        return process

    def _wait_for_task_managers(self) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while self._registered() != self._count:
            for process in self._started:
                process.check()
            assert time.monotonic() < deadline
            time.sleep(_POLL_S)

    def _registered(self) -> int:
        """Count the task managers that have registered with the job manager."""
        overview = f"http://localhost:{self._rest_port}/overview"
        try:
            with urllib.request.urlopen(overview, timeout=_REPLY_TIMEOUT_S) as reply:
                return int(json.load(reply)["taskmanagers"])
        except OSError:
            return 0


def missing_for_flink() -> str | None:
    """Say what is missing to run Flink, None if nothing is; the jars' digests are not verified."""
    try:
        java_command("", "", heap="1m", temporary=Path())
    except Missing as error:
        return str(error)
    folder = installation.DEFAULT_FOLDER
    return None if folder.is_dir() else f"Flink's jars are not in {folder}"


def flink_class_path() -> str:
    """Find Flink's jars and Java, or skip the test with the reason.

    Where the environment requires Flink, as CI's does, a missing requirement fails the test.
    """
    try:
        java_command("", "", heap="1m", temporary=Path())
        return installation.class_path(installation.DEFAULT_FOLDER)
    except Missing as error:
        if os.environ.get(_REQUIRED):
            raise
        pytest.skip(f"Flink did not run: {error}")


def children_of(process_id: int) -> set[int]:
    """The ids of the processes that a process has started and that still run."""
    children: set[int] = set()
    for path in Path(f"/proc/{process_id}/task").glob("*/children"):
        with suppress(OSError):  # The thread has ended meanwhile.
            children.update(map(int, path.read_text().split()))
    return children
