"""Build the worker from its settings, run it until a signal, and drain it."""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from types import FrameType
from typing import Any

from apache_beam.options.pipeline_options import PipelineOptions
from msgspec.structs import replace

from launch.local.local_pipeline import LocalPipeline
from launch.local.run_summary import summary_of
from launch.local.work_folder import WorkFolder
from launch.pubsub.outstanding import PullSettings
from launch.pubsub.subscription import PubSubSubscription, Subscription
from launch.pubsub.topic import PublishSettings, Topic
from launch.watch.alerts.canary import Canary
from launch.watch.alerts.monitor import Monitor
from launch.watch.alerts.outbox import OutboxPublisher, alert_message
from launch.watch.batch_size import BatchSize
from launch.watch.durable.batch_folders import BatchFolders
from launch.watch.durable.batches import Batches
from launch.watch.durable.final_files import FinalFiles
from launch.watch.durable.journal import Journal
from launch.watch.durable.ownership import OwnedPaths, OwnershipLost
from launch.watch.durable.published_ids import PublishedIds
from launch.watch.durable.publisher import FilePublisher
from launch.watch.health.health import Health
from launch.watch.health.metrics import Metrics
from launch.watch.health.status_server import StatusServer
from launch.watch.reporter import LogReporter
from launch.watch.retry_queue import RetryQueue
from launch.watch.worker import Worker
from pipeline import storage
from pipeline.settings.commands import WatchSettings
from pipeline.settings.config import Config
from pipeline.sinks.sink import WorkerSink
from pipeline.sinks.summary_file import write_summary
from pipeline.storage import TargetExists
from schemas.alert import Alert
from schemas.failure import Failure
from schemas.summary import Summary
from transforms.check_grounding import checks_open
from transforms.deduplicate import seen_ids_open
from transforms.persistence.private_files import make_folder
from transforms.persistence.seen_ids import SeenIds
from transforms.rules.topic_messages import encode_failure
from transforms.runtime import clock

_STOPS = (signal.SIGTERM, signal.SIGINT)
_FAST = PublishSettings(call_timeout_s=3.0, total_s=3.0)
"""The batches wait while alerts are published; alerts that fail are kept."""

_CLOSE_WITHIN_S = 5.0
_log = logging.getLogger(__name__)


def run_worker(
    config: Config,
    settings: WatchSettings,
    options: PipelineOptions,
    *,
    reporter: LogReporter,
    subscription: Subscription | None = None,
    stop: threading.Event | None = None,
) -> Summary:
    """Monitor a subscription until SIGTERM, SIGINT or the event `stop`, then drain.

    Without a `subscription`, messages are pulled from Pub/Sub.

    Returns:
      The counts since the output was first written to, as they stand in `summary.json`.

    Raises:
      FolderInUse: another worker uses the same work folder.
      Misconfigured, Refused: a person has to change something first.
      OwnershipLost: the journal or the output folder was deleted or replaced.
      OSError: the work folder cannot be used, or another process wrote a file with a name of this
        worker's.
    """
    started_at_us = clock.now_us()
    stopping = stop or threading.Event()
    # The limit covers everything, closing the subscription and the summary included.
    with (
        _signals(settings.worker.drain_s, stopping),
        WorkFolder(str(config.work_folder)).held(),
        closing(Journal(_journal_path(config))) as journal,
    ):
        journal.assign_run(config.run)
        with open_worker(
            config, settings, options, journal, subscription=subscription, reporter=reporter
        ) as worker:
            reporter.report_start(
                settings.pubsub.subscription, config.output, config.check.checker_name
            )
            _run(worker, stopping)
        summary = _summarise(config, settings, journal, started_at_us)
        reporter.report_end(summary)
        return summary


def _run(worker: Worker, stop: threading.Event) -> None:
    """Run a worker to its end, and publish what is durable unless its files are not its own."""
    try:
        worker.run(stop)
    except (OwnershipLost, TargetExists):
        raise
    except Exception:
        worker.finish()
        raise
    worker.finish()


def _summarise(
    config: Config, settings: WatchSettings, journal: Journal, started_at_us: int
) -> Summary:
    hours = journal.ledger()
    rows = {
        "enriched": sum(hour.enriched for hour in hours),
        "failures": sum(hour.failures for hour in hours),
        "alerts": journal.alerts_raised(),
    }
    summary = summary_of(
        config,
        journal.totals(),
        rows,
        started_at_us=started_at_us,
        price_per_1k_chars=settings.job.costs.price_per_1k_chars,
    )
    own = replace(
        summary,
        journal=journal.identity,
        unpublished=journal.unpublished().rows,
        set_aside=sum(part.rows for part in journal.parts_set_aside()),
    )
    return write_summary(config.destination, own)


def _journal_path(config: Config) -> str:
    return f"{config.work_folder}/journal.sqlite"


@contextmanager
def open_worker(
    config: Config,
    settings: WatchSettings,
    options: PipelineOptions,
    journal: Journal,
    *,
    subscription: Subscription | None,
    reporter: LogReporter,
) -> Iterator[Worker]:
    """Build a worker, whose connections are open while a `with` block lasts."""
    limits = settings.worker
    with ExitStack() as opened:
        outboxes = list(_outboxes(config, settings, journal, opened))
        checks = opened.enter_context(checks_open(config.check))
        seen = opened.enter_context(seen_ids_open(str(config.seen_ids)))
        pipeline = LocalPipeline(config, options, WorkerSink)
        subscription = subscription or _subscription(settings)
        opened.callback(subscription.close, _CLOSE_WITHIN_S)
        folders = open_folders(config, journal)
        # A connection of its own: files are published on another thread.
        ids = PublishedIds(
            config.destination,
            journal.identity,
            SeenIds(str(config.seen_ids)),
            limits.dedupe_h * 3_600,
            time.time,
        )
        opened.enter_context(closing(ids))
        ids.import_new(journal.next_number())
        publisher = _publisher(config, settings, folders, ids)
        health = Health(subscription.stats, str(config.work_folder), publisher)
        per_minute = config.check.requests_per_minute
        per_s = None if per_minute is None else per_minute / 60
        worker = Worker(
            subscription=subscription,
            batches=Batches(pipeline, journal, folders, seen),
            journal=journal,
            publisher=publisher,
            outboxes=outboxes,
            monitor=Monitor(journal, config.rates, limits.no_data, clock.now_us()),
            canary=(
                Canary(config, options, journal, limits.canary, limits.canary_every_s)
                if limits.canary
                else None
            ),
            health=health,
            owned=opened.enter_context(closing(_owned(config, journal))),
            reporter=reporter,
            size=BatchSize(limits.batch_messages, config.check.max_in_flight, per_s),
            retry_queue=RetryQueue(checks.has_ended),
            settings=limits,
        )
        if limits.health_address:
            opened.enter_context(_status(config, limits.health_address, worker, health))
        yield worker


def _outboxes(
    config: Config, settings: WatchSettings, journal: Journal, opened: ExitStack
) -> Iterator[OutboxPublisher[Any]]:

    def open_topic(name: str) -> Topic:
        address, account = settings.server.pubsub_address, settings.job.checker.account
        return opened.enter_context(
            closing(Topic.open(name, _FAST, address=address, account=account))
        )

    if name := settings.pubsub.alert_topic:
        encode = partial(alert_message, ordering=settings.worker.alert_ordering)
        yield OutboxPublisher(journal, Alert, open_topic(name), encode)
    if name := settings.pubsub.failure_topic:
        message = partial(encode_failure, with_payload=config.failure_payload)
        yield OutboxPublisher(journal, Failure, open_topic(name), message)


def open_folders(config: Config, journal: Journal) -> BatchFolders:
    """Find the unpublished batches, and set aside the folders of other journals."""
    folders = BatchFolders(str(config.work_folder), journal.identity)
    waiting = [number for number, _ in journal.waiting_batches()]
    folders.set_aside_unknown(waiting)
    folders.remove_all_but(waiting)
    return folders


def _owned(config: Config, journal: Journal) -> OwnedPaths:
    paths = [journal.path]
    if storage.is_local(config.output):
        make_folder(config.output)
        paths.append(config.output)
    return OwnedPaths(paths)


def _publisher(
    config: Config, settings: WatchSettings, folders: BatchFolders, ids: PublishedIds
) -> FilePublisher:
    topics = {"alerts": settings.pubsub.alert_topic, "failures": settings.pubsub.failure_topic}
    files = FinalFiles(
        config, folders, ids, [kind for kind, topic in topics.items() if topic is None]
    )
    started_at_us = clock.now_us()

    def publish() -> int:
        # A connection of its own: this is done on another thread.
        with closing(Journal(_journal_path(config))) as journal:
            published = files.publish(journal)
            if published:
                _summarise(config, settings, journal, started_at_us)
            return published

    return FilePublisher(publish, folders.sizes, config.file_bytes, settings.pubsub.file_age_s)


@contextmanager
def _status(
    config: Config, address: tuple[str, int], worker: Worker, health: Health
) -> Iterator[None]:
    """Answer /healthz and /metrics while a `with` block lasts."""
    # A connection of its own: these pages are answered on other threads.
    with closing(Journal(_journal_path(config))) as journal:
        metrics = Metrics(worker, journal, lambda: not health.reasons())
        pages = {"/healthz": lambda _: health.page(), "/metrics": metrics.page}
        with StatusServer(*address, pages) as server:
            _log.info("%s answers /healthz and /metrics", server.address)
            yield


def _subscription(settings: WatchSettings) -> PubSubSubscription:
    pull = PullSettings(
        max_messages=settings.worker.max_outstanding_messages,
        max_bytes=settings.worker.max_outstanding_bytes,
    )
    return PubSubSubscription.open(
        settings.pubsub.subscription,
        pull,
        address=settings.server.pubsub_address,
        account=settings.job.checker.account,
    )


@contextmanager
def _signals(drain_s: float, stop: threading.Event) -> Iterator[None]:
    """Drain on SIGTERM and SIGINT while a `with` block lasts; exit at once on a second one."""
    limit = threading.Timer(drain_s, _exit)
    limit.daemon = True

    def drain(number: int, _: FrameType | None) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()
        limit.start()
        _log.warning("draining: finishing the current batch")

    earlier = {number: signal.signal(number, drain) for number in _STOPS}
    try:
        yield
    finally:
        limit.cancel()
        for number, handler in earlier.items():
            signal.signal(number, handler)


def _exit() -> None:
    """Exit without draining: messages that are not acknowledged are delivered again."""
    _log.critical("could not drain in time; nothing is lost: start the worker again")
    os._exit(1)
