"""A topic and a subscription of its own for each test, by the official clients."""

import itertools
import queue
from collections.abc import Iterator
from typing import Any, Self

import pytest
from google.cloud.pubsub_v1 import PublisherClient, SubscriberClient
from google.pubsub_v1 import types

from tests.support.waiting import wait_until

_numbers = itertools.count(1)


class OneTopic:
    """One topic, one subscription, and the official clients as PUBSUB_EMULATOR_HOST makes them.

    Attributes:
      topic, subscription: their names.
      publisher, subscriber: the clients.

    Args:
      address: the server's.
      patch: sets the environment.
      policies: of the subscription, in the fields of a Subscription.
    """

    def __init__(self, address: str, patch: pytest.MonkeyPatch, **policies: Any) -> None:
        patch.setenv("PUBSUB_EMULATOR_HOST", address)
        self.publisher = PublisherClient()
        self.subscriber = SubscriberClient()
        self._streams: list[queue.SimpleQueue[Any]] = []
        self.topic = self.create_topic()
        self.subscription = self.create_subscription(**policies)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for requests in self._streams:
            requests.put(None)
        self.publisher.stop()
        self.publisher.transport.close()
        self.subscriber.close()

    def create_topic(self) -> str:
        """Create a further topic; returns its name."""
        topic = f"projects/lamps/topics/answers-{next(_numbers)}"
        self.publisher.create_topic(name=topic)
        return topic

    def create_subscription(self, topic: str | None = None, **policies: Any) -> str:
        """Create a further subscription; returns its name."""
        name = f"projects/lamps/subscriptions/answers-{next(_numbers)}"
        request = {"name": name, "topic": topic or self.topic, **policies}
        self.subscriber.create_subscription(request=request)
        return name

    def publish(self, *payloads: bytes, **attributes: str) -> list[str]:
        """Publish messages one by one; returns their ids."""
        futures = [
            self.publisher.publish(self.topic, payload, **attributes) for payload in payloads
        ]
        return [future.result(timeout=60) for future in futures]

    def pull(self, most: int = 1_000, subscription: str | None = None) -> list[Any]:
        """Pull once, waiting for a first message."""
        response = self.subscriber.pull(
            subscription=subscription or self.subscription, max_messages=most, timeout=30
        )
        return list(response.received_messages)

    def pull_all(self, number: int, subscription: str | None = None) -> list[Any]:
        """Pull until so many messages have come."""
        received: list[Any] = []

        def complete() -> bool:
            received.extend(self.pull(subscription=subscription))
            return len(received) >= number

        wait_until(complete, within_s=90.0)
        return received

    def at_once(self, subscription: str | None = None) -> list[Any]:
        """Pull what waits already."""
        request = types.PullRequest(
            subscription=subscription or self.subscription,
            max_messages=1_000,
            return_immediately=True,
        )
        # The client itself warns of this flag, which is meant for nothing but tests.
        return list(self.subscriber.transport.pull(request, timeout=30).received_messages)

    def stream(self, **opening: Any) -> Iterator[Any]:
        """Open a stream of responses; it stays open as long as the clients do.

        Args:
          opening: what the first request says differently.
        """
        first = {"subscription": self.subscription, "stream_ack_deadline_seconds": 10, **opening}
        requests: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._streams.append(requests)
        requests.put(first)
        return iter(self.subscriber.streaming_pull(requests=iter(requests.get, None)))

    def acknowledge(self, *received: Any) -> None:
        """Acknowledge messages."""
        ids = [message.ack_id for message in received]
        self.subscriber.acknowledge(subscription=self.subscription, ack_ids=ids)

    def prolong(self, seconds: int, *received: Any) -> None:
        """Let leases end so many seconds from now; 0 refuses the messages."""
        ids = [message.ack_id for message in received]
        self.subscriber.modify_ack_deadline(
            subscription=self.subscription, ack_ids=ids, ack_deadline_seconds=seconds
        )


def payloads(received: list[Any]) -> list[bytes]:
    """List the messages' data in an order that does not depend on the server."""
    return sorted(message.message.data for message in received)
