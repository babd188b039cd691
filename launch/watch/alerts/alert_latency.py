"""Measure how long alerts take from the arrival of their messages."""

from collections import Counter
from collections.abc import Sequence

from groundwatch.schemas.message import Message
from groundwatch.transforms.runtime.counters import ALERT_LATENCY_MS

_US_PER_MS = 1_000


class AlertLatency(Counter[int]):
    """Measure the longest possible time from a message's arrival to its alert's publication.

    It counts the alerts that are durable and not published, by the arrival of the oldest message.
    """

    def add(self, messages: Sequence[Message], alerts: int) -> None:
        times_us = [m.arrived_us for m in messages if m.arrived_us is not None]
        if alerts and times_us:
            self[min(times_us)] += alerts

    def record_published(self, now_us: int) -> None:
        """Measure all pending alerts, which are published now, in microseconds since 1970 UTC."""
        for oldest_us in self.elements():
            ALERT_LATENCY_MS.update(max(0, now_us - oldest_us) // _US_PER_MS)
        self.clear()
