"""Pull messages from a subscription, and acknowledge them once their outcome is durable."""

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, Self

from google.pubsub_v1 import SubscriberClient

from launch.pubsub import clients
from launch.pubsub.acknowledger import Acknowledger
from launch.pubsub.outstanding import OutstandingMessages, OutstandingStats, Settlement
from launch.pubsub.reachability import Reachability
from launch.pubsub.receiver import Receiver
from launch.pubsub.settings import PullSettings
from schemas import Record
from schemas.message import Message
from schemas.quantities import SECOND_US
from transforms.grounding.settings import GoogleAccount


class SubscriptionStats(Record, frozen=True, kw_only=True):
    """Statistics of a subscription, as seen from this process.

    Attributes:
      messages: how many are outstanding.
      oldest_unacked_age_s: since the oldest outstanding message was published; 0.0 for none. What
        Pub/Sub has not delivered yet may be older.
      oldest_waiting_age_s: the same of messages that were not pulled.
      is_available: whether Pub/Sub answers, as far as is known.
    """

    messages: OutstandingStats = OutstandingStats()
    oldest_unacked_age_s: float = 0.0
    oldest_waiting_age_s: float = 0.0
    is_available: bool = True

    @property
    def outstanding(self) -> int:
        """How many messages were received and not settled."""
        return self.messages.waiting + self.messages.processing


class Subscription(Protocol):
    """What a worker needs of a subscription."""

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> Sequence[Message]:
        """Return messages, after a wait for a first one."""

    def acknowledge(self, places: Iterable[str]) -> None:
        """Acknowledge messages whose outcome is durable."""

    def stats(self) -> SubscriptionStats:
        """Count the messages."""

    def close(self, within_s: float) -> object:
        """Stop reading, and return what is not acknowledged."""


class PubSubSubscription:
    """Pull from Pub/Sub, and extend the leases of messages until they are acknowledged.

    If this process dies, a message that it has not acknowledged is delivered again when its lease
    ends. A message that is delivered again while it is outstanding is not returned twice. An outage
    of Pub/Sub is waited out, with one log line when it begins and one when it ends. Log lines and
    exceptions contain nothing of a message. Every method may be called from any thread.

    Args:
      client: the official one; it is closed in the end.
      name: the subscription's full name, `projects/p/subscriptions/s`.
      settings: how many messages may be outstanding, and for how long.
      clock: seconds, monotonic: the ages of leases.
      wall_clock: seconds since 1970: the ages of messages.
    """

    def __init__(
        self,
        client: SubscriberClient,
        name: str,
        settings: PullSettings = PullSettings(),  # noqa: B008 - it is frozen
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._wall_clock = wall_clock
        self._outstanding = OutstandingMessages(settings, clock)
        self._pulling = Reachability(f"pull from {name}", clock)
        self._acknowledging = Reachability(f"acknowledge messages of {name}", clock)
        self._receiver = Receiver(client, name, settings, self._outstanding, self._pulling)
        self._acknowledger = Acknowledger(
            client, name, self._outstanding, settings, self._acknowledging, clock=clock
        )

    @classmethod
    def open(
        cls,
        name: str,
        settings: PullSettings = PullSettings(),  # noqa: B008 - it is frozen
        *,
        address: str | None = None,
        account: GoogleAccount = GoogleAccount(),  # noqa: B008 - it is frozen
    ) -> Self:
        """Connect, and begin to read.

        Args:
          name: the subscription's full name, `projects/p/subscriptions/s`.
          settings: how many messages may be outstanding, and for how long.
          address: of a server without encryption, such as ``127.0.0.1:8085``; None for
            PUBSUB_EMULATOR_HOST, or else Google's service.
          account: the account for Google's service.

        Raises:
          Misconfigured: there are no credentials.
        """
        return cls(clients.open_subscriber(address, account), name, settings)

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> tuple[Message, ...]:
        """Return messages to process.

        Args:
          max_messages: how many at most.
          max_bytes: of what size together; a single larger message is still returned.
          wait_s: how long to wait for a first one.

        Returns:
          Messages whose `place` is their message id; none when none came in time, or when the
          subscription was closed.

        Raises:
          Refused: Pub/Sub refuses until a person has changed something.
        """
        return self._outstanding.pull(max_messages, max_bytes, wait_s)

    def acknowledge(self, places: Iterable[str]) -> None:
        """Acknowledge messages whose outcome is durable. Returns at once.

        Args:
          places: of messages; those that are not outstanding are ignored.
        """
        self._outstanding.settle(places, Settlement.ACK)
        self._acknowledger.wake()

    def stats(self) -> SubscriptionStats:
        """Count the messages."""
        messages = self._outstanding.stats()
        return SubscriptionStats(
            messages=messages,
            oldest_unacked_age_s=self._age_s(messages.oldest_unacked_us),
            oldest_waiting_age_s=self._age_s(messages.oldest_waiting_us),
            is_available=not (self._pulling.is_away or self._acknowledging.is_away),
        )

    def close(self, within_s: float = 10.0) -> OutstandingStats:
        """Stop reading, nack what is not acknowledged, send acks and nacks, and disconnect.

        Args:
          within_s: the time limit.

        Returns:
          What is still outstanding: Pub/Sub delivers it again.
        """
        until_s = time.monotonic() + within_s
        self._outstanding.close()
        self._receiver.stop(within_s / 2)
        self._acknowledger.stop(max(0.0, until_s - time.monotonic()))
        clients.close(self._client)
        return self._outstanding.stats()

    def _age_s(self, since_us: int | None) -> float:
        return 0.0 if since_us is None else max(0.0, self._wall_clock() - since_us / SECOND_US)
