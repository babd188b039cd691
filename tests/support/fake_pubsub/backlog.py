"""The messages of one subscription: waiting, held back for a while, or on lease."""

import heapq
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from tests.support.fake_pubsub.counts import Counts
from tests.support.fake_pubsub.leases import Flow, Lease, Leases, Pending
from tests.support.fake_pubsub.policy import Policy

_MOST_DOUBLINGS = 30


class Backlog:
    """Delivers each message until it is acknowledged; keeps nothing of those that are.

    It has no lock of its own, and no clock: every call says what time it is, in seconds.

    Args:
      policy: how to deliver.
      bury: takes a dead letter; returns False when it could not, and the message stays.
      numbers: ever new numbers, for ack ids.
    """

    def __init__(
        self, policy: Policy, bury: Callable[[Pending], bool], numbers: Iterator[int]
    ) -> None:
        self.policy = policy
        self._bury = bury
        self._numbers = numbers
        self._waiting: deque[Pending] = deque()
        self._held_back: list[tuple[float, int, Pending]] = []
        self._turns = itertools.count()
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
        ends_at_s = now_s + (self.policy.ack_deadline_s if lease_s is None else lease_s)
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
                self._fail(lease.pending, now_s)

    def counts(self, now_s: float) -> Counts:
        """Say how many messages went which way, and where the others are."""
        self._expire_leases(now_s)
        held_back = [pending for _, _, pending in self._held_back]
        left = [*self._waiting, *held_back, *self._leases.pendings()]
        oldest_s = min((pending.published_at_s for pending in left), default=now_s)
        return replace(
            self._counts,
            leased=len(self._leases),
            outstanding=len(left),
            oldest_unacked_age_s=now_s - oldest_s,
        )

    def _lease(self, pending: Pending, ends_at_s: float, flow: Flow | None) -> Lease:
        self._counts.delivered += 1
        self._counts.redelivered += pending.attempts > 0
        pending.attempts += 1
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
            self._fail(lease.pending, now_s)
        while self._held_back and self._held_back[0][0] <= now_s:
            self._waiting.append(heapq.heappop(self._held_back)[2])

    def _fail(self, pending: Pending, now_s: float) -> None:
        most_attempts = self.policy.most_attempts
        if most_attempts and pending.attempts >= most_attempts and self._bury(pending):
            self._counts.dead_lettered += 1
        elif self.policy.least_backoff_s is None:
            self._waiting.append(pending)
        else:
            doublings = min(pending.attempts - 1, _MOST_DOUBLINGS)
            backoff_s = min(self.policy.least_backoff_s * 2**doublings, self.policy.most_backoff_s)
            heapq.heappush(self._held_back, (now_s + backoff_s, next(self._turns), pending))
