"""Throttle calls adaptively, and report the delay to Beam's autoscaler."""

import random
import threading
import time

from apache_beam.io.components.adaptive_throttler import ThrottlingSignaler
from apache_beam.io.components.util import MovingSum

from transforms.runtime.counters import NAMESPACE

_WINDOW_MS = 5_000
"""Calls count for this long. After an outage the rate grows by e in a third of it."""

_BUCKET_MS = 500
_OVERLOAD_RATIO = 3.0
"""Calls that may end per answered call before some are throttled.

With the book's 2, a service that fails a little more often than it answers gets almost no calls,
although retries still succeed there.
"""

_GRACE = 20
"""Calls that may fail before any is throttled, so that a first fault changes nothing."""


class AdaptiveThrottle:
    """Throttle calls as in Google's SRE book, visible to Beam's autoscaler.

    Beam's own throttler counts a call when it starts, so that the first second of a run, in which
    nothing is answered yet, looks like an outage. This one counts a call when it ends.

    Failures that always hit the same answers must not slow down the others. While some calls are
    answered, all failures throttle retries, but only overload errors throttle first attempts.

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
        """Decide at random whether a call has to wait; more likely the more calls have failed.

        Args:
          is_retry: whether the call was sent before.
        """
        now_ms = _now_ms()
        ended, answered = self._ended.sum(now_ms), self._answered.sum(now_ms)
        if answered and not is_retry:
            ended = answered + self._overloaded.sum(now_ms)
        excess = ended - _OVERLOAD_RATIO * answered - _GRACE
        if excess <= 0 or random.random() >= excess / (ended + 1):  # noqa: S311 - not a secret
            return False
        # Many waiting retries would throttle each other although other calls are answered.
        if not (is_retry and answered):
            self._ended.add(now_ms, 1)
        if not is_retry:
            self._overloaded.add(now_ms, 1)
        return True

    def succeeded(self) -> None:
        """Count an answered call."""
        now_ms = _now_ms()
        self._ended.add(now_ms, 1)
        self._answered.add(now_ms, 1)

    def failed(self, *, is_overload: bool) -> None:
        """Count a failed call.

        Args:
          is_overload: whether the service reports overload.
        """
        now_ms = _now_ms()
        self._ended.add(now_ms, 1)
        if is_overload:
            self._overloaded.add(now_ms, 1)

    def waited(self, seconds: float) -> None:
        """Add the time that a call was throttled."""
        with self._lock:
            self._waited_s += seconds

    def signal(self) -> None:
        """Report new whole seconds of throttling to Beam; on a bundle thread only."""
        with self._lock:
            whole_s = int(self._waited_s)
            self._waited_s -= whole_s
        if whole_s:
            self._signaler.signal_throttled(whole_s)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
