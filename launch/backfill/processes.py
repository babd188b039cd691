"""Run the batches of a plan in this process, or on several cores in one process each."""

import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from multiprocessing import connection, get_context, parent_process
from multiprocessing.context import SpawnProcess
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event as ProcessEvent
from queue import Empty
from threading import Thread

from groundwatch.launch.cli.json_log import keep_beam_quiet
from groundwatch.launch.cli.terminal.progress import Gauges, read_gauges
from groundwatch.launch.engine.batches import Batches, LocalPipeline
from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.plan import Plan
from groundwatch.pipeline.errors import RunFailed
from groundwatch.pipeline.settings.config import Config
from groundwatch.transforms.check_grounding import checks_open
from groundwatch.transforms.deduplicate import seen_ids_open
from groundwatch.transforms.runtime.signals import signals_blocked
from .archive_source import AnyEvent, ArchiveSource, Stopped

_GAUGES_INTERVAL_S = 0.5
_THREADS = 4
"""How many batches of a process may be unfinished, all but one waiting for their last calls."""
_POLL_S = 0.2


def run_batches(
    config: Config, attempt: str, stop: AnyEvent, meanwhile: Callable[[], None] = lambda: None
) -> None:
    """Run the batches that wait, in this process, until there are none, or `stop` is set.

    After that no further call is sent, either. `meanwhile` is called again and again. What has
    failed or was interrupted is raised when the batches that are begun have ended.
    """
    with (
        closing(EngineDatabase(str(config.work_folder))) as database,
        checks_open(config.check) as session,
        seen_ids_open(str(config.database)) as seen,
    ):
        session.checks.stop_when(stop.is_set)
        source = ArchiveSource(Plan(database), attempt, stop, are_failures=config.replays)
        journal = Journal(database, config)

        def run() -> None:
            # A pipeline is built for a batch only: a short run needs no second one.
            batches = cache(lambda: Batches(LocalPipeline(config), journal, seen, session.checks))
            try:
                while source.process_next(batches):
                    pass
            except BaseException as error:  # noqa: BLE001 - raised below
                source.end(error)

        threads = [Thread(target=run, daemon=True) for _ in range(_THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            _wait(thread, source, meanwhile)
    if errors := [each for each in source.errors if not isinstance(each, Stopped)]:
        raise errors[0]


def _wait(thread: Thread, source: ArchiveSource, meanwhile: Callable[[], None]) -> None:
    while thread.is_alive():
        # A join without a limit would delay an interrupt.
        thread.join(_POLL_S)
        try:
            if not source.errors:
                meanwhile()
        except Exception as error:  # noqa: BLE001 - raised when the batches have ended
            source.end(error)


class Processes:
    """Run the batches that wait in several processes."""

    def __init__(self, config: Config, attempt: str, count: int) -> None:
        # A fork of a process with threads may copy locks that are never released.
        context = get_context("spawn")
        self.stop: ProcessEvent = context.Event()
        self._gauge_queue: Queue[tuple[int, Gauges]] = context.Queue()
        self._errors: Queue[Exception] = context.Queue()
        self._latest: dict[int, Gauges] = {}
        given = config, attempt, self.stop, self._gauge_queue, self._errors
        self._processes: list[SpawnProcess] = [
            context.Process(target=_run_process, args=given) for _ in range(count)
        ]

    def gauges(self) -> Gauges:
        while not self._gauge_queue.empty():
            process, gauges = self._gauge_queue.get()
            self._latest[process] = gauges
        return sum(self._latest.values(), Gauges())

    def run(self, meanwhile: Callable[[], None]) -> None:
        """Run the batches, and call `meanwhile` again and again; raise what has failed."""
        failed: Exception | None = None
        # An interrupt is for this process, which sets `stop`: the others begin with it blocked.
        with signals_blocked([signal.SIGINT]):
            for process in self._processes:
                process.start()
        try:
            running = list(self._processes)
            while running:
                connection.wait([process.sentinel for process in running], _GAUGES_INTERVAL_S)
                if not failed:
                    try:
                        meanwhile()
                    except Exception as error:  # noqa: BLE001 - raised when the batches have ended
                        failed = error
                        self.stop.set()
                for process in [each for each in running if not each.is_alive()]:
                    running.remove(process)
                    self._raise_error(process)
        finally:
            for process in self._processes:
                if process.is_alive():
                    process.kill()
                process.join()
        if failed:
            raise failed

    def _raise_error(self, process: SpawnProcess) -> None:
        process.join()
        if process.exitcode == 0:
            return
        with suppress(Empty):
            raise self._errors.get(timeout=_GAUGES_INTERVAL_S)
        raise RunFailed(
            "one of its processes was killed or ran out of memory; give the same command again"
            " to go on, with fewer --workers if memory is short"
        )


def _run_process(
    config: Config,
    attempt: str,
    stop: ProcessEvent,
    gauge_queue: "Queue[tuple[int, Gauges]]",
    errors: "Queue[Exception]",
) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    Thread(target=_report_gauges, args=(gauge_queue,), daemon=True).start()
    keep_beam_quiet()
    try:
        run_batches(config, attempt, stop)
    except Exception as error:  # noqa: BLE001 - raised in the parent process
        errors.put(error)
        sys.exit(1)
    gauge_queue.put((os.getpid(), read_gauges()))


def _end_with_parent() -> None:
    """End this process when its parent has ended, even if it was killed."""
    if parent := parent_process():
        connection.wait([parent.sentinel])
        os._exit(1)


def _report_gauges(gauge_queue: "Queue[tuple[int, Gauges]]") -> None:
    while True:
        gauge_queue.put((os.getpid(), read_gauges()))
        time.sleep(_GAUGES_INTERVAL_S)
