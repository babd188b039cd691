"""Topics, and the subscriptions that get what is published to them."""

import itertools
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from tests.support.fake_pubsub import limits
from tests.support.fake_pubsub.backlog import Backlog
from tests.support.fake_pubsub.counts import Counts
from tests.support.fake_pubsub.faults import Faults
from tests.support.fake_pubsub.leases import Pending
from tests.support.fake_pubsub.refused import already_exists, not_found
from tests.support.fake_pubsub.wire import PubsubMessage

_DEFAULT_ACK_DEADLINE_S = 10
_DELETED_TOPIC = "_deleted-topic_"


class _Subscribed(msgspec.Struct):
    subscription: Any
    backlog: Backlog


class Broker:
    """The whole state of the server; every call may come from any thread.

    Attributes:
      changed: its lock; notified when there may be more to deliver, or room to deliver it.
      clock: see the arguments.

    Args:
      clock: seconds since 1970: publish times, and how long leases last.
      faults: which messages are duplicated, which acknowledgements lost.
    """

    def __init__(
        self, clock: Callable[[], float] = time.time, faults: Faults | None = None
    ) -> None:
        self.changed = threading.Condition()
        self.clock = clock
        self._faults = faults or Faults()
        self._topics: dict[str, Any] = {}
        self._subscribed: dict[str, _Subscribed] = {}
        self._message_numbers = itertools.count(1)
        self._ack_numbers = itertools.count(1)

    def create_topic(self, topic: Any) -> Any:
        """Create a topic as it is described.

        Raises:
          Refused: its name is none, or is taken.
        """
        limits.check_name(topic.name, "topics")
        with self.changed:
            if topic.name in self._topics:
                raise already_exists(topic.name)
            self._topics[topic.name] = topic
        return topic

    def topic(self, name: str) -> Any:
        """Find a topic.

        Raises:
          Refused: it is not there.
        """
        with self.changed:
            if name not in self._topics:
                raise not_found(name)
            return self._topics[name]

    def delete_topic(self, name: str) -> None:
        """Delete a topic; its subscriptions keep what they have.

        Raises:
          Refused: it is not there.
        """
        with self.changed:
            del self._topics[self.topic(name).name]
            for subscribed in self._of_topic(name):
                subscribed.subscription.topic = _DELETED_TOPIC

    def create_subscription(self, subscription: Any) -> Any:
        """Create a subscription as it is described; it gets what is published from now on.

        Raises:
          Refused: its topic is not there, its name is none or is taken, or it asks for what this
            server cannot do.
        """
        limits.check_subscription(subscription)
        with self.changed:
            self.topic(subscription.topic)
            if subscription.name in self._subscribed:
                raise already_exists(subscription.name)
            subscription.ack_deadline_seconds = (
                subscription.ack_deadline_seconds or _DEFAULT_ACK_DEADLINE_S
            )
            backlog = Backlog(subscription.ack_deadline_seconds, self._ack_numbers)
            self._subscribed[subscription.name] = _Subscribed(subscription, backlog)
        return subscription

    def subscription(self, name: str) -> Any:
        """Find a subscription.

        Raises:
          Refused: it is not there.
        """
        return self._find(name).subscription

    def delete_subscription(self, name: str) -> None:
        """Delete a subscription and its messages.

        Raises:
          Refused: it is not there.
        """
        with self.changed:
            del self._subscribed[self._find(name).subscription.name]
            self.changed.notify_all()

    def publish(self, topic: str, messages: Iterable[Any]) -> list[str]:
        """Hand messages to every subscription of a topic.

        Returns:
          The message ids, in the messages' order.

        Raises:
          Refused: the topic is not there.
        """
        with self.changed:
            self.topic(topic)
            backlogs = [subscribed.backlog for subscribed in self._of_topic(topic)]
            ids = [self._publish_one(message, backlogs) for message in messages]
            self.changed.notify_all()
        return ids

    def backlog(self, name: str) -> Backlog:
        """Find a subscription's messages, to be used under the lock.

        Raises:
          Refused: it is not there.
        """
        return self._find(name).backlog

    def acknowledge(self, subscription: str, ack_ids: Iterable[str]) -> None:
        """Delete messages; raises as `backlog`."""
        with self.changed:
            self.backlog(subscription).acknowledge(self._faults.accepted(ack_ids), self.clock())
            self.changed.notify_all()

    def prolong(self, subscription: str, ack_ids: Iterable[str], seconds: int) -> None:
        """Let leases end so many seconds from now; 0 refuses the messages; raises as `backlog`."""
        with self.changed:
            self.backlog(subscription).prolong(ack_ids, seconds, self.clock())
            self.changed.notify_all()

    def counts(self, subscription: str) -> Counts:
        """Say what a subscription has seen; raises as `backlog`."""
        with self.changed:
            return self.backlog(subscription).counts(self.clock())

    def _publish_one(self, message: Any, backlogs: list[Backlog]) -> str:
        stored = PubsubMessage(
            data=message.data,
            attributes=message.attributes,
            ordering_key=message.ordering_key,
            message_id=str(next(self._message_numbers)),
        )
        stored.publish_time.FromMicroseconds(round(self.clock() * 1e6))
        for backlog in backlogs:
            copies = self._faults.copies()
            backlog.add(Pending(stored, stored.ByteSize(), copies=copies))
        return str(stored.message_id)

    def _of_topic(self, topic: str) -> list[_Subscribed]:
        return [
            subscribed
            for subscribed in self._subscribed.values()
            if subscribed.subscription.topic == topic
        ]

    def _find(self, name: str) -> _Subscribed:
        with self.changed:
            if name not in self._subscribed:
                raise not_found(name)
            return self._subscribed[name]
