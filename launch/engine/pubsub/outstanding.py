"""Track outstanding messages until they are acknowledged."""

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum, auto

import msgspec

from groundwatch.schemas import Record
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import MEGABYTE, SECOND_US

_MAX_ACK_IDS = 5  # of one message: one that is outstanding for days is delivered again every minute


class PullSettings(Record, frozen=True, kw_only=True):
    """How many messages may be outstanding, and for how long."""

    max_messages: int = 2_000  # one response, of at most 1,000 messages, may go beyond
    max_bytes: int = 64 * MEGABYTE
    lease_s: int = 60  # 10..600: after it a dead process's messages are delivered again
    max_lease_s: float = 3_600.0  # for which the lease of a message is extended
    lease_check_every_s: float = 1.0
    reopen_after_s: float = 60.0  # a stream on which nothing came
    call_timeout_s: float = 10.0


class Settlement(Enum):
    """Whether Pub/Sub deletes a message, or delivers it again at once."""

    ACK = auto()
    NACK = auto()


ReceivedMessage = tuple[str, Message, int]
"""The ack id, the message, whose `place` is the message id, and its size in bytes."""


class SubscriptionStats(Record, frozen=True, kw_only=True):
    """Statistics of a subscription, as seen from this process.

    Messages are waiting until they are pulled, processing until they are acknowledged, and settled
    until Pub/Sub accepts the ack or nack. The leases of overdue ones are not extended any more.
    """

    waiting: int = 0
    processing: int = 0
    settled: int = 0
    size_bytes: int = 0
    overdue: int = 0
    redelivered: int = 0
    oldest_unacked_age_s: float = 0.0
    oldest_waiting_age_s: float = 0.0
    is_available: bool = True

    @property
    def outstanding(self) -> int:
        """How many messages were received and neither acked nor nacked."""
        return self.waiting + self.processing


class _Outstanding(msgspec.Struct):
    """A message, and when each of its leases was extended last, by ack id."""

    message: Message
    size_bytes: int
    received_s: float
    leases: dict[str, float] = {}
    settlement: Settlement | None = None


class OutstandingMessages:
    """Track each message once, however often it is delivered; for any number of threads.

    A message that is delivered again while it is outstanding is not returned again: its new lease
    joins the old one, and one ack or nack counts for both.
    """

    def __init__(
        self, settings: PullSettings, clock: Callable[[], float], wall_clock: Callable[[], float]
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._wall_clock = wall_clock
        self._changed = threading.Condition()
        self._by_place: dict[str, _Outstanding] = {}
        self._by_ack_id: dict[str, _Outstanding] = {}
        self._waiting: deque[_Outstanding] = deque()
        self._unsent: dict[Settlement, dict[str, None]] = {each: {} for each in Settlement}
        self._size_bytes = 0
        self._redelivered = 0
        self._is_closed = False
        self._failure: Exception | None = None

    def receive(self, deliveries: Iterable[ReceivedMessage]) -> None:
        with self._changed:
            for ack_id, message, size_bytes in deliveries:
                self._receive(ack_id, message, size_bytes)
            if self._is_closed:
                self._nack_all()
            self._changed.notify_all()

    @property
    def has_room(self) -> bool:
        settings = self._settings
        return len(self._by_place) < settings.max_messages and self._size_bytes < settings.max_bytes

    @property
    def size_bytes(self) -> int:
        """The size of all messages, by what they were received with."""
        return self._size_bytes

    def wait_for_room(self) -> None:
        """Wait until more messages may be outstanding, or until `close`."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or self.has_room)

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> tuple[Message, ...]:
        """Return waiting messages, after a wait for a first one, or raise the error of `fail`.

        The first one may exceed `max_bytes`. After `close` there are none.
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

    def mark(self, places: Iterable[str], settlement: Settlement) -> None:
        """Ack or nack messages; ignore those that have been already, and unknown ones."""
        with self._changed:
            for place in places:
                outstanding = self._by_place.get(place)
                if outstanding and not outstanding.settlement:
                    outstanding.settlement = settlement
                    self._unsent[settlement].update(dict.fromkeys(outstanding.leases))

    def close(self) -> None:
        """Return no more messages, and nack those that are outstanding or still arrive."""
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
        """List ack ids whose ack or nack Pub/Sub has not accepted."""
        with self._changed:
            return list(itertools.islice(self._unsent[settlement], max_ack_ids))

    def remove(self, ack_ids: Iterable[str]) -> None:
        """Remove leases that have ended, and messages that have no other lease."""
        with self._changed:
            for ack_id in ack_ids:
                self._remove_lease(ack_id)
            self._changed.notify_all()

    def leases_to_extend(self) -> list[str]:
        """List the ack ids whose leases are half over and not overdue."""
        now_s = self._clock()
        half_over_s = now_s - self._settings.lease_s / 2
        with self._changed:
            return [
                ack_id
                for outstanding in self._by_place.values()
                if not outstanding.settlement and not self._is_overdue(outstanding, now_s)
                for ack_id, extended_s in outstanding.leases.items()
                if extended_s <= half_over_s
            ]

    def record_extension(self, ack_ids: Iterable[str], extended_s: float) -> None:
        with self._changed:
            for ack_id in ack_ids:
                if outstanding := self._by_ack_id.get(ack_id):
                    outstanding.leases[ack_id] = extended_s

    def stats(self) -> SubscriptionStats:
        now_s = self._clock()
        with self._changed:
            unacked = [each for each in self._by_place.values() if not each.settlement]
            return SubscriptionStats(
                waiting=len(self._waiting),
                processing=len(unacked) - len(self._waiting),
                settled=len(self._by_place) - len(unacked),
                size_bytes=self._size_bytes,
                overdue=sum(self._is_overdue(each, now_s) for each in unacked),
                redelivered=self._redelivered,
                oldest_unacked_age_s=self._oldest_age_s(unacked),
                oldest_waiting_age_s=self._oldest_age_s(self._waiting),
            )

    def _receive(self, ack_id: str, message: Message, size_bytes: int) -> None:
        now_s = self._clock()
        outstanding = self._by_place.get(message.place)
        if outstanding:
            self._redelivered += 1
            if outstanding.settlement:
                self._unsent[outstanding.settlement][ack_id] = None
        else:
            outstanding = _Outstanding(message, size_bytes, now_s)
            self._by_place[message.place] = outstanding
            self._waiting.append(outstanding)
            self._size_bytes += size_bytes
        outstanding.leases[ack_id] = now_s
        self._by_ack_id[ack_id] = outstanding
        if len(outstanding.leases) > _MAX_ACK_IDS:
            self._remove_lease(next(iter(outstanding.leases)))

    def _nack_all(self) -> None:
        self._waiting.clear()
        self.mark(list(self._by_place), Settlement.NACK)

    def _remove_lease(self, ack_id: str) -> None:
        """End a lease, and remove its message with the last one."""
        if outstanding := self._by_ack_id.pop(ack_id, None):
            for unsent in self._unsent.values():
                unsent.pop(ack_id, None)
            del outstanding.leases[ack_id]
            if not outstanding.leases:
                del self._by_place[outstanding.message.place]
                self._size_bytes -= outstanding.size_bytes

    def _is_overdue(self, outstanding: _Outstanding, now_s: float) -> bool:
        return now_s - outstanding.received_s >= self._settings.max_lease_s

    def _oldest_age_s(self, outstanding: Iterable[_Outstanding]) -> float:
        times_us = filter(None, (each.message.arrived_us for each in outstanding))
        oldest_us = min(times_us, default=None)
        return max(0.0, self._wall_clock() - oldest_us / SECOND_US) if oldest_us else 0.0
