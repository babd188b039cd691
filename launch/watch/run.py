"""Run the worker until SIGTERM or SIGINT."""

import logging
import sys

from launch.inputs.paths import default_run_id_of, default_work_folder, try_output
from launch.job.beam_options import read_beam_options
from launch.local.work_folder import FolderInUse
from launch.logs.json_log import keep_beam_quiet, log_as_json
from launch.pubsub.errors import Refused
from launch.terminal.exit_status import DONE, FAILED
from launch.watch.alerts.canary import validate_canary
from launch.watch.durable.ownership import OwnershipLost
from launch.watch.reporter import LogReporter, TerminalReporter
from launch.watch.run_worker import run_worker
from pipeline.settings.commands import WatchSettings
from pipeline.settings.config import job_config
from pipeline.settings.load import Loaded
from pipeline.sinks.destination import Destination
from transforms.grounding.errors import CheckFailed
from transforms.grounding.settings import OutagePolicy

_log = logging.getLogger(__name__)


def watch_subscription(loaded: Loaded[WatchSettings]) -> int:
    """Check the answers of a subscription until SIGTERM or SIGINT; return the exit status.

    Raises:
      UsageError: the settings have problems, or a file is not there.
    """
    settings, problems = loaded.settings, loaded.problems
    job = settings.job
    beam_options = read_beam_options(loaded, job)
    run_id = job.output.run_id or default_run_id_of(settings.pubsub.subscription)
    destination = Destination(root=job.output.output, run=run_id)
    if destination.root:
        try_output(destination, problems)
    if settings.worker.canary:
        validate_canary(settings.worker.canary, problems, job.format)
    loaded.raise_problems()
    reporter = LogReporter()
    if sys.stderr.isatty():
        reporter = TerminalReporter(sys.stderr)
    else:
        log_as_json()
    keep_beam_quiet()
    config = job_config(
        job,
        run=run_id,
        work_folder=job.local.work_folder or default_work_folder(destination),
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
