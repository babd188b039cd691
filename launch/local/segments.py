"""Run segments in this process, or on several cores in one process each."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from itertools import islice
from multiprocessing import connection, get_context, parent_process
from multiprocessing.queues import Queue

from apache_beam.options.pipeline_options import PipelineOptions

from launch.local.local_pipeline import LocalPipeline
from launch.local.work_folder import Plan, SegmentDone, WorkFolder
from launch.logs.json_log import keep_beam_quiet
from launch.terminal.progress import Gauges, Progress, read_gauges
from pipeline.settings.config import Config
from pipeline.sinks.sink import SegmentSink
from pipeline.sources.splits import Segment, SegmentReader
from transforms.check_grounding import checks_open
from transforms.deduplicate import seen_ids_open

_GAUGES_INTERVAL_S = 0.5


class ProcessDied(Exception):
    """A process ended before its segment was finished."""


def run_segments(config: Config, options: PipelineOptions, processes: int, plan: Plan) -> None:
    """Run the unfinished segments in at most so many processes, until one reaches a limit."""
    work = WorkFolder(str(config.work_folder))
    done = {segment.number: work.done(segment.number) for segment in plan.segments}
    finished = {number for number, each in done.items() if each and not each.counts.deferred}
    waiting = [segment for segment in plan.segments if segment.number not in finished]
    total = plan.messages
    done_before = total - sum(segment.messages for segment in waiting)
    if done_before:
        sys.stderr.write(f"groundwatch: going on: {done_before:,} of {total:,} messages are done\n")
    if min(processes, len(waiting)) > 1:
        pool = _Processes(config, options, min(processes, len(waiting)))
        with closing(pool), Progress(total, done_before, pool.gauges):
            pool.run(waiting)
    elif waiting:
        with ExitStack() as resources, Progress(total, done_before, read_gauges):
            runner = SegmentRunner(config, options, resources)
            for segment in waiting:
                if runner.run(segment).counts.deferred:
                    return


class SegmentRunner:
    """Run segments in this process, while `resources` keeps open what they share."""

    def __init__(self, config: Config, options: PipelineOptions, resources: ExitStack) -> None:
        self._work = WorkFolder(str(config.work_folder))
        self._pipeline = resources.enter_context(
            closing(LocalPipeline(config, options, SegmentSink))
        )
        self._reader = SegmentReader(are_failures=config.replays)
        self._checks = resources.enter_context(checks_open(config.check)).checks
        self._seen = resources.enter_context(seen_ids_open(str(config.seen_ids)))

    def run(self, segment: Segment) -> SegmentDone:
        """Run a segment and commit its results; after an exception it must run again."""
        folder, again = self._work.begin_segment(segment.number)
        self._seen.begin(segment.number, again=again)
        self._checks.begin(segment.number, again=again)
        try:
            results, counts = self._pipeline.run(self._reader.messages_of(segment), folder)
            self._checks.flush()
            done = SegmentDone(parts=results.parts, rates=results.rates, counts=counts)
            self._work.finish_segment(segment.number, done)
        except BaseException:
            # A full disk needs the room.
            self._work.clear_segment(segment.number)
            raise
        return done


class _Processes:
    """Run segments in processes of their own, one in each at a time."""

    def __init__(self, config: Config, options: PipelineOptions, count: int) -> None:
        # A fork of a process with threads may copy locks that are never released.
        context = get_context("spawn")
        self._gauge_queue: Queue[tuple[int, Gauges]] = context.Queue()
        self._latest: dict[int, Gauges] = {}
        self._count = count
        self._pool = ProcessPoolExecutor(
            count, context, _begin, (config, options, self._gauge_queue)
        )

    def gauges(self) -> Gauges:
        """Add up the gauges of all processes."""
        while not self._gauge_queue.empty():
            process, gauges = self._gauge_queue.get()
            self._latest[process] = gauges
        return sum(self._latest.values(), Gauges())

    def run(self, segments: Iterable[Segment]) -> None:
        """Run segments; start no further one after a limit is reached."""
        waiting = iter(segments)
        running = {self._pool.submit(_run, segment) for segment in islice(waiting, self._count)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            results = [_result(future) for future in finished]
            if any(done.counts.deferred for done in results):
                waiting = iter(())
            running |= {
                self._pool.submit(_run, segment) for segment in islice(waiting, len(finished))
            }

    def close(self) -> None:
        """Kill the processes."""
        processes = list((self._pool._processes or {}).values())  # noqa: SLF001 - the pool can only wait
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        for process in processes:
            process.join()


def _result(future: Future[SegmentDone]) -> SegmentDone:
    try:
        return future.result()
    except BrokenProcessPool:
        raise ProcessDied(
            "one of its processes was killed or ran out of memory; give the same command again"
            " to go on, with fewer --workers if memory is short"
        ) from None


class _Process:
    """What a process of the pool keeps until it ends; the pool passes segments only."""

    resources = ExitStack()
    runner: SegmentRunner


def _begin(
    config: Config, options: PipelineOptions, gauge_queue: "Queue[tuple[int, Gauges]]"
) -> None:
    # The parent process reports an interrupt.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threading.Thread(target=_report_gauges, args=(gauge_queue,), daemon=True).start()
    keep_beam_quiet()
    _Process.resources.enter_context(WorkFolder(str(config.work_folder)).join())
    _Process.runner = SegmentRunner(config, options, _Process.resources)


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
        time.sleep(_GAUGES_INTERVAL_S)
