"""Open a worker with all of its parts, and its pages for monitoring."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import cycle, islice

from msgspec.structs import replace

from groundwatch.launch.cli.commands.watch import WatchSettings
from groundwatch.launch.engine.batches import Batches, LocalPipeline
from groundwatch.launch.engine.engine_database import EngineDatabase
from groundwatch.launch.engine.journal import FILE_AGE, Journal
from groundwatch.launch.engine.publisher import Publisher
from groundwatch.launch.engine.pubsub.outstanding import PullSettings, SubscriptionStats
from groundwatch.launch.engine.pubsub.subscription import PubSubSubscription, Subscription
from groundwatch.launch.engine.run_summary import summary_of_journal
from groundwatch.launch.targets.http_sender import require_secret
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.summary_file import write_summary
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.summary import Summary
from groundwatch.transforms.check_grounding import checks_open
from groundwatch.transforms.deduplicate import seen_ids_open
from groundwatch.transforms.runtime import clock
from .alerts.monitor import Monitor
from .batch_size import BatchSize
from .destinations import destinations_open, open_topics
from .file_publisher import FilePublisher
from .health.metrics import Metrics
from .health.worker_health import Health, StatusServer
from .owned_paths import OwnedPaths
from .posts.access import Access, PushTokens
from .posts.post_server import PATHS, PostServer
from .posts.posted_messages import PostedMessages
from .reporter import LogReporter
from .retry_queue import RetryQueue
from .worker import Worker, WorkerLimits, checkers_answered

_CLOSE_WITHIN_S = 5.0
_log = logging.getLogger(__name__)


def open_journal(config: Config, settings: WatchSettings) -> Journal:
    """Open the database of a worker; alerts and failures without a topic go to files."""
    topics = {Alert: settings.pubsub.alert_topic, Failure: settings.pubsub.failure_topic}
    database = EngineDatabase.owned(str(config.work_folder))
    return Journal(database, config, [row_type for row_type, topic in topics.items() if topic])


@contextmanager
def open_worker(
    config: Config,
    settings: WatchSettings,
    journal: Journal,
    *,
    reporter: LogReporter,
    subscription: Subscription | None = None,
    limits: WorkerLimits = WorkerLimits(),  # noqa: B008 - it is frozen
    is_draining: Callable[[], bool] = bool,
) -> Iterator[Worker]:
    """Open a worker, and by default what its settings name to read, while a `with` block lasts.

    It receives nothing by HTTP any more as soon as it `is_draining`.
    """
    started_at_us, flags = clock.now_us(), settings.worker
    config = replace(config, check=config.check.with_answered(checkers_answered(journal)))
    summarize = partial(_summarize, config, started_at_us)
    per_minute = config.check.requests_per_minute
    journal.database.keep_note(FILE_AGE, settings.pubsub.file_age_s)
    with ExitStack() as opened:
        posted = None
        if subscription is None:
            if settings.source.listen or journal.posted_messages():
                posted = PostedMessages(journal.database.path)
            subscription = _subscribe(settings, limits, posted)
        opened.callback(subscription.close, _CLOSE_WITHIN_S)
        topics = list(open_topics(journal, settings, with_payload=config.failure_payload))
        for topic in topics:
            opened.callback(topic.close)
        deliveries = opened.enter_context(destinations_open(journal, settings))
        destinations = [*topics, *deliveries]
        session = opened.enter_context(checks_open(config.check))
        seen = opened.enter_context(seen_ids_open(str(config.database)))
        publisher = FilePublisher(
            partial(_publish_files, config, journal, summarize),
            Publisher(journal.database, config).is_due,
            settings.pubsub.file_age_s,
        )
        opened.callback(publisher.close)
        paths = OwnedPaths(journal.database.path, config.output)
        worker = Worker(
            journal=journal,
            subscription=subscription,
            batches=Batches(LocalPipeline(config), journal, seen, session.checks),
            size=BatchSize(limits.batch_messages, config.check.max_in_flight, per_minute),
            retry_queue=RetryQueue(session.checks.has_ended),
            publisher=publisher,
            topics=topics,
            destinations=destinations,
            monitor=Monitor(journal, config.rates, flags.no_data, flags.outages, started_at_us),
            health=Health(
                subscription.stats,
                str(config.work_folder),
                publisher,
                destinations,
                checkers=session.checks.statuses,
                outages=flags.outages,
            ),
            owned_paths=opened.enter_context(closing(paths)),
            reporter=reporter,
            summarize=summarize,
            show_sent=session.show_sent,
            checker_statuses=session.checks.statuses,
            outstanding_messages=limits.outstanding_messages,
            dedupe_us=round(flags.dedupe_h * HOUR_US),
        )
        server = None
        if posted and settings.source.listen:
            server = PostServer(
                settings.source.listen, posted, _access(settings), config.parsing, is_draining
            )
            opened.callback(server.close)
            _log.info("%s receives %s", server.address, ", ".join(PATHS))
        if flags.health_address:
            _serve_pages(worker, server, flags.health_address, opened)
        yield worker


def _subscribe(
    settings: WatchSettings, limits: WorkerLimits, posted: PostedMessages | None
) -> Subscription:
    found: list[Subscription] = [posted] if posted else []
    if name := settings.source.subscription:
        pubsub = PubSubSubscription(
            name,
            PullSettings(
                max_messages=limits.outstanding_messages, max_bytes=limits.outstanding_bytes
            ),
            address=settings.server.pubsub_address,
            account=settings.job.checker.account,
        )
        found.append(pubsub)
    return found[0] if len(found) == 1 else _SeveralSubscriptions(found)


class _SeveralSubscriptions:
    """Pull from subscriptions in turn; each ignores the places of the others."""

    def __init__(self, subscriptions: Sequence[Subscription]) -> None:
        self._subscriptions = subscriptions
        self._turns = cycle(subscriptions)

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> Sequence[Message]:
        """Return messages of the next subscription that has any, after a wait for a first one."""
        share_s = wait_s / len(self._subscriptions)
        for each in islice(self._turns, len(self._subscriptions)):
            if messages := each.pull(max_messages, max_bytes, share_s):
                return messages
        return ()

    def acknowledge(self, places: Iterable[str]) -> None:
        listed = [*places]
        for each in self._subscriptions:
            each.acknowledge(listed)

    def stats(self) -> SubscriptionStats:
        """Add the counts; the ages are those of the oldest message."""
        found = [each.stats() for each in self._subscriptions]
        return SubscriptionStats(
            waiting=sum(each.waiting for each in found),
            processing=sum(each.processing for each in found),
            settled=sum(each.settled for each in found),
            size_bytes=sum(each.size_bytes for each in found),
            overdue=sum(each.overdue for each in found),
            redelivered=sum(each.redelivered for each in found),
            oldest_unacked_age_s=max(each.oldest_unacked_age_s for each in found),
            oldest_waiting_age_s=max(each.oldest_waiting_age_s for each in found),
            is_available=all(each.is_available for each in found),
        )

    def close(self, within_s: float) -> None:
        """Stop reading; the time is for all of them."""
        for each in self._subscriptions:
            each.close(within_s / len(self._subscriptions))


def _access(settings: WatchSettings) -> Access:
    named = settings.source
    return Access(
        require_secret(named.listen_key) if named.listen_key else None,
        PushTokens(named.push_audience, named.push_account) if named.push_audience else None,
    )


def _summarize(config: Config, started_at_us: int, journal: Journal) -> Summary:
    with journal.database.snapshot():
        return summary_of_journal(config, journal, started_at_us=started_at_us)


def _publish_files(
    config: Config,
    journal: Journal,
    summarize: Callable[[Journal], Summary],
    placed: Callable[[], None],
    *,
    everything: bool,
) -> int:
    """Publish files and their summary, on a connection of the publisher's thread."""
    with closing(journal.reopen()) as reopened:
        publisher = Publisher(reopened.database, config, placed)
        publisher.recover()
        published = publisher.publish(everything=everything)
        if published:
            write_summary(config.destination, summarize(reopened))
        return published


def _serve_pages(
    worker: Worker, posts: PostServer | None, address: tuple[str, int], opened: ExitStack
) -> None:
    # A connection of their own: they are collected on other threads.
    journal = opened.enter_context(closing(worker.journal.reopen()))
    metrics = Metrics(worker, journal, posts)
    pages = {
        "/healthz": lambda _: worker.health.page(),
        "/livez": lambda _: worker.health.live_page(),
        "/metrics": metrics.page,
    }
    server = opened.enter_context(closing(StatusServer(*address, pages)))
    _log.info("%s answers /healthz, /livez and /metrics", server.address)
