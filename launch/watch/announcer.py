"""Telling the world: alerts and failures to their topics, each at least once."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from typing import Generic, TypeVar

from launch.pubsub.errors import Unpublished
from launch.pubsub.topic import Topic
from launch.watch.journal import Journal
from schemas.alert import Alert
from schemas.failure import Failure
from transforms.rules.topic_messages import TopicMessage, encode_alert, encode_failure

_MOST = 500
_PAUSE_S = 15.0
Row = TypeVar("Row", Alert, Failure)


class Announcer:
    """Publishes what the journal's outbox holds, and then forgets it.

    Delivery: at least once. What was published and not forgotten, since the process died between,
    is published again.

    Args:
      journal: whose outbox it is.
      alert_topic, failure_topic: where to; None leaves the rows for the files.
      ordering: whether alerts of one engine stay in order.
      with_payload: whether failures hold the original bytes.
      clock: seconds, never set back.
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

    def announce(self) -> None:
        """Publish what waits; while Pub/Sub does not answer it goes on waiting.

        Raises:
          Refused: Pub/Sub will not take it until a person has changed something.
          OSError: the journal cannot forget what was published; it is not published again.
        """
        self._alerts.empty()
        self._failures.empty()


class _Outlet(Generic[Row]):
    """One topic, and the rows that go there."""

    def __init__(
        self,
        journal: Journal,
        waiting: Callable[[int], Sequence[tuple[int, Row]]],
        message: Callable[[Row], TopicMessage],
        topic: Topic | None,
        clock: Callable[[], float],
    ) -> None:
        self._journal = journal
        self._waiting: Callable[[int], Sequence[tuple[int, Row]]] = waiting
        self._message: Callable[[Row], TopicMessage] = message
        self._topic = topic
        self._clock = clock
        self._published: list[int] = []
        self._not_before_s = clock()

    def empty(self) -> None:
        """Publish all rows, unless Pub/Sub did not answer a moment ago."""
        if self._topic is None or self._clock() < self._not_before_s:
            return
        try:
            self._publish(self._topic)
        except Unpublished:
            # The batches must not wait for a topic each time.
            self._not_before_s = self._clock() + _PAUSE_S

    def _publish(self, topic: Topic) -> None:
        self._forget_published()
        while rows := self._waiting(_MOST):
            messages = (self._message(row) for _, row in rows)
            # A request holds messages of one key.
            topic.publish(sorted(messages, key=attrgetter("ordering_key")))
            self._published = [identity for identity, _ in rows]
            self._forget_published()

    def _forget_published(self) -> None:
        if self._published:
            self._journal.announced(self._published)
            self._published = []


def _alert_message(alert: Alert, *, ordering: bool) -> TopicMessage:
    return encode_alert(alert, ordering_key=(alert.engine or "") if ordering else "")
