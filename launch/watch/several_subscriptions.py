"""Read several subscriptions as one."""

from collections.abc import Iterable, Sequence
from itertools import cycle, islice

from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.launch.engine.pubsub.subscription import Subscription
from groundwatch.schemas.message import Message


class SeveralSubscriptions:
    """Pull from subscriptions in turn; each ignores the places of the others."""

    def __init__(self, subscriptions: Sequence[Subscription]) -> None:
        self._subscriptions = subscriptions
        self._turns = cycle(subscriptions)

    def pull(self, max_messages: int, max_bytes: int, wait_s: float) -> Sequence[Message]:
        """Return messages of the next subscription that has any, after a wait for a first one."""
        share_s = wait_s / len(self._subscriptions)
        for each in islice(self._turns, len(self._subscriptions)):
            if messages := each.pull(max_messages, max_bytes, share_s):
                return messages
        return ()

    def acknowledge(self, places: Iterable[str]) -> None:
        listed = [*places]
        for each in self._subscriptions:
            each.acknowledge(listed)

    def stats(self) -> SubscriptionStats:
        """Add the counts; the ages are those of the oldest message."""
        found = [each.stats() for each in self._subscriptions]
        return SubscriptionStats(
            waiting=sum(each.waiting for each in found),
            processing=sum(each.processing for each in found),
            settled=sum(each.settled for each in found),
            size_bytes=sum(each.size_bytes for each in found),
            overdue=sum(each.overdue for each in found),
            redelivered=sum(each.redelivered for each in found),
            oldest_unacked_age_s=max(each.oldest_unacked_age_s for each in found),
            oldest_waiting_age_s=max(each.oldest_waiting_age_s for each in found),
            is_available=all(each.is_available for each in found),
        )

    def close(self, within_s: float) -> None:
        """Stop reading; the time is for all of them."""
        for each in self._subscriptions:
            each.close(within_s / len(self._subscriptions))
