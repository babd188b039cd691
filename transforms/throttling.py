"""Holding calls back while the service refuses, in a way that Beam's autoscaler sees."""

import random
import threading
import time

from apache_beam.io.components.adaptive_throttler import ThrottlingSignaler
from apache_beam.io.components.util import MovingSum

from transforms.counters import NAMESPACE

_WINDOW_MS = 5_000
"""How far back calls count. After an outage their rate grows by e in a third of this."""

_BUCKET_MS = 500
_OVERLOAD_RATIO = 3.0
"""How many calls may end for each that is answered before some are held back.

A service that answers fewer than one in so many is soon asked hardly at all. The book's 2 would do
that to one that fails a little more often than it answers, where trying again still pays.
"""

_GRACE = 20
"""So many calls may fail before any is held back: a small job's first fault is no outage."""


class AdaptiveThrottle:
    """Client-side throttling after Google's SRE book, told to Beam's autoscaler.

    Unlike Beam's own throttler it counts a call when it ends, not when it leaves: else the first
    second of a run, in which nothing has been answered yet, would look like an outage.

    Failures that always hit the same answers must not slow down the others. So while some calls
    are answered, only failures for overload hold back calls that are sent for the first time; all
    failures hold back retries.

    Source: https://sre.google/sre-book/handling-overload/, "Client-Side Throttling"
    """

    def __init__(self) -> None:
        self._ended = MovingSum(_WINDOW_MS, _BUCKET_MS)
        self._answered = MovingSum(_WINDOW_MS, _BUCKET_MS)
        self._overloaded = MovingSum(_WINDOW_MS, _BUCKET_MS)
        self._signaler = ThrottlingSignaler(NAMESPACE)
        self._lock = threading.Lock()
        self._waited_s = 0.0

    def must_wait(self, *, is_retry: bool) -> bool:
        """Decide, by chance, whether a call has to wait: the more often, the more have failed.

        Args:
          is_retry: whether it was sent before.
        """
        now_ms = _now_ms()
        ended, answered = self._ended.sum(now_ms), self._answered.sum(now_ms)
        if answered and not is_retry:
            ended = answered + self._overloaded.sum(now_ms)
        excess = ended - _OVERLOAD_RATIO * answered - _GRACE
        # What is certain needs no chance.
        if excess <= 0 or random.random() >= excess / (ended + 1):  # noqa: S311 - no secret
            return False
        # Retries that wait are many, and would hold back each other where others are answered.
        if not (is_retry and answered):
            self._ended.add(now_ms, 1)
        if not is_retry:
            self._overloaded.add(now_ms, 1)
        return True

    def succeeded(self) -> None:
        """Hear that a call was answered."""
        now_ms = _now_ms()
        self._ended.add(now_ms, 1)
        self._answered.add(now_ms, 1)

    def failed(self, *, is_overload: bool) -> None:
        """Note that a call failed.

        Args:
          is_overload: whether the service says that there are too many.
        """
        now_ms = _now_ms()
        self._ended.add(now_ms, 1)
        if is_overload:
            self._overloaded.add(now_ms, 1)

    def waited(self, seconds: float) -> None:
        """Hear for how long a call was held back."""
        with self._lock:
            self._waited_s += seconds

    def signal(self) -> None:
        """Report the whole seconds waited since the last call to Beam; on a bundle thread only."""
        with self._lock:
            whole_s = int(self._waited_s)
            self._waited_s -= whole_s
        if whole_s:
            self._signaler.signal_throttled(whole_s)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
