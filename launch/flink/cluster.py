"""Flink on this machine: a job server, task managers or none, and Python workers."""

import json
import shlex
import sys
import zipfile
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import Self

from apache_beam.utils.subprocess_server import pick_port

from launch.flink.java import Java
from launch.flink.process import Process
from launch.flink.ready import wait_for_service, wait_for_task_managers
from launch.flink.settings import cluster_settings, job_server_settings

_JOB_SERVER = "org.apache.beam.runners.flink.FlinkJobServerDriver"
_JOB_MANAGER = "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint"
_TASK_MANAGER = "org.apache.flink.runtime.taskexecutor.TaskManagerRunner"
_EMBEDDED_PARALLELISM = 2


class Workers(StrEnum):
    """Where the Python workers run, by Beam's name for their environment."""

    LOOPBACK = "LOOPBACK"
    """In the process of the command itself."""

    EXTERNAL = "EXTERNAL"
    """In processes that a worker pool starts. Two task managers would end each other's."""

    PROCESS = "PROCESS"
    """In processes that each task manager starts."""


class Cluster:
    """Flink, while a `with` block lasts; its processes are ended by their ids.

    Args:
      java: with Flink and Beam's runner on its class path.
      folder: for logs, settings and temporary files.
      task_managers: how many; with 0 the job server does the work.
      workers: where Python runs.

    Attributes:
      task_managers: their processes.
      worker_pool: its process, if there is one.
    """

    def __init__(self, java: Java, folder: Path, task_managers: int, workers: Workers) -> None:
        self._java = java
        self._folder = folder
        self._temporary = folder / "temporary"
        self._empty_jar = folder / "empty.jar"
        self._worker_program = folder / "worker"
        self._count = task_managers
        self._workers = workers
        self._job_port, self._rpc_port, self._rest_port, self._pool_port = pick_port(0, 0, 0, 0)
        self._stack = ExitStack()
        self._started: list[Process] = []
        self.task_managers: list[Process] = []
        self.worker_pool: Process | None = None

    def __enter__(self) -> Self:
        try:
            self._begin()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def flags(self) -> list[str]:
        """What a command needs to run here."""
        # Task managers have the jars on their class path.
        staged = ["--files_to_stage", str(self._empty_jar)] if self._count else []
        return [
            *("--runner", "FlinkRunner", "--job_endpoint", f"localhost:{self._job_port}"),
            *("--parallelism", str(self._count or _EMBEDDED_PARALLELISM)),
            *("--environment_type", self._workers),
            *self._environment_flags(),
            *staged,
        ]

    def _environment_flags(self) -> list[str]:
        if self._workers is Workers.LOOPBACK:
            return []
        if self._workers is Workers.EXTERNAL:
            return ["--environment_config", f"localhost:{self._pool_port}"]
        return ["--environment_config", json.dumps({"command": str(self._worker_program)})]

    def _begin(self) -> None:
        self._write_files()
        if self._count:
            self._begin_task_managers()
        self._begin_job_server()
        if self._workers is Workers.EXTERNAL:
            self._begin_worker_pool()
        wait_for_service(self._job_port, self._started)
        if self._count:
            wait_for_task_managers(self._rest_port, self._count, self._started)

    def _write_files(self) -> None:
        self._temporary.mkdir()
        (self._folder / "config.yaml").write_text(self._settings(), encoding="utf-8")
        zipfile.ZipFile(self._empty_jar, "w").close()
        python, log = map(shlex.quote, [sys.executable, str(self._folder / "workers.log")])
        # Flink keeps nothing of what a worker says before it can log.
        program = f'#!/bin/sh\nexec {python} -m launch.flink.worker "$@" 2>>{log}\n'
        self._worker_program.write_text(program, encoding="utf-8")
        self._worker_program.chmod(0o755)

    def _settings(self) -> str:
        if self._count:
            return cluster_settings(self._rpc_port, self._rest_port)
        return job_server_settings()

    def _begin_task_managers(self) -> None:
        settings = "--configDir", str(self._folder)
        self._start_java("job-manager", "512m", _JOB_MANAGER, *settings)
        self.task_managers = [
            self._start_java(f"task-manager-{number}", "640m", _TASK_MANAGER, *settings)
            for number in range(1, self._count + 1)
        ]

    def _begin_job_server(self) -> None:
        heap = "512m" if self._count else "1g"
        master = f"localhost:{self._rest_port}" if self._count else "[auto]"
        self._start_java(
            "job-server",
            heap,
            _JOB_SERVER,
            *(f"--job-port={self._job_port}", "--artifact-port=0", "--expansion-port=0"),
            f"--artifacts-dir={self._folder / 'artifacts'}",
            *(f"--flink-conf-dir={self._folder}", f"--flink-master={master}"),
        )

    def _begin_worker_pool(self) -> None:
        pool = "-m", "apache_beam.runners.worker.worker_pool_main"
        port = f"--service_port={self._pool_port}"
        self.worker_pool = self._start("worker-pool", [sys.executable, *pool, port])
        wait_for_service(self._pool_port, self._started)

    def _start_java(self, name: str, heap: str, main_class: str, *arguments: str) -> Process:
        command = self._java.command(main_class, *arguments, heap=heap, temporary=self._temporary)
        return self._start(name, command)

    def _start(self, name: str, command: list[str]) -> Process:
        process = Process(name, command, self._folder)
        self._stack.callback(process.end)
        self._started.append(process)
        return process
