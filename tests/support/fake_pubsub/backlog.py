"""The messages of one subscription: waiting, or on lease."""

from collections import deque
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from tests.support.fake_pubsub.counts import Counts
from tests.support.fake_pubsub.leases import Flow, Lease, Leases, Pending


class Backlog:
    """Delivers each message until it is acknowledged; keeps nothing of those that are.

    It has no lock of its own, and no clock: every call says what time it is, in seconds.

    Args:
      ack_deadline_s: how long a lease lasts, unless its reader modifies it.
      numbers: ever new numbers, for ack ids.
    """

    def __init__(self, ack_deadline_s: float, numbers: Iterator[int]) -> None:
        self._ack_deadline_s = ack_deadline_s
        self._numbers = numbers
        self._waiting: deque[Pending] = deque()
        self._leases = Leases()
        self._counts = Counts()

    def add(self, pending: Pending) -> None:
        """Take in a message that was published."""
        self._waiting.append(pending)
        self._counts.published += 1

    def take(
        self,
        most_messages: int,
        most_bytes: int,
        now_s: float,
        *,
        lease_s: float | None = None,
        flow: Flow | None = None,
    ) -> list[Lease]:
        """Lease messages to a reader.

        Args:
          most_messages: how many at most.
          most_bytes: of what size together; one message is given whatever its size.
          now_s: the time.
          lease_s: for how long; None for the subscription's ack deadline.
          flow: what counts the messages that this reader holds.

        Returns:
          The leases, none when nothing is waiting.
        """
        self._expire_leases(now_s)
        ends_at_s = now_s + (self._ack_deadline_s if lease_s is None else lease_s)
        taken: list[Lease] = []
        while self._waiting and len(taken) < most_messages:
            most_bytes -= self._waiting[0].size_bytes
            if taken and most_bytes < 0:
                break
            taken.append(self._lease(self._waiting.popleft(), ends_at_s, flow))
        return taken

    def acknowledge(self, ack_ids: Iterable[str], now_s: float) -> None:
        """Delete messages whose lease has not ended; the others will be delivered again."""
        self._expire_leases(now_s)
        for ack_id in ack_ids:
            if self._leases.end(ack_id):
                self._counts.acknowledged += 1

    def prolong(self, ack_ids: Iterable[str], seconds: float, now_s: float) -> None:
        """Let leases end so many seconds from now; 0 refuses the messages."""
        self._expire_leases(now_s)
        for ack_id in ack_ids:
            if seconds:
                self._leases.prolong(ack_id, now_s + seconds)
            elif lease := self._leases.end(ack_id):
                self._counts.refused += 1
                self._waiting.append(lease.pending)

    def counts(self, now_s: float) -> Counts:
        """Say how many messages went which way, and where the others are."""
        self._expire_leases(now_s)
        leased = len(self._leases)
        return replace(self._counts, leased=leased, outstanding=len(self._waiting) + leased)

    def _lease(self, pending: Pending, ends_at_s: float, flow: Flow | None) -> Lease:
        self._counts.delivered += 1
        for _ in range(pending.copies):
            self._waiting.append(replace(pending, copies=0))
        pending.copies = 0
        # As long as the service's, whose requests may hold only so many of them.
        lease = Lease(f"{next(self._numbers):0176d}", pending, ends_at_s, flow)
        self._leases.add(lease)
        return lease

    def _expire_leases(self, now_s: float) -> None:
        for lease in self._leases.pop_ended(now_s):
            self._counts.expired += 1
            self._waiting.append(lease.pending)
