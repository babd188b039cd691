"""Run a bounded job with its progress, its summary and its exit status."""

import sys
import traceback

from launch.job.bounded_job import BoundedJob
from launch.job.remote_run import JobFailed, run_remotely
from launch.local.local_pipeline import cause_of
from launch.local.local_run import NothingToResume, run_locally
from launch.local.segments import ProcessDied
from launch.local.work_folder import FolderInUse
from launch.logs.json_log import keep_beam_quiet
from launch.report.run import write_report
from launch.report.terminal_summary import show_summary
from launch.terminal.exit_status import DONE, LEFT, fail
from launch.terminal.unreadable_input import fail_unreadable, fail_with, first_failures
from pipeline.settings.config import Config
from pipeline.sinks.summary_file import OtherSource
from pipeline.sources.compression import DamagedArchive
from pipeline.storage.output_lock import LockLost, LockTaken
from schemas.summary import Summary
from transforms.grounding.errors import CheckFailed

_EXPECTED = (
    *(CheckFailed, OSError, JobFailed, ProcessDied),
    *(FolderInUse, LockLost, LockTaken, NothingToResume, OtherSource),
)


def run_main_job(job: BoundedJob) -> int:
    """Run a job, and print its progress and its summary.

    Returns:
      The exit status: 0 done; 1 the run failed, its counts do not add up, or nothing could be read;
      3 done, but retryable failures, or messages beyond a limit, are left.
    """
    keep_beam_quiet()
    config = job.config
    try:
        summary = run_locally(job) if config.work_folder else run_remotely(job)
    except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - each is printed
        return fail(f"the run failed: {_reason(cause_of(error))}")
    show_summary(config, summary, _report(config))
    return _exit_status(config, summary)


def _report(config: Config) -> str | None:
    """Write the report; the run succeeds without it."""
    try:
        return write_report(config.output)
    except OSError as error:
        sys.stderr.write(f"groundwatch: cannot write the report: {error}\n")
        return None


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
    """Say why a run failed, in a sentence for a person."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; give the same command again to finish it"
    if isinstance(error, _EXPECTED):
        return str(error)
    # A defect; its message could hold an answer's text.
    sys.stderr.writelines(traceback.format_tb(error.__traceback__))
    return f"a defect: {type(error).__name__}; please report the lines above"
