"""Run segments on several cores, in one process each."""

import os
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import connection, get_context, parent_process
from multiprocessing.queues import Queue

from apache_beam.options.pipeline_options import PipelineOptions

from launch.local.segment_runner import SegmentRunner
from launch.local.work_folder import SegmentDone, WorkFolder
from launch.logs.beam_log import keep_beam_quiet
from launch.terminal.gauges import Gauges, read_gauges
from pipeline.settings.config import Config
from pipeline.sources.splits import Segment

_GAUGES_INTERVAL_S = 0.5


class ProcessDied(Exception):
    """A process ended before its segment was finished."""


class Processes:
    """Run segments in processes of their own.

    Args:
      config: the run's settings, with a work folder; a quota in it is one process's share.
      options: Beam's own.
      count: how many processes, at least 1.
    """

    def __init__(self, config: Config, options: PipelineOptions, count: int) -> None:
        # A fork of a process with threads may copy locks that are never released.
        context = get_context("spawn")
        self._gauge_queue: Queue[tuple[int, Gauges]] = context.Queue()
        self._latest: dict[int, Gauges] = {}
        self._count = count
        self._pool = ProcessPoolExecutor(
            max_workers=count,
            mp_context=context,
            initializer=_begin,
            initargs=(config, options, self._gauge_queue),
        )

    def gauges(self) -> Gauges:
        """Add up the gauges of all processes."""
        while not self._gauge_queue.empty():
            process, gauges = self._gauge_queue.get()
            self._latest[process] = gauges
        return sum(self._latest.values(), Gauges())

    def run(self, segments: Iterable[Segment]) -> Iterator[SegmentDone]:
        """Run segments, one in each process at a time, until the caller stops.

        Yields:
          The results of each segment, in the order in which they end.

        Raises:
          ProcessDied: a process was killed, or ran out of memory.
          Exception: a segment failed.
        """
        coming = iter(segments)
        under_way = {self._pool.submit(_run, segment) for segment in islice(coming, self._count)}
        while under_way:
            finished, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                yield _outcome(future)
            under_way |= {
                self._pool.submit(_run, segment) for segment in islice(coming, len(finished))
            }

    def close(self) -> None:
        """Kill the processes."""
        processes = list((self._pool._processes or {}).values())  # noqa: SLF001 - the pool can only wait
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        for process in processes:
            process.join()


def _outcome(future: Future[SegmentDone]) -> SegmentDone:
    try:
        return future.result()
    except BrokenProcessPool:
        raise ProcessDied(
            "one of its processes was killed or ran out of memory; give the same command again"
            " to go on, with fewer --workers if memory is short"
        ) from None


class _Process:
    """The runner of this process; a pool passes segments only."""

    runner: SegmentRunner


def _begin(
    config: Config, options: PipelineOptions, gauge_queue: "Queue[tuple[int, Gauges]]"
) -> None:
    """Set up this process."""
    # The parent process reports an interrupt.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threading.Thread(target=_report_gauges, args=(gauge_queue,), daemon=True).start()
    keep_beam_quiet()
    WorkFolder(str(config.work_folder)).joined().__enter__()
    _Process.runner = SegmentRunner(config, options).__enter__()


def _run(segment: Segment) -> SegmentDone:
    return _Process.runner.run(segment)


def _end_with_parent() -> None:
    """End this process when its parent has ended, even if it was killed."""
    if parent := parent_process():
        connection.wait([parent.sentinel])
        os._exit(1)


def _report_gauges(gauge_queue: "Queue[tuple[int, Gauges]]") -> None:
    while True:
        gauge_queue.put((os.getpid(), read_gauges()))
        threading.Event().wait(_GAUGES_INTERVAL_S)
