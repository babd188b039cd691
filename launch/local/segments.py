"""Run segments in this process, or on several cores in one process each."""

import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, closing
from functools import partial
from multiprocessing import connection, get_context, parent_process
from multiprocessing.queues import Queue
from multiprocessing.sharedctypes import Synchronized
from queue import Empty, SimpleQueue
from threading import Event, Thread

from apache_beam.options.pipeline_options import PipelineOptions

from launch.local.local_pipeline import LocalPipeline
from launch.local.work_folder import Plan, SegmentDone, WorkFolder
from launch.logs.json_log import keep_beam_quiet
from launch.terminal.progress import Gauges, Progress, read_gauges
from pipeline.errors import RunFailed
from pipeline.settings.config import Config
from pipeline.sinks.sink import SegmentSink
from pipeline.sources.read_archives import MessageRange
from pipeline.sources.splits import Segment, SegmentReader
from schemas.message import Message
from transforms.check_grounding import checks_open
from transforms.deduplicate import seen_ids_open

_GAUGES_INTERVAL_S = 0.5
_GROW_AFTER_S = 0.2
_MOST_SEGMENTS = 4
"""How many segments of a process may be unfinished, all but one waiting for their last calls."""


class Stopped(Exception):
    """A segment was stopped because another one failed."""


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
            SegmentRunner(config, options, resources).run_all(waiting)


class SegmentRunner:
    """Run segments in this process, while `resources` keeps open what they share.

    While a segment waits for its last calls, the next one begins, on a thread of its own.
    """

    def __init__(self, config: Config, options: PipelineOptions, resources: ExitStack) -> None:
        self._work = WorkFolder(str(config.work_folder))
        self._new_pipeline = partial(LocalPipeline, config, options, SegmentSink)
        self._resources = resources
        self._reader = SegmentReader(are_failures=config.replays)
        self._checks = resources.enter_context(checks_open(config.check)).checks
        self._seen = resources.enter_context(seen_ids_open(str(config.seen_ids)))
        self._pipelines = 0
        self._idle: SimpleQueue[LocalPipeline] = SimpleQueue()
        self._reached_limit = False
        self._errors: list[BaseException] = []

    def run_all(self, segments: Iterable[Segment]) -> bool:
        """Run segments until one reaches a limit, and return whether one has.

        After an error none begins, those that wait for calls are finished, and it is raised.
        """
        try:
            for segment in segments:
                pipeline, is_read = self._idle_pipeline(), Event()
                Thread(target=self._run, args=(segment, pipeline, is_read), daemon=True).start()
                is_read.wait()
                if self._errors or self._reached_limit:
                    break
            # A process that gets two calls needs the pipelines again.
            for pipeline in [self._idle.get() for _ in range(self._pipelines)]:
                self._idle.put(pipeline)
        except KeyboardInterrupt as interrupt:
            self._errors.append(interrupt)
        if self._errors:
            raise self._errors[0]
        return self._reached_limit

    def run(self, segment: Segment, pipeline: LocalPipeline, is_read: Event) -> SegmentDone:
        """Run a segment and commit its results; after an exception it must run again."""
        folder, again = self._work.begin_segment(segment.number)
        self._seen.begin(segment.number, again=again, ended=is_read.set)
        self._checks.begin(segment.number, again=again)
        try:
            results, counts = pipeline.run(self._ranges_of(segment), folder)
            self._checks.flush()
            done = SegmentDone(parts=results.parts, rates=results.rates, counts=counts)
            self._work.finish_segment(segment.number, done)
        except BaseException:
            # A full disk needs the room.
            self._work.clear_segment(segment.number)
            raise
        return done

    def _idle_pipeline(self) -> LocalPipeline:
        # A checker without latency needs one pipeline only.
        timeout_s = _GROW_AFTER_S if self._pipelines else 0
        try:
            return self._idle.get(timeout=None if self._pipelines == _MOST_SEGMENTS else timeout_s)
        except Empty:
            self._pipelines += 1
            return self._resources.enter_context(closing(self._new_pipeline()))

    def _run(self, segment: Segment, pipeline: LocalPipeline, is_read: Event) -> None:
        try:
            done = self.run(segment, pipeline, is_read)
            self._reached_limit |= bool(done.counts.deferred)
        except BaseException as error:  # noqa: BLE001 - raised by `run_all`
            self._errors.append(error)
        self._idle.put(pipeline)
        is_read.set()

    def _ranges_of(self, segment: Segment) -> Iterator[MessageRange]:
        for each in self._reader.messages_of(segment):
            yield each._replace(messages=self._until_error(each.messages))

    def _until_error(self, messages: Iterable[Message]) -> Iterator[Message]:
        for message in messages:
            if self._errors:
                raise Stopped
            yield message


class _Processes:
    """Run segments in processes of their own."""

    def __init__(self, config: Config, options: PipelineOptions, count: int) -> None:
        # A fork of a process with threads may copy locks that are never released.
        context = get_context("spawn")
        self._gauge_queue: Queue[tuple[int, Gauges]] = context.Queue()
        self._latest: dict[int, Gauges] = {}
        self._count = count
        given = config, options, self._gauge_queue, context.Value("i", 0)
        self._pool = ProcessPoolExecutor(count, context, _begin, given)

    def gauges(self) -> Gauges:
        """Add up the gauges of all processes."""
        while not self._gauge_queue.empty():
            process, gauges = self._gauge_queue.get()
            self._latest[process] = gauges
        return sum(self._latest.values(), Gauges())

    def run(self, segments: Sequence[Segment]) -> None:
        """Run segments; start no further one after a limit is reached."""
        for future in as_completed(
            [self._pool.submit(_run_untaken, segments) for _ in range(self._count)]
        ):
            _check(future)

    def close(self) -> None:
        """Kill the processes."""
        processes = list((self._pool._processes or {}).values())  # noqa: SLF001 - the pool can only wait
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.kill()
        for process in processes:
            process.join()


def _check(future: Future[None]) -> None:
    try:
        future.result()
    except BrokenProcessPool:
        raise RunFailed(
            "one of its processes was killed or ran out of memory; give the same command again"
            " to go on, with fewer --workers if memory is short"
        ) from None


class _Process:
    """What a process of the pool keeps until it ends; `taken` counts for all processes."""

    resources = ExitStack()
    runner: SegmentRunner
    taken: "Synchronized[int]"


def _begin(
    config: Config,
    options: PipelineOptions,
    gauge_queue: "Queue[tuple[int, Gauges]]",
    taken: "Synchronized[int]",
) -> None:
    # The parent process reports an interrupt.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    Thread(target=_report_gauges, args=(gauge_queue,), daemon=True).start()
    keep_beam_quiet()
    _Process.resources.enter_context(WorkFolder(str(config.work_folder)).join())
    _Process.taken = taken
    _Process.runner = SegmentRunner(config, options, _Process.resources)


def _run_untaken(segments: Sequence[Segment]) -> None:
    if _Process.runner.run_all(_untaken(segments)):
        _Process.taken.value = len(segments)


def _untaken(segments: Sequence[Segment]) -> Iterator[Segment]:
    """Yield the segments that no process has taken, until there are none left."""
    while True:
        with _Process.taken.get_lock():
            number = _Process.taken.value
            _Process.taken.value += 1
        if number >= len(segments):
            return
        yield segments[number]


def _end_with_parent() -> None:
    """End this process when its parent has ended, even if it was killed."""
    if parent := parent_process():
        connection.wait([parent.sentinel])
        os._exit(1)


def _report_gauges(gauge_queue: "Queue[tuple[int, Gauges]]") -> None:
    while True:
        gauge_queue.put((os.getpid(), read_gauges()))
        time.sleep(_GAUGES_INTERVAL_S)
