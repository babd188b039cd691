"""The messages that this process holds, from their delivery until Pub/Sub knows their fate."""

import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum

import msgspec

from launch.pubsub.delivery import Delivery
from launch.pubsub.settings import PullSettings
from schemas import Record
from schemas.message import Message

_MOST_ACK_IDS = 5
"""Of one message: one held for days is delivered again every minute, old leases being over."""


class Fate(Enum):
    """What Pub/Sub is to do with a message."""

    FORGET = "forget"
    DELIVER_AGAIN = "deliver again"


class Holding(Record, frozen=True, kw_only=True):
    """How many messages are held, by how far they are.

    Attributes:
      waiting: not handed out yet.
      in_work: handed out, not settled.
      settled: settled, but Pub/Sub has not heard of it yet.
      size_bytes: of all of them.
      overdue: not settled for so long that their leases are not prolonged any more.
      redelivered: deliveries, so far, of messages that were held already.
      oldest_publish_time_us: microseconds since 1970 UTC, of those not settled; None for none.
      oldest_waiting_us: the same of those not handed out yet.
    """

    waiting: int
    in_work: int
    settled: int
    size_bytes: int
    overdue: int
    redelivered: int
    oldest_publish_time_us: int | None
    oldest_waiting_us: int | None = None


class _Held(msgspec.Struct):
    message: Message
    size_bytes: int
    received_s: float
    ack_ids: list[str]
    fate: Fate | None = None


class _Lease(msgspec.Struct):
    held: _Held
    began_s: float


class Held:
    """Remembers each message once, however often it is delivered; for any number of threads.

    A message that comes again while it is held is not handed out again: its new lease joins the
    old one, and what becomes of the message settles both.

    Args:
      settings: how much to hold, and for how long leases last.
      clock: seconds, never set back.
    """

    def __init__(self, settings: PullSettings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._changed = threading.Condition()
        self._by_place: dict[str, _Held] = {}
        self._leases: dict[str, _Lease] = {}
        self._waiting: deque[_Held] = deque()
        self._unsent: dict[Fate, dict[str, None]] = {fate: {} for fate in Fate}
        self._size_bytes = 0
        self._redelivered = 0
        self._closed = False
        self._failure: Exception | None = None

    def receive(self, deliveries: Iterable[Delivery]) -> None:
        """Take in what was delivered."""
        with self._changed:
            for delivery in deliveries:
                self._receive_one(delivery)
            if self._closed:
                self._refuse_all()
            self._changed.notify_all()

    def wait_for_room(self) -> None:
        """Wait until more may be held, or the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._has_room())

    def take(self, most_messages: int, most_bytes: int, wait_s: float) -> tuple[Message, ...]:
        """Hand out messages, waiting for a first one.

        Args:
          most_messages: how many at most.
          most_bytes: of what size together; one is handed out whatever its size.
          wait_s: how long to wait for a first one.

        Raises:
          Exception: what `fail` was told.
        """
        with self._changed:
            self._changed.wait_for(
                lambda: self._waiting or self._closed or self._failure, timeout=wait_s
            )
            if self._failure:
                raise self._failure
            return tuple(self._take(most_messages, most_bytes))

    def settle(self, places: Iterable[str], fate: Fate) -> None:
        """Decide about messages; those decided about before, or not held, are passed over."""
        with self._changed:
            for place in places:
                held = self._by_place.get(place)
                if held and not held.fate:
                    held.fate = fate
                    self._unsent[fate].update(dict.fromkeys(held.ack_ids))

    def close(self) -> None:
        """Hand out nothing more, and refuse what is not settled and what still comes."""
        with self._changed:
            self._closed = True
            self._refuse_all()
            self._changed.notify_all()

    def fail(self, error: Exception) -> None:
        """Hear why nothing more will come."""
        with self._changed:
            self._failure = error
            self._changed.notify_all()

    def unsent(self, fate: Fate, most: int) -> list[str]:
        """List ack ids, so many at most, whose fate Pub/Sub has not heard of."""
        with self._changed:
            return list(itertools.islice(self._unsent[fate], most))

    def sent(self, ack_ids: Iterable[str]) -> None:
        """Let go of leases, and of the messages that have no other."""
        with self._changed:
            for ack_id in ack_ids:
                self._let_go(ack_id)
            self._changed.notify_all()

    def due(self) -> list[str]:
        """List the ack ids whose leases are half over, and worth prolonging."""
        now_s = self._clock()
        half_over_s = now_s - self._settings.lease_s / 2
        with self._changed:
            return [
                ack_id
                for ack_id, lease in self._leases.items()
                if lease.began_s <= half_over_s
                and not lease.held.fate
                and not self._is_overdue(lease.held, now_s)
            ]

    def prolonged(self, ack_ids: Iterable[str], began_s: float) -> None:
        """Let leases begin anew, those that are still there."""
        with self._changed:
            for ack_id in ack_ids:
                if lease := self._leases.get(ack_id):
                    lease.began_s = began_s

    def holding(self) -> Holding:
        """Count what is held."""
        now_s = self._clock()
        with self._changed:
            unsettled = [held for held in self._by_place.values() if not held.fate]
            times = [held.message.publish_time_us for held in unsettled]
            waiting = [held.message.publish_time_us for held in self._waiting]
            return Holding(
                waiting=len(self._waiting),
                in_work=len(unsettled) - len(self._waiting),
                settled=len(self._by_place) - len(unsettled),
                size_bytes=self._size_bytes,
                overdue=sum(self._is_overdue(held, now_s) for held in unsettled),
                redelivered=self._redelivered,
                oldest_publish_time_us=min(filter(None, times), default=None),
                oldest_waiting_us=min(filter(None, waiting), default=None),
            )

    def _receive_one(self, delivery: Delivery) -> None:
        now_s, message = self._clock(), delivery.message
        held = self._by_place.get(message.place)
        if held:
            self._redelivered += 1
            held.ack_ids.append(delivery.ack_id)
            if held.fate:
                self._unsent[held.fate][delivery.ack_id] = None
        else:
            held = _Held(message, delivery.size_bytes, now_s, [delivery.ack_id])
            self._by_place[message.place] = held
            self._waiting.append(held)
            self._size_bytes += held.size_bytes
        self._leases[delivery.ack_id] = _Lease(held, now_s)
        if len(held.ack_ids) > _MOST_ACK_IDS:
            self._let_go(held.ack_ids[0])

    def _take(self, most_messages: int, most_bytes: int) -> list[Message]:
        taken: list[Message] = []
        while self._waiting and len(taken) < most_messages:
            most_bytes -= self._waiting[0].size_bytes
            if taken and most_bytes < 0:
                break
            taken.append(self._waiting.popleft().message)
        return taken

    def _refuse_all(self) -> None:
        self._waiting.clear()
        self.settle(list(self._by_place), Fate.DELIVER_AGAIN)

    def _let_go(self, ack_id: str) -> None:
        lease = self._leases.pop(ack_id, None)
        if lease is None:
            return
        held = lease.held
        for unsent in self._unsent.values():
            unsent.pop(ack_id, None)
        held.ack_ids.remove(ack_id)
        if not held.ack_ids:
            del self._by_place[held.message.place]
            self._size_bytes -= held.size_bytes

    def _has_room(self) -> bool:
        settings = self._settings
        return (
            len(self._by_place) < settings.most_messages and self._size_bytes < settings.most_bytes
        )

    def _is_overdue(self, held: _Held, now_s: float) -> bool:
        return now_s - held.received_s >= self._settings.most_lease_s
