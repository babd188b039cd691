"""`groundwatch watch`: monitor answers as they come."""

import logging
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from launch.beam_flags import names_runner, read_job_flags
from launch.command_help import wants_help, write_help
from launch.dataflow.streaming import start_streaming
from launch.flags import UsageError, read_all_flags
from launch.inputs.paths import default_run_id_of, default_work_folder, try_output
from launch.local.work_folder import FolderInUse
from launch.logs.beam_log import keep_beam_quiet
from launch.logs.json_log import log_as_json
from launch.pubsub.errors import Refused
from launch.start import BEAM_HELP
from launch.terminal.exit_status import DONE, FAILED, fail
from launch.watch.alerts.canary import validate_canary
from launch.watch.demo import watch_demo
from launch.watch.durable.ownership import OwnershipLost
from launch.watch.reporter import LogReporter, Reporter, TerminalReporter
from launch.watch.run_worker import run_worker
from launch.watch.settings import WatchSettings
from pipeline import check_options, options
from pipeline.check_config import google_account
from pipeline.config import Config, config_from
from pipeline.option import Option, location
from pipeline.sinks.destination import Destination
from pipeline.watch_options import (
    CANARY,
    HEALTH_ADDRESS,
    MAX_ANSWER_ATTEMPTS,
    NO_DATA,
    SUBSCRIPTION,
    WATCH,
    silence_rule_from,
)
from schemas.quantities import MEGABYTE
from transforms.grounding.errors import CheckFailed
from transforms.grounding.settings import OutagePolicy

_log = logging.getLogger(__name__)
_NEVER_S = 1e9

_NOT_HERE = {
    "resume": False,
    "forget_replies": False,
    "workers": None,
    "segment_messages": 1,
    "salvage": False,
    "max_calls": None,
    "max_cost": None,
    "max_attempts": 1,
    "retry_timeout_s": _NEVER_S,
    "give_up_after_s": _NEVER_S,
}
"""What a backfill is told and a worker is not."""


_DEMO = Option(
    name="demo",
    meaning="show it live: a Pub/Sub server of its own, the sample answers, no cloud",
    is_switch=True,
    default=False,
)
_DEMO_OUTPUT = Option(
    name="output", meaning="output folder", read=location, default="out/watch-demo"
)


def watch_options() -> tuple[Option, ...]:
    """All flags of the command."""
    known = (
        SUBSCRIPTION,
        _DEMO,
        *options.FORMAT,
        options.SAMPLE,
        *options.OUTPUT,
        *options.LOCAL,
        *WATCH,
        *NO_DATA,
        *CANARY,
        HEALTH_ADDRESS,
        MAX_ANSWER_ATTEMPTS,
        *check_options.CHECK,
        *options.VERDICTS,
        *options.ALERTS,
    )
    return tuple(option for option in known if option.name not in _NOT_HERE)


def run(arguments: Sequence[str]) -> int:
    """Monitor a subscription until SIGTERM or SIGINT, or have Dataflow do it.

    Returns:
      0 drained or started elsewhere, 1 failed.

    Raises:
      UsageError: the flags make no sense.
    """
    if names_runner(arguments):
        return start_streaming(arguments)
    known = watch_options()
    if wants_help(arguments):
        return write_help("watch", known, BEAM_HELP)
    if "--demo" in arguments:
        return _demo(arguments)
    values, beam_options, problems = read_job_flags(arguments, known, _NOT_HERE)
    run_id = values["run_id"] or default_run_id_of(values["subscription"])
    destination = Destination(root=values["output"] or "", run=run_id)
    _try_files(values, destination, problems)
    if problems:
        raise UsageError(problems)
    reporter = _reporter()
    keep_beam_quiet()
    work_folder = values["work_folder"] or default_work_folder(destination)
    try:
        summary = run_worker(
            _config(values, run_id, work_folder),
            _settings(values),
            beam_options,
            values["price_per_1k_chars"],
            reporter=reporter,
        )
    except (CheckFailed, Refused, FolderInUse, OwnershipLost, OSError) as error:
        _log.critical("the monitoring failed: %s", error)
        return FAILED
    if not summary.closes:
        _log.critical("the counts do not close: %d messages were read", summary.read)
        return FAILED
    return DONE


def _try_files(values: Mapping[str, Any], destination: Destination, problems: list[str]) -> None:
    if values["output"]:
        try_output(destination, problems)
    if values["canary"]:
        form = {name: values[name] for name in ("input_format", "facts_from_steps")}
        validate_canary(values["canary"], problems, **form)


def _reporter() -> Reporter:
    """Write for a person on a terminal, and JSON everywhere else."""
    if sys.stderr.isatty():
        return TerminalReporter(sys.stderr)
    log_as_json()
    return LogReporter()


def _demo(arguments: Sequence[str]) -> int:
    values, problems = read_all_flags(arguments, (_DEMO, _DEMO_OUTPUT))
    destination = Destination(root=values["output"], run="watch-demo")
    try_output(destination, problems)
    if problems:
        raise UsageError(problems)
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


def _config(values: Mapping[str, Any], run_id: str, work_folder: str) -> Config:
    config = config_from(
        values,
        inputs=(),
        run=run_id,
        work_folder=work_folder,
        workers=1,
        replays=False,
    )
    # A reply that was paid for stands in its record before its message is acknowledged.
    attempts = values[MAX_ANSWER_ATTEMPTS.name]
    retries = replace(config.check.retries, max_answer_attempts=attempts)
    check = replace(config.check, reply_store=None, outage=OutagePolicy.HOLD, retries=retries)
    return replace(config, check=check)


def _settings(values: Mapping[str, Any]) -> WatchSettings:
    return WatchSettings(
        subscription=values["subscription"],
        alert_topic=values["alert_topic"],
        failure_topic=values["failure_topic"],
        pubsub_address=values["pubsub_address"],
        account=google_account(values),
        ordering=values["alert_ordering"],
        batch_messages=values["batch_messages"],
        held_messages=values["held_messages"],
        held_bytes=values["held_mb"] * MEGABYTE,
        file_age_s=values["file_age_s"],
        dedupe_h=values["dedupe_h"],
        drain_s=values["drain_s"],
        silence=silence_rule_from(values),
        health_address=values["health_address"],
        canary=values["canary"],
        canary_every_s=values["canary_every_s"],
    )
