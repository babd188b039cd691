"""Delivered messages that are not acknowledged: each is leased to its reader."""

import heapq
from typing import Any

import msgspec

_MOST_STALE_ENDS = 1_000


class Pending(msgspec.Struct):
    """A message that a subscription still has to deliver, or to see acknowledged.

    Attributes:
      message: the PubsubMessage.
      size_bytes: its size on the wire.
      copies: how many further times it will be delivered without need.
    """

    message: Any
    size_bytes: int
    copies: int = 0


class Flow(msgspec.Struct):
    """What one streaming reader is willing to hold, and what it holds.

    Attributes:
      most_messages, most_bytes: at most, but for a last message that goes beyond the bytes.
      held_messages, held_bytes: on lease to it now.
    """

    most_messages: int
    most_bytes: int
    held_messages: int = 0
    held_bytes: int = 0


class Lease(msgspec.Struct):
    """One delivery: who holds which message until when.

    Attributes:
      ack_id: acknowledges it.
      pending: the message.
      ends_at_s: seconds since 1970.
      flow: of the streaming reader that holds it, None for another.
    """

    ack_id: str
    pending: Pending
    ends_at_s: float
    flow: Flow | None


class Leases:
    """The leases of one subscription, found by their ack id and by their end."""

    def __init__(self) -> None:
        self._leases: dict[str, Lease] = {}
        self._ends: list[tuple[float, str]] = []

    def __len__(self) -> int:
        return len(self._leases)

    def add(self, lease: Lease) -> None:
        """Begin a lease."""
        if lease.flow:
            lease.flow.held_messages += 1
            lease.flow.held_bytes += lease.pending.size_bytes
        self._leases[lease.ack_id] = lease
        self._note_end(lease)

    def end(self, ack_id: str) -> Lease | None:
        """End a lease before its time; None when there is none, or none any more."""
        lease = self._leases.pop(ack_id, None)
        if lease and lease.flow:
            lease.flow.held_messages -= 1
            lease.flow.held_bytes -= lease.pending.size_bytes
        return lease

    def prolong(self, ack_id: str, ends_at_s: float) -> None:
        """Move a lease's end; there may be no such lease any more."""
        if lease := self._leases.get(ack_id):
            lease.ends_at_s = ends_at_s
            self._note_end(lease)

    def pop_ended(self, now_s: float) -> list[Lease]:
        """End all leases whose time is up."""
        ended = []
        while self._ends and self._ends[0][0] <= now_s:
            ends_at_s, ack_id = heapq.heappop(self._ends)
            lease = self._leases.get(ack_id)
            if lease and lease.ends_at_s == ends_at_s:
                self.end(ack_id)
                ended.append(lease)
        return ended

    def _note_end(self, lease: Lease) -> None:
        heapq.heappush(self._ends, (lease.ends_at_s, lease.ack_id))
        if len(self._ends) > 2 * len(self._leases) + _MOST_STALE_ENDS:
            self._ends = [(lease.ends_at_s, lease.ack_id) for lease in self._leases.values()]
            heapq.heapify(self._ends)
