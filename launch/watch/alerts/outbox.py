"""Publish the alerts and failures of the journal's outbox to their topics, at least once each."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Generic, TypeVar

from launch.pubsub.errors import Unpublished
from launch.pubsub.topic import Topic
from launch.watch.durable.journal import Journal
from schemas.alert import Alert
from schemas.failure import Failure
from schemas.message import Message
from transforms.rules.topic_messages import TopicMessage, encode_alert, encode_failure
from transforms.runtime.counters import ALERT_LATENCY_MS

_MAX_ROWS = 500
_PAUSE_S = 15.0
_US_PER_MS = 1_000
Row = TypeVar("Row", Alert, Failure)


class OutboxPublisher:
    """Publish what is in the journal's outbox, and delete it there.

    Delivery: at least once. If the process dies between the two, it is published again.

    Args:
      journal: the owner of the outbox.
      alert_topic, failure_topic: where to; None leaves the rows for the files.
      ordering: whether alerts of one engine stay in order.
      with_payload: whether failures hold the original bytes.
      clock: seconds, monotonic.
    """

    def __init__(
        self,
        journal: Journal,
        alert_topic: Topic | None,
        failure_topic: Topic | None,
        *,
        ordering: bool,
        with_payload: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        alert_message = partial(_alert_message, ordering=ordering)
        failure_message = partial(encode_failure, with_payload=with_payload)
        self._alerts = _Outlet(journal, journal.outbox_alerts, alert_message, alert_topic, clock)
        self._failures = _Outlet(
            journal, journal.outbox_failures, failure_message, failure_topic, clock
        )

    def publish(self) -> None:
        """Publish all rows; those for which Pub/Sub does not answer are tried again later.

        Raises:
          Refused: Pub/Sub refuses until a person has changed something.
          OSError: published rows cannot be deleted; they are not published again.
        """
        self._alerts.publish()
        self._failures.publish()


class _Outlet(Generic[Row]):
    """One topic, and the rows that go there."""

    def __init__(
        self,
        journal: Journal,
        rows: Callable[[int], Sequence[tuple[int, Row]]],
        message: Callable[[Row], TopicMessage],
        topic: Topic | None,
        clock: Callable[[], float],
    ) -> None:
        self._journal = journal
        self._rows: Callable[[int], Sequence[tuple[int, Row]]] = rows
        self._message: Callable[[Row], TopicMessage] = message
        self._topic = topic
        self._clock = clock
        self._published: list[int] = []
        self._not_before_s = clock()

    def publish(self) -> None:
        if self._topic is None or self._clock() < self._not_before_s:
            return
        try:
            self._publish_all(self._topic)
        except Unpublished:
            # The batches must not wait for a topic each time.
            self._not_before_s = self._clock() + _PAUSE_S

    def _publish_all(self, topic: Topic) -> None:
        self._delete_published()
        while rows := self._rows(_MAX_ROWS):
            messages = (self._message(row) for _, row in rows)
            # A request holds messages of one key.
            topic.publish(sorted(messages, key=attrgetter("ordering_key")))
            self._published = [identity for identity, _ in rows]
            self._delete_published()

    def _delete_published(self) -> None:
        if self._published:
            self._journal.delete_from_outbox(self._published)
            self._published = []


class AlertLatency:
    """Measure the time from the publication of a message to that of its alert.

    Which message of a batch an alert belongs to is not recorded, so the oldest is taken: what is
    measured is the longest possible time.
    """

    def __init__(self) -> None:
        self._pending: list[tuple[int, int]] = []

    @property
    def pending(self) -> int:
        """How many alerts are durable and not published."""
        return sum(alerts for _, alerts in self._pending)

    def add(self, messages: Sequence[Message], alerts: int) -> None:
        """Record how many alerts a batch of messages raised."""
        times_us = [m.publish_time_us for m in messages if m.publish_time_us is not None]
        if alerts and times_us:
            self._pending.append((min(times_us), alerts))

    def record_published(self, now_us: int) -> None:
        """Measure all pending alerts, which are published now.

        Args:
          now_us: microseconds since 1970 UTC.
        """
        for oldest_us, alerts in self._pending:
            for _ in range(alerts):
                ALERT_LATENCY_MS.update(max(0, now_us - oldest_us) // _US_PER_MS)
        self._pending.clear()


def _alert_message(alert: Alert, *, ordering: bool) -> TopicMessage:
    return encode_alert(alert, ordering_key=(alert.engine or "") if ordering else "")
