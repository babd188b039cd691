"""Start a job that ends: a backfill, a replay of failures, or the demo."""

import sys
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
from launch.job.bounded_job import BoundedJob
from launch.job.main_job import run_main_job
from launch.local.resolved_failures import free_run_id, move_replayed
from launch.pubsub.errors import Refused
from launch.pubsub.failure_spool import spool_failures
from launch.samples import sample_paths
from launch.terminal.exit_status import DONE, LEFT, fail
from pipeline.settings.commands import BackfillSettings, DemoSettings, ReplaySettings
from pipeline.settings.config import Config, job_config
from pipeline.settings.job import JobSettings
from pipeline.settings.load import Loaded
from pipeline.sinks.destination import Destination
from pipeline.sinks.summary_file import read_summaries
from transforms.grounding.errors import CheckFailed


def backfill(loaded: Loaded[BackfillSettings]) -> int:
    """Check an archive.

    Raises:
      UsageError: the settings have problems, or the input or output is not there.
    """
    return run_main_job(backfill_job(loaded))


def backfill_job(loaded: Loaded[BackfillSettings]) -> BoundedJob:
    """Derive the job of a backfill from its settings; it raises as `backfill` does."""
    return _job(loaded, "input", loaded.settings.input.input)


def replay(loaded: Loaded[ReplaySettings]) -> int:
    """Check failures of an earlier run again.

    Raises:
      UsageError: the settings have problems, or the input or output is not there.
    """
    settings = loaded.settings
    if settings.failures.failure_subscription:
        return _replay_subscription(loaded, settings.failures.failure_subscription)
    return _replay_files(loaded, settings.failures.failures)


def demo(loaded: Loaded[DemoSettings]) -> int:
    """Check the bundled sample answers with the embedded checker: seconds, no network.

    Raises:
      UsageError: the settings have problems, or the output cannot be written.
    """
    destination = Destination(root=loaded.settings.demo_output, run="demo")
    try_output(destination, loaded.problems)
    loaded.raise_problems()
    config = Config(
        inputs=tuple(sample_paths()),
        output=destination.root,
        run=destination.run,
        work_folder=default_work_folder(destination),
    )
    return run_main_job(BoundedJob(config=config, options=PipelineOptions([])))


def _replay_files(loaded: Loaded[ReplaySettings], failures: tuple[str, ...]) -> int:
    if output := loaded.settings.job.output.output:
        try:
            # An interrupted replay may have moved only some.
            move_replayed(output, read_summaries(output))
        except OSError as error:
            loaded.problems.append(f"--output {output}: {error}")
    return run_main_job(_job(loaded, "failures", failures))


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
    if status == DONE or (status == LEFT and not _is_deferred(output)):
        Path(spooled).unlink()
        Path(spooled).parent.rmdir()
    return status


def _is_deferred(output: str) -> bool:
    """Return whether failures of the last run wait for a higher --max_calls or --max_cost."""
    latest = max(read_summaries(output), key=attrgetter("finished_at_us"))
    return latest.deferred > 0


def _job(
    loaded: Loaded[BackfillSettings] | Loaded[ReplaySettings], flag: str, patterns: tuple[str, ...]
) -> BoundedJob:
    """Derive a job from its settings; `patterns` are the values of `flag`."""
    job, problems = loaded.settings.job, loaded.problems
    replays = isinstance(loaded.settings, ReplaySettings)
    beam_options = read_beam_options(loaded, job)
    is_local = is_on_this_machine(beam_options)
    workers = worker_count(beam_options, job, problems)
    if not is_local:
        problems += _local_flags(job)
    inputs = find_inputs(flag, patterns, problems)
    destination = _destination(job, patterns, problems, replays=replays)
    loaded.raise_problems()
    work_folder = (job.local.work_folder or default_work_folder(destination)) if is_local else None
    config = job_config(
        job,
        run=destination.run,
        inputs=inputs,
        source=default_run_id(patterns),
        replays=replays,
        salvage=loaded.settings.archives.salvage,
        workers=workers,
        work_folder=work_folder,
        reply_folder=work_folder,
    )
    return BoundedJob(
        config=config,
        options=beam_options,
        processes=workers,
        price_per_1k_chars=job.costs.price_per_1k_chars,
        must_resume=job.local.resume,
        forget_replies=job.local.forget_replies,
    )


def _destination(
    job: JobSettings, patterns: tuple[str, ...], problems: list[str], *, replays: bool
) -> Destination:
    """Name the run, and check that its output can be written."""
    run_id = job.output.run_id or default_run_id(patterns)
    destination = Destination(root=job.output.output, run=run_id)
    if destination.root:
        try_output(destination, problems)
        if replays and not job.output.run_id and not problems:
            return replace(destination, run=free_run_id(destination.root, run_id))
    return destination


def _local_flags(job: JobSettings) -> list[str]:
    """Refuse the flags that an engine cannot obey."""
    values = {
        "work_folder": job.local.work_folder,
        "resume": job.local.resume,
        "forget_replies": job.local.forget_replies,
        "max_calls": job.costs.max_calls,
        "max_cost": job.costs.max_cost,
    }
    refusal = "is only for a run on this machine, without --runner"
    return [f"--{name}: {refusal}" for name, value in values.items() if value]
