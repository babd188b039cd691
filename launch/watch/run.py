"""Run the worker until SIGTERM or SIGINT, or show it on sample answers."""

import logging
import sys

from launch.inputs.paths import default_run_id_of, default_work_folder, try_output
from launch.job.beam_options import read_beam_options
from launch.local.work_folder import FolderInUse
from launch.logs.json_log import keep_beam_quiet, log_as_json
from launch.pubsub.errors import Refused
from launch.terminal.exit_status import DONE, FAILED, fail
from launch.watch.alerts.canary import validate_canary
from launch.watch.demo import watch_demo
from launch.watch.durable.ownership import OwnershipLost
from launch.watch.reporter import LogReporter, Reporter, TerminalReporter
from launch.watch.run_worker import run_worker
from pipeline.settings.commands import WatchDemoSettings, WatchSettings
from pipeline.settings.config import Config, job_config
from pipeline.settings.load import Loaded
from pipeline.sinks.destination import Destination
from transforms.grounding.errors import CheckFailed
from transforms.grounding.settings import OutagePolicy

_log = logging.getLogger(__name__)


def watch_subscription(loaded: Loaded[WatchSettings]) -> int:
    """Check the answers of a subscription until SIGTERM or SIGINT.

    Returns:
      0 drained, 1 failed.

    Raises:
      UsageError: the settings have problems, or a file is not there.
    """
    settings, problems = loaded.settings, loaded.problems
    beam_options = read_beam_options(loaded, settings.job)
    run_id = settings.job.output.run_id or default_run_id_of(settings.pubsub.subscription)
    destination = Destination(root=settings.job.output.output, run=run_id)
    if destination.root:
        try_output(destination, problems)
    if settings.worker.canary:
        validate_canary(
            settings.worker.canary,
            problems,
            input_format=settings.job.format.input_format,
            facts_from_steps=settings.job.format.facts_from_steps,
        )
    loaded.raise_problems()
    reporter = _reporter()
    keep_beam_quiet()
    config = job_config(
        settings.job,
        run=run_id,
        work_folder=settings.job.local.work_folder or default_work_folder(destination),
        # The journal keeps each reply with its record before the message is acknowledged.
        reply_folder=None,
        retries=settings.worker.retries,
        outage=OutagePolicy.HOLD,
    )
    try:
        summary = run_worker(config, settings, beam_options, reporter=reporter)
    except (CheckFailed, Refused, FolderInUse, OwnershipLost, OSError) as error:
        _log.critical("the worker failed: %s", error)
        return FAILED
    if not summary.closes:
        _log.critical("the counts do not add up: %d messages were read", summary.read)
        return FAILED
    return DONE


def demo(loaded: Loaded[WatchDemoSettings]) -> int:
    """Check the sample answers, without a cloud.

    Returns:
      0 done, 1 failed.

    Raises:
      UsageError: the settings have problems, or the output cannot be written.
    """
    destination = Destination(root=loaded.settings.watch_demo_output, run="watch-demo")
    try_output(destination, loaded.problems)
    loaded.raise_problems()
    keep_beam_quiet()
    config = Config(
        inputs=(),
        output=destination.root,
        run=destination.run,
        work_folder=default_work_folder(destination),
    )
    try:
        summary = watch_demo(config)
    except (FolderInUse, OSError) as error:
        return fail(f"the demo failed: {error}")
    sys.stdout.write(f"The records are in {destination.root}.\n")
    return DONE if summary.closes else FAILED


def _reporter() -> Reporter:
    """Write text to a terminal, and JSON to anything else."""
    if sys.stderr.isatty():
        return TerminalReporter(sys.stderr)
    log_as_json()
    return LogReporter()
