"""Start a bounded job: a backfill, or a replay of failures in files or in a subscription."""

import sys
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path

from msgspec.structs import replace

from launch.inputs.paths import (
    default_run_id,
    default_run_id_of,
    default_work_folder,
    find_inputs,
    try_output,
)
from launch.job.beam_options import is_on_this_machine, read_beam_options, worker_count
from launch.job.main_job import run_main_job
from launch.local.resolved_failures import finish_moves, free_run_id
from launch.pubsub.errors import Refused
from launch.pubsub.failure_spool import spool_failures
from launch.terminal.exit_status import DONE, LEFT, fail
from pipeline.settings.commands import BackfillSettings, ReplaySettings
from pipeline.settings.config import job_config
from pipeline.settings.definition import S
from pipeline.settings.job import JobSettings
from pipeline.settings.load import Loaded
from pipeline.sinks.destination import Destination
from pipeline.sinks.summary_file import read_summaries
from transforms.grounding.errors import CheckFailed


def backfill(loaded: Loaded[BackfillSettings], run: Callable[..., int] = run_main_job) -> int:
    """Check an archive.

    Args:
      loaded: the command line.
      run: runs the job, or submits it; takes what `run_main_job` does.

    Returns:
      0 done, 1 failed, 3 done with failures left for a replay.

    Raises:
      UsageError: the settings have problems, or the input or output is not there.
    """
    settings = loaded.settings
    return _start(
        loaded,
        settings.job,
        "input",
        settings.input.input,
        salvage=settings.archives.salvage,
        run=run,
    )


def replay(loaded: Loaded[ReplaySettings]) -> int:
    """Check failures of an earlier run again.

    Returns:
      0 done, 1 failed, 3 done with failures left for a replay.

    Raises:
      UsageError: the settings have problems, or the input or output is not there.
    """
    settings = loaded.settings
    if settings.failures.failure_subscription:
        return _replay_subscription(loaded, settings.failures.failure_subscription)
    return _replay_files(loaded, settings.failures.failures)


def _replay_files(loaded: Loaded[ReplaySettings], failures: tuple[str, ...]) -> int:
    settings = loaded.settings
    if settings.job.output.output:
        _finish_earlier_replays(settings.job.output.output, loaded.problems)
    return _start(
        loaded,
        settings.job,
        "failures",
        failures,
        salvage=settings.archives.salvage,
        replays=True,
    )


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
    if status == DONE or (status == LEFT and not _left_by_a_limit(destination)):
        Path(spooled).unlink()
        Path(spooled).parent.rmdir()
    return status


def _left_by_a_limit(destination: Destination) -> int:
    """Count the failures of the last run that wait for a higher --max_calls or --max_cost."""
    latest = max(read_summaries(destination.root), key=attrgetter("finished_at_us"))
    return latest.deferred


def _start(
    loaded: Loaded[S],
    job: JobSettings,
    flag: str,
    patterns: tuple[str, ...],
    *,
    salvage: bool,
    replays: bool = False,
    run: Callable[..., int] = run_main_job,
) -> int:
    problems = loaded.problems
    beam_options = read_beam_options(loaded, job)
    is_local = is_on_this_machine(beam_options)
    workers = worker_count(beam_options, job, problems)
    problems += _remote_problems(job) if not is_local else ()
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
        salvage=salvage,
        workers=workers,
        work_folder=work_folder,
        reply_folder=work_folder,
    )
    return run(
        config,
        beam_options,
        job.costs.price_per_1k_chars,
        workers,
        must_resume=job.local.resume,
        forget_replies=job.local.forget_replies,
    )


def _finish_earlier_replays(output: str, problems: list[str]) -> None:
    try:
        finish_moves(output)
    except OSError as error:
        problems.append(f"--output {output}: {error}")


def _destination(
    job: JobSettings, patterns: tuple[str, ...], problems: list[str], *, replays: bool
) -> Destination:
    """Name the run, and check that its output can be written."""
    run_id = job.output.run_id or default_run_id(patterns)
    destination = Destination(root=job.output.output, run=run_id)
    if not destination.root:
        return destination
    try_output(destination, problems)
    if replays and not job.output.run_id and not problems:
        return replace(destination, run=free_run_id(destination.root, run_id))
    return destination


def _remote_problems(job: JobSettings) -> Iterator[str]:
    local_only = {
        "work_folder": job.local.work_folder,
        "resume": job.local.resume,
        "forget_replies": job.local.forget_replies,
        "max_calls": job.costs.max_calls,
        "max_cost": job.costs.max_cost,
    }
    for name, value in local_only.items():
        if value:
            yield f"--{name}: is only for a run on this machine, without --runner"
