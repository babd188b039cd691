"""The topics that workers publish to: what they have taken, and their deleting."""

from collections import Counter
from contextlib import closing

from groundwatch.launch.engine.pubsub.subscription import PubSubSubscription
from tests.benchmarks.watched_worker import (
    ALERT_SUBSCRIPTION,
    ALERTS,
    FAILURE_SUBSCRIPTION,
    FAILURES,
)
from tests.support.fake_pubsub.server import FakePubSub

_TOPICS = (
    (ALERTS, ALERT_SUBSCRIPTION, "record_id"),
    (FAILURES, FAILURE_SUBSCRIPTION, "failure_record_id"),
)


class VanishingTopics:
    """The topics of alerts and failures on one server.

    Attributes:
      received: how often a message of each record id came, by topic.
      vanished: how often the topics were deleted.

    Args:
      address: of the Pub/Sub server.
      server: the same one, if it is within this process, so that topics can be deleted.
    """

    def __init__(self, address: str, server: FakePubSub | None) -> None:
        self.received: dict[str, Counter[str]] = {ALERTS: Counter(), FAILURES: Counter()}
        self.vanished = 0
        self._are_away = False
        self._address, self._server = address, server
        self._subscriptions = list(_TOPICS)

    def vanish(self) -> None:
        """Delete the topics; their subscriptions keep what they have."""
        assert self._server
        for topic, _, _ in _TOPICS:
            self._server.delete(topic)
        self.vanished += 1
        self._are_away = True

    def come_back(self) -> None:
        """Create the topics again, with new subscriptions, if they are away."""
        if not self._are_away:
            return
        assert self._server
        for topic, name, attribute in _TOPICS:
            subscription = f"{name}-{self.vanished}"
            self._server.create(topic, subscription)
            self._subscriptions.append((topic, subscription, attribute))
        self._are_away = False

    def read(self) -> None:
        """Count what has come to all subscriptions since."""
        for topic, name, attribute in self._subscriptions:
            with closing(PubSubSubscription(name, address=self._address)) as subscription:
                while messages := subscription.pull(1_000, 100_000_000, 0.5):
                    self.received[topic].update(
                        message.attributes[attribute] for message in messages
                    )
                    subscription.acknowledge(message.place for message in messages)
