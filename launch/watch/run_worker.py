"""Build the worker from its settings, run it until a signal, and drain it."""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from types import FrameType

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
from launch.watch.alerts.outbox import OutboxPublisher
from launch.watch.batch_size import BatchSize
from launch.watch.durable.batch_folders import BatchFolders
from launch.watch.durable.batches import Batches
from launch.watch.durable.final_files import FinalFiles
from launch.watch.durable.journal import Journal
from launch.watch.durable.ownership import OwnedPaths, OwnershipLost
from launch.watch.durable.published_ids import PublishedIds
from launch.watch.durable.publisher import FilePublisher
from launch.watch.health.health import Health, Heartbeat
from launch.watch.health.metrics import Metrics, WorkerStats
from launch.watch.health.status_server import StatusServer
from launch.watch.reporter import Reporter, Started
from launch.watch.retry_queue import PendingChecks
from launch.watch.worker import Worker
from pipeline import storage
from pipeline.settings.commands import WatchSettings
from pipeline.settings.config import Config
from pipeline.sinks.sink import WorkerSink
from pipeline.sinks.summary_file import write_summary
from pipeline.storage import TargetExists
from schemas.quantities import SECOND_US
from schemas.summary import Summary
from transforms.check_grounding import checks_open
from transforms.deduplicate import seen_ids_open
from transforms.grounding.settings import CheckSettings
from transforms.persistence.private_files import make_folder
from transforms.persistence.seen_ids import SeenIds
from transforms.runtime import clock

_STOPS = (signal.SIGTERM, signal.SIGINT)
_FAST = PublishSettings(call_timeout_s=3.0, total_s=3.0)
"""The batches wait while alerts are published; alerts that fail are kept."""

_CLOSE_WITHIN_S = 5.0
_BATCH_TARGET_S = 5.0
_log = logging.getLogger(__name__)


def run_worker(
    config: Config,
    settings: WatchSettings,
    options: PipelineOptions,
    *,
    subscription: Subscription | None = None,
    reporter: Reporter = Reporter(),  # noqa: B008 - it has no state
    stop: threading.Event | None = None,
) -> Summary:
    """Monitor a subscription until SIGTERM or SIGINT, then drain.

    Args:
      config: of the main job, with a work folder.
      settings: of the worker.
      options: Beam's own.
      subscription: where messages come from; None to pull from Pub/Sub.
      reporter: shows what the worker does.
      stop: ends it, too, when it is set.

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
        _signals(settings, stopping),
        WorkFolder(str(config.work_folder)).held(),
        closing(Journal(_journal_path(config))) as journal,
    ):
        journal.assign_run(config.run)
        price = settings.job.costs.price_per_1k_chars
        with _worker(
            config,
            settings,
            options,
            journal,
            subscription=subscription,
            price_per_1k_chars=price,
            reporter=reporter,
        ) as worker:
            reporter.report_start(
                Started(
                    subscription=settings.pubsub.subscription,
                    output=config.output,
                    checker=config.check.checker_name,
                )
            )
            _run(worker, stopping)
        summary = _summarise(config, journal, started_at_us, price)
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
    config: Config, journal: Journal, started_at_us: int, price_per_1k_chars: float | None
) -> Summary:
    """Write the summary of all that the journal holds."""
    accounts = journal.ledger()
    rows = {
        "enriched": sum(account.enriched for account in accounts),
        "failures": sum(account.failures for account in accounts),
        "alerts": journal.alerts_raised(),
    }
    summary = summary_of(
        config,
        journal.totals(),
        rows,
        started_at_us=started_at_us,
        price_per_1k_chars=price_per_1k_chars,
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
def _worker(
    config: Config,
    settings: WatchSettings,
    options: PipelineOptions,
    journal: Journal,
    *,
    subscription: Subscription | None = None,
    price_per_1k_chars: float | None = None,
    reporter: Reporter = Reporter(),  # noqa: B008 - it has no state
) -> Iterator[Worker]:
    with ExitStack() as opened:
        topics = [
            opened.enter_context(closing(_topic(name, settings))) if name else None
            for name in (settings.pubsub.alert_topic, settings.pubsub.failure_topic)
        ]
        checks = opened.enter_context(checks_open(config.check))
        seen = opened.enter_context(seen_ids_open(str(config.seen_ids)))
        pipeline = LocalPipeline(config, options, WorkerSink)
        subscription = subscription or _subscription(settings)
        opened.callback(subscription.close, _CLOSE_WITHIN_S)
        heartbeat = Heartbeat()
        folders = _folders(config, journal)
        ids = opened.enter_context(closing(_published_ids(config, settings, journal)))
        ids.import_new(journal.next_number())
        worker = Worker(
            subscription=subscription,
            batches=Batches(pipeline, journal, folders, seen),
            journal=journal,
            publisher=_publisher(config, settings, folders, ids, price_per_1k_chars),
            outbox=OutboxPublisher(
                journal,
                *topics,
                ordering=settings.worker.alert_ordering,
                with_payload=config.failure_payload,
            ),
            monitor=Monitor(journal, config.rates, settings.worker.no_data, clock.now_us()),
            canary=_canary(config, settings, options, journal),
            heartbeat=heartbeat,
            owned=opened.enter_context(closing(_owned(config, journal))),
            reporter=reporter,
            size=_batch_size(config.check, settings),
            pending=PendingChecks(checks.session.has_ended),
            settings=settings.worker,
        )
        if settings.worker.health_address:
            opened.enter_context(_status(config, settings.worker.health_address, worker, heartbeat))
        yield worker


def _canary(
    config: Config, settings: WatchSettings, options: PipelineOptions, journal: Journal
) -> Canary | None:
    if settings.worker.canary is None:
        return None
    return Canary(config, options, journal, settings.worker.canary, settings.worker.canary_every_s)


def _batch_size(check: CheckSettings, settings: WatchSettings) -> BatchSize:
    per_minute = check.requests_per_minute
    return BatchSize(
        settings.worker.batch_messages,
        check.max_in_flight,
        None if per_minute is None else per_minute / 60,
        _BATCH_TARGET_S,
    )


def _folders(config: Config, journal: Journal) -> BatchFolders:
    """Find the unpublished batches, and set aside the folders of other journals."""
    folders = BatchFolders(str(config.work_folder), journal.identity)
    waiting = [number for number, _ in journal.waiting_batches()]
    folders.set_aside_unknown(waiting)
    folders.remove_all_but(waiting)
    return folders


def _published_ids(config: Config, settings: WatchSettings, journal: Journal) -> PublishedIds:
    # A connection of its own: files are published on another thread.
    seen = SeenIds(str(config.seen_ids))
    window_s = settings.worker.dedupe_h * 3_600
    return PublishedIds(config.destination, journal.identity, seen, window_s, time.time)


def _owned(config: Config, journal: Journal) -> OwnedPaths:
    paths = [journal.path]
    if storage.is_local(config.output):
        make_folder(config.output)
        paths.append(config.output)
    return OwnedPaths(paths)


def _publisher(
    config: Config,
    settings: WatchSettings,
    folders: BatchFolders,
    ids: PublishedIds,
    price_per_1k_chars: float | None,
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
                _summarise(config, journal, started_at_us, price_per_1k_chars)
            return published

    return FilePublisher(publish, folders.sizes, config.file_bytes, settings.pubsub.file_age_s)


@contextmanager
def _status(
    config: Config, address: tuple[str, int], worker: Worker, heartbeat: Heartbeat
) -> Iterator[None]:
    """Answer /healthz and /metrics while a `with` block lasts."""
    stats = worker.subscription.stats
    health = Health(heartbeat, stats, [str(config.work_folder)], worker.publisher)
    # A connection of its own: these pages are answered on other threads.
    with closing(Journal(_journal_path(config))) as journal:

        def worker_stats() -> WorkerStats:
            canary_is_open = worker.canary is not None and worker.canary.is_open
            unpublished = journal.unpublished()
            return WorkerStats(
                counts=journal.totals(),
                batches_done=worker.batches_done,
                batches_failed=worker.batches_failed,
                ledger_gap=sum(account.gap for account in journal.ledger()),
                unpublished_alerts=journal.count_outbox("alert"),
                unpublished_failures=journal.count_outbox("failure"),
                unpublished_batches=unpublished.batches,
                oldest_unpublished_age_s=_age_s(unpublished.oldest_committed_at_us),
                failed_publications=worker.publisher.failed,
                set_aside_rows=sum(part.rows for part in journal.parts_set_aside()),
                open_rate_incidents=worker.monitor.open_rate_incidents + canary_is_open,
                open_no_data_incidents=worker.monitor.open_no_data_incidents,
            )

        metrics = Metrics(stats, worker_stats, lambda: not health.reasons())
        pages = {"/healthz": lambda _: health.page(), "/metrics": metrics.page}
        with StatusServer(*address, pages) as server:
            _log.info("%s answers /healthz and /metrics", server.address)
            yield


def _age_s(since_us: int | None) -> float:
    return 0.0 if since_us is None else max(0.0, (clock.now_us() - since_us) / SECOND_US)


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


def _topic(name: str, settings: WatchSettings) -> Topic:
    return Topic.open(
        name, _FAST, address=settings.server.pubsub_address, account=settings.job.checker.account
    )


@contextmanager
def _signals(settings: WatchSettings, stop: threading.Event) -> Iterator[None]:
    """Drain on SIGTERM and SIGINT while a `with` block lasts; exit at once on a second one."""
    limit = threading.Timer(settings.worker.drain_s, _exit)
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
