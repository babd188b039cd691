"""Publish the alerts and failures of the journal's outbox to their topics, at least once each."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Generic

from launch.engine.journal import Journal
from launch.engine.outbox_rows import KINDS, OutboxRow
from launch.pubsub.pubsub_errors import Refused, Unpublished
from launch.pubsub.topic import Topic
from pipeline.sinks.topic_messages import TopicMessage, encode_alert
from schemas.alert import Alert
from schemas.message import Message
from transforms.runtime.counters import ALERT_LATENCY_MS
from transforms.runtime.retry_schedule import RetrySchedule

_MAX_ROWS = 500
# The topic itself tries for two minutes before.
_SCHEDULE = RetrySchedule(first_s=15.0, longest_s=15.0)
_US_PER_MS = 1_000
_log = logging.getLogger(__name__)


class OutboxPublisher(Generic[OutboxRow]):
    """Publish the alerts, or the failures, in the journal's outbox, and delete them there.

    Delivery: at least once. If the process dies between the two, it is published again.
    """

    def __init__(
        self,
        journal: Journal,
        row_type: type[OutboxRow],
        topic: Topic,
        encode: Callable[[OutboxRow], TopicMessage],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._journal = journal
        self._row_type = row_type
        self._topic = topic
        self._encode: Callable[[OutboxRow], TopicMessage] = encode
        self._clock = clock
        self.kind = KINDS[row_type]
        self.problem: str | None = None
        self._published: list[int] = []
        self._not_before_s = clock()

    def publish(self) -> None:
        """Publish all rows, or try again later; raise OSError of the journal.

        What a topic has stored is not published again, whatever fails after it. A topic that
        refuses, or does not answer, is the `problem` until it does not.
        """
        if self._clock() < self._not_before_s:
            return
        self._delete_published()
        while rows := self._journal.outbox.rows(self._row_type, _MAX_ROWS):
            # A request holds messages of one key.
            encoded = [(identity, self._encode(row)) for identity, row in rows]
            encoded.sort(key=lambda each: each[1].ordering_key)
            stored = len(encoded)
            try:
                self._topic.publish(message for _, message in encoded)
            except (Refused, Unpublished) as error:
                stored = error.stored
                self._put_off(error)
            else:
                self.problem = None
            self._published = [identity for identity, _ in encoded[:stored]]
            self._delete_published()
            if stored < len(encoded):
                return

    def _put_off(self, error: Refused | Unpublished) -> None:
        """The batches must not wait for a topic each time."""
        if self.problem != str(error):
            _log.error("%s; it is tried again", error)
        self.problem = str(error)
        self._not_before_s = self._clock() + _SCHEDULE.wait_s(1)

    def _delete_published(self) -> None:
        if self._published:
            self._journal.outbox.delete(self._published)
            self._published = []


def alert_message(alert: Alert, *, ordering: bool) -> TopicMessage:
    """Encode an alert; with ordering, those of one engine stay in order."""
    return encode_alert(alert, ordering_key=(alert.engine or "") if ordering else "")


class AlertLatency:
    """Measure the longest possible time from the publication of a message to its alert's."""

    def __init__(self) -> None:
        self._pending: Counter[int] = Counter()

    @property
    def pending(self) -> int:
        """How many alerts are durable and not published."""
        return self._pending.total()

    def add(self, messages: Sequence[Message], alerts: int) -> None:
        """Record how many alerts a batch of messages raised."""
        times_us = [m.publish_time_us for m in messages if m.publish_time_us is not None]
        if alerts and times_us:
            self._pending[min(times_us)] += alerts

    def record_published(self, now_us: int) -> None:
        """Measure all pending alerts, which are published now, in microseconds since 1970 UTC."""
        for oldest_us in self._pending.elements():
            ALERT_LATENCY_MS.update(max(0, now_us - oldest_us) // _US_PER_MS)
        self._pending.clear()
