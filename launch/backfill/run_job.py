"""Run a job that ends, print its summary, and write its report."""

import shlex
import sys
import traceback

from groundwatch.launch.cli.archive_messages import first_messages
from groundwatch.launch.cli.json_log import keep_beam_quiet
from groundwatch.launch.cli.terminal.exit_status import DONE, LEFT, USAGE, fail, gate
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.cli.terminal.unreadable_input import (
    fail_unreadable,
    fail_with,
    first_failures,
)
from groundwatch.launch.engine.engine_database import OtherVersion
from groundwatch.launch.results.report.counts.tally import Tally
from groundwatch.launch.results.report.terminal_summary import show_summary
from groundwatch.launch.results.report.write_report import is_outdated, write_report
from groundwatch.pipeline.errors import RunFailed
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.settings.job import JobSettings
from groundwatch.pipeline.sources.compression import DamagedArchive
from groundwatch.schemas.quantities import to_rfc3339
from groundwatch.schemas.summary import Summary
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.formats.parser import unfound_paths
from groundwatch.transforms.grounding.errors import CheckFailed
from groundwatch.transforms.runtime.errors import InvalidEnvironment
from .remote_run import run_remotely
from .run_backfill import local_run
from .same_run import EndedRun, WouldReplace

_EXPECTED = (CheckFailed, OSError, RunFailed)


def run_job(config: Config, processes: int | None, job: JobSettings) -> int:
    """Run a job where it is placed; return the exit status."""
    keep_beam_quiet()
    for pair in unfound_paths(first_messages(config), config.parsing):
        sys.stderr.write(
            f"groundwatch: --map {shlex.quote(pair)}: nothing is there in the first messages of the"
            " input (groundwatch inspect shows the fields)\n"
        )
    try:
        if config.work_folder:
            with local_run(config, processes, job.local) as ended:
                report = _write_report(config, job, ended)
        else:
            ended = run_remotely(config, again=job.local.again)
            report = _write_report(config, job, ended)
    except InvalidEnvironment:
        raise
    except (KeyboardInterrupt, Exception) as error:  # noqa: BLE001 - each is printed
        if isinstance(error, OtherVersion | WouldReplace):
            return fail(str(error), USAGE)
        return fail(f"the run failed: {_reason(error)}")
    summary = ended.summary
    if ended.is_earlier:
        sentence = f"this run finished at {to_rfc3339(summary.finished_at_us)}"
        hint = "" if config.replays else "; --again runs it again"
        sys.stderr.write(f"groundwatch: {sentence}: nothing was checked or written{hint}\n")
    elif config.replays and summary.duplicates:
        sentence = f"{counted(summary.duplicates, 'answer')} had been resolved, or came twice"
        sys.stderr.write(f"groundwatch: {sentence}: not checked again\n")
    show_summary(config, summary, *report)
    status = _exit_status(config, summary)
    if status in {DONE, LEFT}:
        unread = summary.failures - summary.retryable_failures
        return gate(summary.verdicts, job.local.fail_above, unread) or status
    return status


def _write_report(
    config: Config, job: JobSettings, ended: EndedRun
) -> tuple[str, Tally] | tuple[()]:
    try:
        if ended.is_earlier and not is_outdated(config.output):
            return ()
        return write_report(config.output, job.alerts.record_url)
    except OSError as error:
        sys.stderr.write(f"groundwatch: cannot write the report: {error}\n")
        return ()


def _exit_status(config: Config, summary: Summary) -> int:
    if not summary.closes:
        return fail(f"the run failed: the counts do not add up: {summary.read} messages were read")
    if summary.damaged_archives:
        sentence = f"the run failed: damaged archives: {summary.damaged_archives}"
        damage = first_failures(config.destination, summary.name, DamagedArchive.__name__)
        return fail_with(sentence, damage)
    if not summary.deferred:
        others = summary.read - summary.unreadable
        # Others have resolved all failures of a replay that was stopped before the first.
        is_unread = not summary.read and bool(summary.planned and summary.planned.messages)
        if not others and not is_unread:
            return fail_unreadable(first_failures(config.destination, summary.name), config.inputs)
        if summary.unreadable > others == summary.verdicts[Verdict.UNSCORABLE]:
            sentence = (
                f"{summary.unreadable:,} of {counted(summary.read, 'message')} could not be read,"
                " and none of the others could be scored"
            )
            return fail_with(sentence, first_failures(config.destination, summary.name))
    is_left = summary.retryable_failures or summary.deferred or summary.over_budget
    return LEFT if is_left else DONE


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted; give the same command again to finish it"
    if isinstance(error, _EXPECTED):
        return str(error)
    # A defect; its message could hold an answer's text.
    sys.stderr.writelines(traceback.format_tb(error.__traceback__))
    return f"a defect: {type(error).__name__}; please report the lines above"
