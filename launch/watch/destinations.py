"""Open what the outbox is delivered to: topics, other tools, and people's channels."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from groundwatch.launch.cli.commands.watch import WatchSettings
from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.engine.outbox_rows import KINDS
from groundwatch.launch.engine.work_folders import find_journals
from groundwatch.launch.targets.target import Target, open_target
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.pipeline.sinks.topic_messages import TopicMessage, encode_alert, encode_failure
from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.failure import Failure
from groundwatch.schemas.grounding_result import GroundingResult
from .alerts.alert_notices import AlertPlace
from .alerts.webhooks import open_webhooks
from .delivery import Delivery
from .topic import Topic

# The batches wait while alerts are published; what fails is kept.
_ALERTS_WITHIN_S = 3.0
_RECORDS_WITHIN_S = 60.0  # a request has up to 10 MB
_FINISH_WITHIN_S = 5.0
_log = logging.getLogger(__name__)
_Destination = tuple[type[Record], Target[Any], Callable[[Any], bool]]


def open_topic(
    topic: str,
    settings: WatchSettings,
    *,
    kind: str = "topic",
    encode: Callable[[Any], TopicMessage] | None = None,
    within_s: float = _ALERTS_WITHIN_S,
) -> Topic:
    """Open a topic for rows of the outbox, by default for those that batches wait for."""
    return Topic(
        topic,
        kind=kind,
        encode=encode,
        address=settings.server.pubsub_address,
        account=settings.job.checker.account,
        call_timeout_s=within_s,
        total_s=within_s,
    )


def open_topics(
    journal: Journal, settings: WatchSettings, *, with_payload: bool
) -> Iterator[Delivery[Any]]:
    """Open the topics of alerts and failures, which a worker delivers to after each batch.

    What an earlier worker has left for a topic that is not named any more goes to files.
    """
    topics, is_ordered = settings.pubsub, settings.worker.alert_ordering

    def alert_message(alert: Alert) -> TopicMessage:
        return encode_alert(alert, ordering_key=(alert.engine or "") if is_ordered else "")

    for name, row_type, encode in (
        (topics.alert_topic, Alert, alert_message),
        (topics.failure_topic, Failure, partial(encode_failure, with_payload=with_payload)),
    ):
        if name:
            topic = open_topic(name, settings, kind=KINDS[row_type], encode=encode)
            yield Delivery(journal, row_type, topic, limits=None)
        elif moved := journal.move_to_files(row_type):
            message = (
                "%d rows that waited for a topic of each %s go to files, since no flag names one"
            )
            _log.warning(message, moved, KINDS[row_type])


@contextmanager
def destinations_open(journal: Journal, settings: WatchSettings) -> Iterator[list[Delivery[Any]]]:
    """Deliver rows on a thread for each destination while a `with` block lasts.

    `journal` keeps the rows from then on. The end takes at most five seconds.
    """
    deliveries: list[Delivery[Any]] = []
    place = alert_place(settings.job.output.output or "", journal.database.folder)
    for row_type, target, accepts in _destinations(settings, place):
        journal.outbox.add_destination(target.name, row_type, accepts)
        deliveries.append(Delivery(journal, row_type, target))
    kinds = {*KINDS.values(), *(delivery.kind for delivery in deliveries)}
    for kind in sorted(journal.outbox.pending().keys() - kinds):
        dropped = journal.outbox.trim(kind, 0, 0)
        message = "%d rows for %s are dropped, since no flag names it; the output folder has them"
        _log.warning(message, dropped, kind)
    for delivery in deliveries:
        delivery.start()
    try:
        yield deliveries
    finally:
        until_s = time.monotonic() + _FINISH_WITHIN_S
        for delivery in deliveries:
            delivery.end()
        for delivery in deliveries:
            delivery.join(until_s - time.monotonic())


def alert_place(output: str, work_folder: str) -> AlertPlace:
    """Name the folders so that a command finds them from wherever it is given."""
    folder = str(Path(output).absolute()) if storage.is_local(output) else output
    database = str(Path(work_folder, DATABASE).resolve())
    is_found = database in find_journals(output)
    return AlertPlace(folder, None if is_found else str(Path(work_folder).absolute()))


def _destinations(settings: WatchSettings, place: AlertPlace) -> Iterator[_Destination]:
    """Open each destination, with the type of its rows, and those that it accepts."""
    if name := settings.pubsub.enriched_topic:
        topic = open_topic(name, settings, kind="enriched_topic", within_s=_RECORDS_WITHIN_S)
        yield TopicMessage, topic, lambda _: True
    for tool, url in settings.results.results_to:
        yield GroundingResult, open_target(tool, url), lambda _: True
    for kind, variable in settings.webhooks.alert_webhook:
        source = settings.source.name
        for webhook, accepts in open_webhooks(kind, variable, source, place):
            yield Alert, webhook, accepts
