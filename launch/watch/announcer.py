"""Telling the world: alerts and failures to their topics, each at least once."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from launch.pubsub.topic import Topic
from launch.watch.journal import Journal
from schemas.alert import Alert
from schemas.failure import Failure
from transforms.rules.announcing import announce_alert, announce_failure
from transforms.rules.publishing import Publishable

_MOST = 500
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
    """

    def __init__(
        self,
        journal: Journal,
        alert_topic: Topic | None,
        failure_topic: Topic | None,
        *,
        ordering: bool,
        with_payload: bool,
    ) -> None:
        self._journal = journal
        self._alert_topic = alert_topic
        self._failure_topic = failure_topic
        self._ordering = ordering
        self._with_payload = with_payload

    def announce(self) -> None:
        """Publish what waits.

        Raises:
          Unpublished: Pub/Sub did not answer in time; what waits goes on waiting.
          Refused: Pub/Sub will not take it until a person has changed something.
        """
        if self._alert_topic:
            self._empty(self._journal.outbox_alerts, self._alert_message, self._alert_topic)
        if self._failure_topic:
            self._empty(self._journal.outbox_failures, self._failure_message, self._failure_topic)

    def _empty(
        self,
        waiting: Callable[[int], Sequence[tuple[int, Row]]],
        message: Callable[[Row], Publishable],
        topic: Topic,
    ) -> None:
        while rows := waiting(_MOST):
            topic.publish(message(row) for _, row in rows)
            self._journal.announced(identity for identity, _ in rows)

    def _alert_message(self, alert: Alert) -> Publishable:
        return announce_alert(alert, ordering_key=(alert.engine or "") if self._ordering else "")

    def _failure_message(self, failure: Failure) -> Publishable:
        return announce_failure(failure, with_payload=self._with_payload)
