"""Pull messages from a subscription, and acknowledge them once their outcome is durable."""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, Self

from google.api_core import exceptions
from google.pubsub_v1 import SubscriberClient
from msgspec.structs import replace

from launch.pubsub import clients
from launch.pubsub.errors import Reachability, is_about_the_caller, is_transient, refused
from launch.pubsub.outstanding import (
    OutstandingMessages,
    PullSettings,
    Settlement,
    SubscriptionStats,
)
from launch.pubsub.receiver import Receiver
from schemas.message import Message
from transforms.grounding.settings import GoogleAccount

_MAX_ACK_IDS = 1_000
"""A request may hold 512 KiB, and an ack id has up to some 220 bytes."""

_DEFAULTS = PullSettings()
_log = logging.getLogger(__name__)


class Subscription(Protocol):
    """What a worker needs of a subscription; as of `PubSubSubscription`."""

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
    of Pub/Sub is waited out, with one log line when it begins and one when it ends. What Pub/Sub
    rejects about some messages is logged and dropped: these are delivered again. Log lines and
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
        settings: PullSettings = _DEFAULTS,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._name = name
        self._settings = settings
        self._clock = clock
        self._outstanding = OutstandingMessages(settings, clock, wall_clock)
        self._pulling = Reachability(f"pull from {name}", clock)
        self._acknowledging = Reachability(f"acknowledge messages of {name}", clock)
        self._receiver = Receiver(client, name, settings, self._outstanding, self._pulling)
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._stop_at_s = 0.0
        self._acknowledger = threading.Thread(
            target=self._run, name="pubsub-acknowledger", daemon=True
        )
        self._acknowledger.start()

    @classmethod
    def open(
        cls,
        name: str,
        settings: PullSettings = _DEFAULTS,
        *,
        address: str | None = None,
        account: GoogleAccount = GoogleAccount(),  # noqa: B008 - it is frozen
    ) -> Self:
        """Connect, and begin to read; as of `open_subscriber`."""
        return cls(clients.open_subscriber(address, account), name, settings)

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> tuple[Message, ...]:
        """Return messages to process, after a wait for a first one; none after `close`.

        Args:
          max_messages: how many at most.
          max_bytes: of what size together; a single larger message is still returned.
          wait_s: how long to wait for a first one.

        Raises:
          Refused: Pub/Sub refuses until a person has changed something.
        """
        return self._outstanding.pull(max_messages, max_bytes, wait_s)

    def acknowledge(self, places: Iterable[str]) -> None:
        """Acknowledge messages in the background; ignore those that are not outstanding."""
        self._outstanding.settle(places, Settlement.ACK)
        self._wake.set()

    def stats(self) -> SubscriptionStats:
        """Count the messages."""
        is_available = not (self._pulling.is_away or self._acknowledging.is_away)
        return replace(self._outstanding.stats(), is_available=is_available)

    def close(self, within_s: float = 10.0) -> SubscriptionStats:
        """Stop reading, nack what is not acknowledged, send acks and nacks, and disconnect.

        Returns:
          What is still outstanding when the time is up: Pub/Sub delivers it again.
        """
        until_s = time.monotonic() + within_s
        self._outstanding.close()
        self._receiver.stop(within_s / 2)
        self._stop_at_s = until_s
        self._stopping.set()
        self._wake.set()
        self._acknowledger.join(max(0.0, until_s - time.monotonic()))
        clients.close(self._client)
        return self._outstanding.stats()

    def _run(self) -> None:
        """Send acks, nacks and lease extensions until Pub/Sub has accepted all."""
        try:
            while not self._stopping.is_set():
                self._wake.wait(self._settings.lease_check_every_s)
                self._wake.clear()
                self._stopping.wait(self._send())
            while self._has_unsent() and time.monotonic() < self._stop_at_s:
                time.sleep(self._send())
        except Exception as error:  # noqa: BLE001 - `pull` raises it
            self._outstanding.fail(error)

    def _send(self) -> float:
        """Send everything that is due; return the seconds to wait before the next attempt."""
        wait_s = 0.0
        for send in (self._extend_leases, self._send_acks, self._send_nacks):
            try:
                send()
            except exceptions.GoogleAPICallError as error:
                wait_s = max(wait_s, self._acknowledging.failed(error))
        return wait_s

    def _extend_leases(self) -> None:
        due = self._outstanding.leases_to_extend()
        for start in range(0, len(due), _MAX_ACK_IDS):
            ack_ids, extended_s = due[start : start + _MAX_ACK_IDS], self._clock()
            self._modify_ack_deadline(ack_ids, self._settings.lease_s)
            self._outstanding.record_extension(ack_ids, extended_s)

    def _send_acks(self) -> None:
        while ack_ids := self._outstanding.unsent(Settlement.ACK, _MAX_ACK_IDS):
            self._call(self._client.acknowledge, ack_ids)
            self._outstanding.remove(ack_ids)

    def _send_nacks(self) -> None:
        while ack_ids := self._outstanding.unsent(Settlement.NACK, _MAX_ACK_IDS):
            self._modify_ack_deadline(ack_ids, 0)
            self._outstanding.remove(ack_ids)

    def _modify_ack_deadline(self, ack_ids: Sequence[str], seconds: int) -> None:
        self._call(self._client.modify_ack_deadline, ack_ids, ack_deadline_seconds=seconds)

    def _call(self, method: Callable[..., Any], ack_ids: Sequence[str], **more: Any) -> None:
        """Call Pub/Sub; raise if it does not answer now, or refuses until a person acts."""
        timeout_s = self._settings.call_timeout_s
        try:
            method(subscription=self._name, ack_ids=ack_ids, retry=None, timeout=timeout_s, **more)
        except exceptions.GoogleAPICallError as error:
            if is_transient(error):
                raise
            if is_about_the_caller(error):
                raise refused(self._acknowledging.action, error) from None
            _log.error(
                "Pub/Sub rejects a request about %d messages (%s): they may be delivered again",
                len(ack_ids),
                type(error).__name__,
            )
        self._acknowledging.succeeded()

    def _has_unsent(self) -> bool:
        return any(self._outstanding.unsent(each, 1) for each in Settlement)
