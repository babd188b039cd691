"""How long it takes from a message's publication to its alert's."""

from collections.abc import Sequence

from schemas.message import Message
from transforms.runtime.counters import ALERT_LATENCY_MS

_US_PER_MS = 1_000


class AlertLatency:
    """Remembers alerts that are durable and not published, by the age of their batch's messages.

    Which message of a batch an alert is about is not known any more, so the oldest stands for all:
    what is counted is the longest that it may have been.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int]] = []

    @property
    def waiting(self) -> int:
        """How many alerts wait."""
        return sum(alerts for _, alerts in self._waiting)

    def raised(self, messages: Sequence[Message], alerts: int) -> None:
        """Hear that a batch raised so many alerts."""
        times_us = [m.publish_time_us for m in messages if m.publish_time_us is not None]
        if alerts and times_us:
            self._waiting.append((min(times_us), alerts))

    def published(self, now_us: int) -> None:
        """Hear that all alerts are published; counts them.

        Args:
          now_us: microseconds since 1970 UTC.
        """
        for oldest_us, alerts in self._waiting:
            for _ in range(alerts):
                ALERT_LATENCY_MS.update(max(0, now_us - oldest_us) // _US_PER_MS)
        self._waiting.clear()
