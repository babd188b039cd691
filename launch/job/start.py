"""Start a job that ends: a backfill, a replay of failures, or the demo; or raise UsageError."""

import sys
import traceback
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from apache_beam.options.pipeline_options import PipelineOptions
from msgspec.structs import replace

from launch.inputs.paths import (
    default_run_id,
    default_run_id_of,
    default_work_folder,
    find_inputs,
    try_output,
)
from launch.job.beam_options import is_on_this_machine, read_beam_options, worker_count
from launch.job.remote_run import JobFailed, run_remotely
from launch.local.local_pipeline import cause_of
from launch.local.local_run import NothingToResume, run_locally
from launch.local.run_summary import free_run_id, move_replayed
from launch.local.segments import ProcessDied
from launch.local.work_folder import FolderInUse
from launch.logs.json_log import keep_beam_quiet
from launch.pubsub.failure_spool import spool_failures
from launch.pubsub.pubsub_errors import Refused
from launch.report.terminal_summary import show_summary
from launch.report.unreadable_input import fail_unreadable, fail_with, first_failures
from launch.report.write_report import write_report
from launch.samples import sample_paths
from launch.terminal.exit_status import DONE, LEFT, fail
from pipeline.settings.commands import BackfillSettings, DemoSettings, ReplaySettings
from pipeline.settings.config import Config, Destination, job_config
from pipeline.settings.definition import build
from pipeline.settings.job import JobSettings
from pipeline.settings.load import Loaded
from pipeline.sinks.summary_file import OtherSource, read_summaries
from pipeline.sources.compression import DamagedArchive
from pipeline.storage.output_lock import LockLost, LockTaken
from schemas.summary import Summary
from transforms.grounding.errors import CheckFailed

EXPECTED = (
    *(CheckFailed, OSError, JobFailed, ProcessDied),
    *(FolderInUse, LockLost, LockTaken, NothingToResume, OtherSource),
)


def backfill(loaded: Loaded[BackfillSettings]) -> int:
    """Check an archive."""
    settings = loaded.settings
    return _run(*prepare(loaded, "input", settings.input.input), settings.job)


def replay(loaded: Loaded[ReplaySettings]) -> int:
    """Check failures of an earlier run again."""
    settings = loaded.settings
    if settings.failures.failure_subscription:
        return _replay_subscription(loaded, settings.failures.failure_subscription)
    return _replay_files(loaded, settings.failures.failures)


def demo(loaded: Loaded[DemoSettings]) -> int:
    """Check the bundled sample answers with the embedded checker: seconds, no network."""
    destination = Destination(root=loaded.settings.demo_output, run="demo")
    try_output(destination, loaded.problems)
    loaded.raise_problems()
    config = Config(
        inputs=tuple(sample_paths()),
        output=destination.root,
        run=destination.run,
        work_folder=default_work_folder(destination),
    )
    return _run(config, PipelineOptions([]), 1, build(JobSettings, {}))


def _replay_files(loaded: Loaded[ReplaySettings], failures: tuple[str, ...]) -> int:
    job = loaded.settings.job
    if output := job.output.output:
        try:
            # An interrupted replay may have moved only some.
            move_replayed(output, read_summaries(output))
        except OSError as error:
            loaded.problems.append(f"--output {output}: {error}")
    return _run(*prepare(loaded, "failures", failures), job)


def _replay_subscription(loaded: Loaded[ReplaySettings], name: str) -> int:
    settings = loaded.settings
    # All problems are reported before a failure is taken out of the subscription.
    read_beam_options(loaded, settings.job)
    loaded.raise_problems()
    output = settings.job.output.output
    destination = Destination(root=output, run=f"{default_run_id_of(name)}-spool")
    try:
        spooled = spool_failures(
            name,
            default_work_folder(destination),
            address=settings.server.pubsub_address,
            account=settings.job.checker.account,
            idle_s=settings.failures.idle_s,
        )
    except (CheckFailed, Refused, OSError) as error:
        return fail(f"the replay failed: {error}")
    if spooled is None:
        sys.stdout.write(f"{name} holds no failure\n")
        return DONE
    status = _replay_files(loaded, (spooled,))
    if status in {DONE, LEFT}:
        latest = max(read_summaries(output), key=attrgetter("finished_at_us"))
        # Deferred failures wait for a higher --max_calls or --max_cost.
        if not latest.deferred:
            Path(spooled).unlink()
            Path(spooled).parent.rmdir()
    return status


def prepare(
    loaded: Loaded[BackfillSettings] | Loaded[ReplaySettings], flag: str, patterns: tuple[str, ...]
) -> tuple[Config, PipelineOptions, int]:
    """Derive a job's configuration, Beam's options and the number of processes."""
    job, problems = loaded.settings.job, loaded.problems
    replays = isinstance(loaded.settings, ReplaySettings)
    beam_options = read_beam_options(loaded, job)
    is_local = is_on_this_machine(beam_options)
    workers = worker_count(beam_options, job, problems)
    if not is_local:
        problems += _local_flags(job)
    inputs = find_inputs(flag, patterns, problems)
    run_id = job.output.run_id or default_run_id(patterns)
    destination = Destination(root=job.output.output, run=run_id)
    if destination.root:
        try_output(destination, problems)
    loaded.raise_problems()
    if replays and not job.output.run_id:
        destination = replace(destination, run=free_run_id(destination.root, run_id))
    work_folder = (job.local.work_folder or default_work_folder(destination)) if is_local else None
    config = job_config(
        job,
        run=destination.run,
        inputs=tuple(inputs),
        source=default_run_id(patterns),
        replays=replays,
        salvage=loaded.settings.archives.salvage,
        workers=workers,
        work_folder=work_folder,
        reply_folder=work_folder,
    )
    return config, beam_options, workers


def _local_flags(job: JobSettings) -> Iterator[str]:
    for group, names in (
        (job.local, ("work_folder", "resume", "forget_replies")),
        (job.costs, ("max_calls", "max_cost")),
    ):
        for name in names:
            if getattr(group, name):
                yield f"--{name}: is only for a run on this machine, without --runner"


def _run(config: Config, options: PipelineOptions, processes: int, job: JobSettings) -> int:
    keep_beam_quiet()
    try:
        if config.work_folder:
            summary, findings = run_locally(config, options, processes, job)
        else:
            summary = run_remotely(config, options, job.costs.price_per_1k_chars)
            findings = None
    except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - each is printed
        return fail(f"the run failed: {_reason(cause_of(error))}")
    report = None
    try:
        report = write_report(config.output, findings)
    except OSError as error:
        sys.stderr.write(f"groundwatch: cannot write the report: {error}\n")
    show_summary(config, summary, findings, report)
    return _exit_status(config, summary)


def _exit_status(config: Config, summary: Summary) -> int:
    if not summary.closes:
        return fail(f"the run failed: the counts do not add up: {summary.read} messages were read")
    if summary.damaged_archives:
        sentence = f"the run failed: damaged archives: {summary.damaged_archives}"
        damage = first_failures(config.destination, DamagedArchive.__name__)
        return fail_with(sentence, damage)
    # A replay reads messages that were counted as failures before.
    is_unreadable = summary.unreadable == summary.read and not summary.deferred
    if is_unreadable and not config.replays:
        return fail_unreadable(first_failures(config.destination), config.inputs)
    return LEFT if summary.retryable_failures or summary.deferred else DONE


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; give the same command again to finish it"
    if isinstance(error, EXPECTED):
        return str(error)
    # A defect; its message could hold an answer's text.
    sys.stderr.writelines(traceback.format_tb(error.__traceback__))
    return f"a defect: {type(error).__name__}; please report the lines above"
