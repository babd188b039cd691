"""Run an archive on this machine: plan it, resume an interrupted run, join the results."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

from apache_beam.options.pipeline_options import PipelineOptions
from msgspec.structs import replace

from launch.local.plan import Plan, fingerprint, make_plan
from launch.local.processes import Processes
from launch.local.resolved_failures import move_replayed, replayed_from
from launch.local.run_summary import summary_of
from launch.local.segment_runner import SegmentRunner
from launch.local.work_folder import SegmentDone, WorkFolder
from launch.terminal.figures import counted
from launch.terminal.gauges import read_gauges
from launch.terminal.progress import Progress
from pipeline import storage
from pipeline.settings.config import Config
from pipeline.sinks.part_files import OpenPart, Part
from pipeline.sinks.publication import publish_parts
from pipeline.sinks.row_formats import row_formats
from pipeline.sinks.summary_file import refuse_other_source, remove_summary, write_summary
from pipeline.sources.splits import Segment
from pipeline.storage.output_lock import LOCK_WAIT_S, lock_output
from schemas.summary import RunCounts, Summary, total_counts
from transforms.measure_rates import EngineCounts
from transforms.rules.rate_incidents import find_all_rate_alerts
from transforms.runtime import clock


class NothingToResume(Exception):
    """There is no interrupted run to resume."""


def run_locally(
    config: Config,
    options: PipelineOptions,
    price_per_1k_chars: float | None,
    processes: int = 1,
    *,
    must_resume: bool = False,
    forget_replies: bool = False,
) -> Summary:
    """Run the main job on this machine to its end, or to its limit, and write `summary.json`.

    An interrupted run of the same id is resumed: its finished segments stay. After a change of
    flags or input a new run starts, which keeps the paid replies.

    Args:
      config: the run's settings, with a work folder.
      options: Beam's own.
      price_per_1k_chars: the price of 1,000 checked characters, None if unknown.
      processes: how many share the work; 1 is this one alone.
      must_resume: whether to fail unless an interrupted run can be resumed.
      forget_replies: whether to start a new run and pay for every check again; calls of an
        interrupted run still count.

    Returns:
      The summary as written; messages are left where a limit ended the run.

    Raises:
      FolderInUse, LockTaken: another process runs it already.
      OtherSource: a run of the same id, over other input, has written to the output folder.
      NothingToResume: `must_resume` is set, and there is no interrupted run.
      Exception: a step failed.
    """
    started_at_us = clock.now_us()
    work = WorkFolder(str(config.work_folder))
    with work.held(), lock_output(config.lock, LOCK_WAIT_S, owner=work.owner()) as lock:
        refuse_other_source(config.destination, config.source)
        plan = _plan(
            config, work, processes, must_resume=must_resume, forget_replies=forget_replies
        )
        _run_segments(config, options, plan, work, processes)
        lock.check()
        summary = _finish(config, plan, work, started_at_us, price_per_1k_chars)
        if summary.replayed:
            move_replayed(config.output, summary.replayed)
        if not summary.deferred:
            work.remove()
    return summary


def _plan(
    config: Config, work: WorkFolder, processes: int, *, must_resume: bool, forget_replies: bool
) -> Plan:
    earlier = work.read_plan()
    is_same = earlier is not None and earlier.fingerprint == fingerprint(config)
    if must_resume and not is_same:
        changed = "the settings or the input have changed" if earlier else "no run was interrupted"
        raise NothingToResume(f"--resume: {changed}; without it a new run starts")
    remove_summary(config.destination)
    if earlier is not None and is_same and not forget_replies:
        return earlier
    plan = make_plan(config, processes)
    _keep_paid_replies(work, forget_replies=forget_replies)
    work.begin(plan)
    return plan


def _keep_paid_replies(work: WorkFolder, *, forget_replies: bool) -> None:
    """Let a new plan use the paid replies of an interrupted run, and count its calls."""
    if (paid := work.paid()) is None:
        return
    with paid as store:
        if forget_replies:
            store.delete_replies()
        elif replies := store.begin_plan():
            sys.stderr.write(
                f"groundwatch: a new run begins; {counted(replies, 'check')} that an interrupted"
                " run has paid for will not be paid for again unless with --forget_replies\n"
            )


def _run_segments(
    config: Config, options: PipelineOptions, plan: Plan, work: WorkFolder, processes: int
) -> None:
    waiting = [segment for segment in plan.segments if not _is_finished(work, segment)]
    messages_done = plan.messages - sum(segment.messages for segment in waiting)
    if messages_done:
        sys.stderr.write(
            f"groundwatch: going on: {messages_done:,} of {plan.messages:,} messages are done\n"
        )
    messages = plan.messages, messages_done
    if processes == 1:
        _run_here(config, options, _Waiting(waiting), messages)
    elif waiting:
        count = min(processes, len(waiting))
        _run_in_processes(config, options, _Waiting(waiting), messages, count)


def _is_finished(work: WorkFolder, segment: Segment) -> bool:
    done = work.done(segment.number)
    return done is not None and not done.counts.deferred


def _run_here(
    config: Config, options: PipelineOptions, segments: "_Waiting", messages: tuple[int, int]
) -> None:
    with SegmentRunner(config, options) as runner, Progress(*messages, read_gauges):
        segments.note(map(runner.run, segments))


def _run_in_processes(
    config: Config,
    options: PipelineOptions,
    segments: "_Waiting",
    messages: tuple[int, int],
    count: int,
) -> None:
    with (
        closing(Processes(config, options, count)) as processes,
        Progress(*messages, processes.gauges),
    ):
        segments.note(processes.run(segments))


class _Waiting:
    """The segments that are left to run, until a limit is reached."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = segments
        self._limit_is_reached = False

    def __iter__(self) -> Iterator[Segment]:
        for segment in self._segments:
            if self._limit_is_reached:
                return
            yield segment

    def note(self, finished: Iterable[SegmentDone]) -> None:
        for done in finished:
            self._limit_is_reached |= bool(done.counts.deferred)


def _with_all_calls(work: WorkFolder, counts: RunCounts) -> RunCounts:
    """Count the calls of all attempts, including unfinished segments and killed processes."""
    if (paid := work.paid()) is None:
        return counts
    with paid as store:
        calls, characters = store.spent()
    return replace(counts, calls=calls, characters=characters)


def _finish(
    config: Config,
    plan: Plan,
    work: WorkFolder,
    started_at_us: int,
    price_per_1k_chars: float | None,
) -> Summary:
    finished = [(segment, done) for segment in plan.segments if (done := work.done(segment.number))]
    counts = _with_all_calls(work, total_counts(done.counts for _, done in finished))
    parts = [part for _, done in finished for part in done.parts]
    rates = (engine_counts for _, done in finished for engine_counts in done.rates)
    rows = publish_parts(config, [*parts, *_rate_alert_parts(config, rates)])
    # A message may hold several answers, so the rest does not follow from the answers read.
    left = plan.messages - sum(segment.messages for segment, _ in finished) + counts.deferred
    summary = summary_of(
        config,
        counts,
        rows,
        started_at_us=started_at_us,
        price_per_1k_chars=price_per_1k_chars,
        deferred=left,
    )
    if config.replays and not (left or counts.damaged_archives):
        summary = replace(summary, replayed=replayed_from(config.inputs, config.output))
    return write_summary(config.destination, summary)


def _rate_alert_parts(config: Config, rates: Iterable[EngineCounts]) -> list[Part]:
    """Write the alerts that depend on the counts of all segments."""
    alerts = find_all_rate_alerts(rates, config.rates)
    if not alerts:
        return []
    row_format = row_formats(config).alerts
    path = storage.join(str(config.work_folder), f"rates.{row_format.extension}")
    part = OpenPart(path, row_format.kind, row_format)
    for alert in alerts:
        part.write(alert)
    return [part.close()]
