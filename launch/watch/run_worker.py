"""Run the worker until SIGTERM or SIGINT."""

import logging
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from types import FrameType

from groundwatch.launch.cli.commands.watch import WatchSettings
from groundwatch.launch.cli.json_log import keep_beam_quiet, log_as_json
from groundwatch.launch.cli.terminal.exit_status import DONE, FAILED, LEFT, USAGE, fail
from groundwatch.launch.engine.engine_database import OtherVersion, folder_held
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.pubsub.outstanding import PullSettings
from groundwatch.launch.engine.pubsub.pubsub_errors import Refused
from groundwatch.launch.engine.pubsub.subscription import Subscription, find_missing_subscription
from groundwatch.launch.targets.target import TargetMisconfigured, collecting_problems
from groundwatch.pipeline.errors import LockFailed
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.summary_file import write_summary
from groundwatch.pipeline.storage import TargetExists
from groundwatch.schemas.summary import Summary
from groundwatch.transforms.grounding.errors import CheckFailed, Unavailable
from groundwatch.transforms.grounding.try_connection import try_connection
from groundwatch.transforms.persistence.database import DamagedDatabase
from groundwatch.transforms.runtime.signals import STOP_SIGNALS, written_beside
from .destinations import open_topic
from .open_worker import open_journal, open_worker
from .owned_paths import OwnershipLost
from .reporter import LogReporter, TerminalReporter
from .worker import Worker

# Of the subscription, the tools and the summary, when the topics were tried for the last time.
_CLOSE_ALL_WITHIN_S = 10.0
_WORKING = "working"
"""The note that a worker has begun, and has not returned the messages that it has."""

_log = logging.getLogger(__name__)


def watch(config: Config, settings: WatchSettings) -> int:
    """Monitor a subscription from a terminal, or as a service; return the exit status."""
    reporter = TerminalReporter(sys.stderr) if sys.stderr.isatty() else LogReporter()
    if not sys.stderr.isatty():
        log_as_json()
    keep_beam_quiet()
    try:
        try_connection(config.check)
    except Unavailable as error:
        _log.warning("%s; messages wait until it replies", error)
    try:
        _try_pubsub(settings)
    except TargetMisconfigured as error:
        return fail(str(error), USAGE)
    try:
        summary = run_worker(config, settings, reporter=reporter)
    except OtherVersion as error:
        return fail(str(error), USAGE)
    except (CheckFailed, Refused, LockFailed, OwnershipLost, OSError) as error:
        _log.critical("the worker failed: %s", error)
        return FAILED
    if sys.stderr.isatty():
        output = shlex.quote(config.output)
        sys.stderr.write(f"groundwatch report {output} makes a page of these answers.\n")
    if not summary.closes:
        _log.critical("the counts do not add up: %d messages were read", summary.read)
        return FAILED
    if rows := summary.undelivered:
        listed = ", ".join(f"{name} {count:,}" for name, count in rows.items())
        sentence = "not delivered, but kept in %s: %s; start the worker again with this folder"
        _log.critical(sentence, config.work_folder, listed)
        return LEFT
    return DONE


def _try_pubsub(settings: WatchSettings) -> None:
    """Raise `TargetMisconfigured` for what is missing; a topic deleted later is tried again."""
    problems: list[str] = []
    if name := settings.source.subscription:
        missing = find_missing_subscription(
            name, address=settings.server.pubsub_address, account=settings.job.checker.account
        )
        if missing:
            problems.append(f"--subscription: {missing}")
    for flag in ("alert_topic", "failure_topic", "enriched_topic"):
        name = getattr(settings.pubsub, flag)
        if name:
            lacking = collecting_problems(problems, f"--{flag}: ")
            with lacking, closing(open_topic(name, settings)) as topic:
                topic.try_access()
    if problems:
        raise TargetMisconfigured("; ".join(problems))


def run_worker(
    config: Config,
    settings: WatchSettings,
    *,
    reporter: LogReporter,
    subscription: Subscription | None = None,
    stop: threading.Event | None = None,
) -> Summary:
    """Monitor a subscription, by default of Pub/Sub, until a signal or `stop`; then drain.

    The returned counts are those since the output was first written to.

    Raises:
      CheckFailed, LockFailed, OSError, Refused: a person has to change something first.
      OwnershipLost, TargetExists: another process deleted, replaced or wrote the worker's files.
    """
    stopping = stop or threading.Event()
    # The limit covers everything, closing the subscription and the summary included.
    with (
        _signals(settings.worker.drain_s, stopping) as drain_left_s,
        folder_held(str(config.work_folder)),
        closing(open_journal(config, settings)) as journal,
    ):
        journal.database.assign_run(config.run)
        if journal.database.note(_WORKING, bool):
            _log.warning(
                "the worker before this one was killed: %s", _describe_unfinished(settings, journal)
            )
        journal.database.keep_note(_WORKING, True)
        with (
            _returned(journal),
            open_worker(
                config,
                settings,
                journal,
                subscription=subscription,
                reporter=reporter,
                is_draining=stopping.is_set,
            ) as worker,
        ):
            reporter.report_start(settings.source.name, config.output, config.check.names)
            _run(worker, stopping, drain_left_s)
        summary = worker.summarize(journal)
        try:
            write_summary(config.destination, summary)
        except OSError as error:
            # With rows that wait, the next worker writes it, too.
            if not summary.undelivered:
                raise
            _log.error("%s", error)
        reporter.report_end(summary)
        return summary


def _describe_unfinished(settings: WatchSettings, journal: Journal) -> str:
    """Say where the messages are that a killed worker has not finished."""
    places = []
    if settings.source.subscription:
        places.append(f"Pub/Sub delivers its messages again within {PullSettings().lease_s:.0f} s")
    if (posted := journal.posted_messages()) or not places:
        places.append(f"{posted:,} posted messages are in the work folder")
    return "; ".join(places)


@contextmanager
def _returned(journal: Journal) -> Iterator[None]:
    """Note at the end of a `with` block that no message is leased any more, if it can be noted."""
    try:
        yield
    finally:
        with suppress(OSError):
            journal.database.keep_note(_WORKING, False)


def _run(worker: Worker, stop: threading.Event, drain_left_s: Callable[[], float]) -> None:
    """Run a worker to its end, and publish what is durable unless its files are not its own."""
    try:
        worker.run(stop)
    except (OwnershipLost, TargetExists, DamagedDatabase):
        raise
    except Exception:
        worker.finish()
        raise
    worker.finish(drain_left_s() - _CLOSE_ALL_WITHIN_S)


@contextmanager
def _signals(drain_s: float, stop: threading.Event) -> Iterator[Callable[[], float]]:
    """Drain on a signal while a `with` block lasts; exit at once on a second one.

    A signal that this process ignores since its start is still ignored: under `nohup`, or behind a
    shell's `&`. What it yields returns the seconds that are left to drain.
    """
    limit = threading.Timer(drain_s, _exit)
    limit.daemon = True
    until_s: list[float] = []

    with written_beside(partial(_log.warning, "draining: finishing the current batch")) as announce:

        def drain(number: int, _: FrameType | None) -> None:
            if stop.is_set():
                os._exit(128 + number)
            stop.set()
            until_s.append(time.monotonic() + drain_s)
            limit.start()
            announce()

        handled = (
            number for number in STOP_SIGNALS if signal.getsignal(number) is not signal.SIG_IGN
        )
        earlier = {number: signal.signal(number, drain) for number in handled}
        try:
            yield lambda: until_s[0] - time.monotonic() if until_s else drain_s
        finally:
            limit.cancel()
            for number, handler in earlier.items():
                signal.signal(number, handler)


def _exit() -> None:
    """Exit without draining: messages that are not acknowledged are delivered again."""
    _log.critical("could not drain in time; nothing is lost: start the worker again")
    os._exit(1)
