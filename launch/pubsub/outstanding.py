"""Track outstanding messages until they are acknowledged."""

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum, auto

import msgspec

from launch.pubsub.settings import PullSettings
from schemas import Record
from schemas.message import Message

_MAX_ACK_IDS = 5
"""Of one message: one that is outstanding for days is delivered again every minute."""


class Settlement(Enum):
    """How a message is settled: acknowledged, or delivered again at once."""

    ACK = auto()
    NACK = auto()


class Delivery(Record, frozen=True):
    """One delivery of a message.

    Attributes:
      ack_id: identifies this delivery.
      message: its `place` is the message id.
      size_bytes: of all that was delivered.
    """

    ack_id: str
    message: Message
    size_bytes: int


class OutstandingStats(Record, frozen=True, kw_only=True):
    """How many messages are outstanding, by their state.

    Attributes:
      waiting: messages that were received and not pulled.
      processing: messages that were pulled and not acknowledged.
      settled: messages whose ack or nack Pub/Sub has not accepted yet.
      size_bytes: of all of these.
      overdue: messages outstanding for so long that their leases are not extended any more.
      redelivered: deliveries, so far, of messages that were outstanding.
      oldest_unacked_us: when the oldest waiting or processed message was published, microseconds
        since 1970 UTC; None for none.
      oldest_waiting_us: the same of the waiting messages.
    """

    waiting: int = 0
    processing: int = 0
    settled: int = 0
    size_bytes: int = 0
    overdue: int = 0
    redelivered: int = 0
    oldest_unacked_us: int | None = None
    oldest_waiting_us: int | None = None


class _Outstanding(msgspec.Struct):
    message: Message
    size_bytes: int
    received_s: float
    ack_ids: list[str]
    settlement: Settlement | None = None


class _Lease(msgspec.Struct):
    outstanding: _Outstanding
    extended_s: float


class OutstandingMessages:
    """Track each message once, however often it is delivered; for any number of threads.

    A message that is delivered again while it is outstanding is not returned again: its new lease
    joins the old one, and both are settled together.

    Args:
      settings: how many messages may be outstanding, and how long leases last.
      clock: seconds, monotonic.
    """

    def __init__(self, settings: PullSettings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._changed = threading.Condition()
        self._by_place: dict[str, _Outstanding] = {}
        self._leases: dict[str, _Lease] = {}
        self._waiting: deque[_Outstanding] = deque()
        self._unsent: dict[Settlement, dict[str, None]] = {each: {} for each in Settlement}
        self._size_bytes = 0
        self._redelivered = 0
        self._is_closed = False
        self._failure: Exception | None = None

    def receive(self, deliveries: Iterable[Delivery]) -> None:
        """Add what was delivered."""
        with self._changed:
            for delivery in deliveries:
                self._receive(delivery)
            if self._is_closed:
                self._nack_all()
            self._changed.notify_all()

    def wait_for_room(self) -> None:
        """Wait until more messages may be outstanding, or until `close`."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self._has_room())

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> tuple[Message, ...]:
        """Return waiting messages, after a wait for a first one.

        Args:
          max_messages: how many at most.
          max_bytes: of what size together; a single larger message is still returned.
          wait_s: how long to wait for a first one.

        Raises:
          Exception: as given to `fail`.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._waiting or self._is_closed or self._failure, timeout=wait_s
            )
            if self._failure:
                raise self._failure
            pulled: list[Message] = []
            while self._waiting and len(pulled) < max_messages:
                max_bytes -= self._waiting[0].size_bytes
                if pulled and max_bytes < 0:
                    break
                pulled.append(self._waiting.popleft().message)
            return tuple(pulled)

    def settle(self, places: Iterable[str], settlement: Settlement) -> None:
        """Let messages be acked or nacked; those that are settled or unknown are ignored."""
        with self._changed:
            for place in places:
                outstanding = self._by_place.get(place)
                if outstanding and not outstanding.settlement:
                    outstanding.settlement = settlement
                    self._unsent[settlement].update(dict.fromkeys(outstanding.ack_ids))

    def close(self) -> None:
        """Return no more messages, and nack those that are not settled or still arrive."""
        with self._changed:
            self._is_closed = True
            self._nack_all()
            self._changed.notify_all()

    def fail(self, error: Exception) -> None:
        """Raise an error from the next `pull`."""
        with self._changed:
            self._failure = error
            self._changed.notify_all()

    def unsent(self, settlement: Settlement, max_ack_ids: int) -> list[str]:
        """List ack ids whose settlement Pub/Sub has not accepted."""
        with self._changed:
            return list(itertools.islice(self._unsent[settlement], max_ack_ids))

    def remove(self, ack_ids: Iterable[str]) -> None:
        """Remove leases that are settled, and messages that have no other lease."""
        with self._changed:
            for ack_id in ack_ids:
                self._remove(ack_id)
            self._changed.notify_all()

    def leases_to_extend(self) -> list[str]:
        """List the ack ids whose leases are half over and not overdue."""
        now_s = self._clock()
        half_over_s = now_s - self._settings.lease_s / 2
        with self._changed:
            return [
                ack_id
                for ack_id, lease in self._leases.items()
                if lease.extended_s <= half_over_s
                and not lease.outstanding.settlement
                and not self._is_overdue(lease.outstanding, now_s)
            ]

    def record_extension(self, ack_ids: Iterable[str], extended_s: float) -> None:
        """Record when leases were extended, by the clock."""
        with self._changed:
            for ack_id in ack_ids:
                if lease := self._leases.get(ack_id):
                    lease.extended_s = extended_s

    def stats(self) -> OutstandingStats:
        """Count the messages."""
        now_s = self._clock()
        with self._changed:
            unsettled = [each for each in self._by_place.values() if not each.settlement]
            times = [each.message.publish_time_us for each in unsettled]
            waiting = [each.message.publish_time_us for each in self._waiting]
            return OutstandingStats(
                waiting=len(self._waiting),
                processing=len(unsettled) - len(self._waiting),
                settled=len(self._by_place) - len(unsettled),
                size_bytes=self._size_bytes,
                overdue=sum(self._is_overdue(each, now_s) for each in unsettled),
                redelivered=self._redelivered,
                oldest_unacked_us=min(filter(None, times), default=None),
                oldest_waiting_us=min(filter(None, waiting), default=None),
            )

    def _receive(self, delivery: Delivery) -> None:
        now_s, message = self._clock(), delivery.message
        outstanding = self._by_place.get(message.place)
        if outstanding:
            self._redelivered += 1
            outstanding.ack_ids.append(delivery.ack_id)
            if outstanding.settlement:
                self._unsent[outstanding.settlement][delivery.ack_id] = None
        else:
            outstanding = _Outstanding(message, delivery.size_bytes, now_s, [delivery.ack_id])
            self._by_place[message.place] = outstanding
            self._waiting.append(outstanding)
            self._size_bytes += outstanding.size_bytes
        self._leases[delivery.ack_id] = _Lease(outstanding, now_s)
        if len(outstanding.ack_ids) > _MAX_ACK_IDS:
            self._remove(outstanding.ack_ids[0])

    def _nack_all(self) -> None:
        self._waiting.clear()
        self.settle(list(self._by_place), Settlement.NACK)

    def _remove(self, ack_id: str) -> None:
        lease = self._leases.pop(ack_id, None)
        if lease is None:
            return
        outstanding = lease.outstanding
        for unsent in self._unsent.values():
            unsent.pop(ack_id, None)
        outstanding.ack_ids.remove(ack_id)
        if not outstanding.ack_ids:
            del self._by_place[outstanding.message.place]
            self._size_bytes -= outstanding.size_bytes

    def _has_room(self) -> bool:
        settings = self._settings
        return len(self._by_place) < settings.max_messages and self._size_bytes < settings.max_bytes

    def _is_overdue(self, outstanding: _Outstanding, now_s: float) -> bool:
        return now_s - outstanding.received_s >= self._settings.max_lease_s
