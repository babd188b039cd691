"""Holding calls back while the service refuses, in a way that Beam's autoscaler sees."""

import time

from apache_beam.io.components.adaptive_throttler import AdaptiveThrottler, ThrottlingSignaler

from transforms.counters import NAMESPACE

_WINDOW_MS = 5_000
_BUCKET_MS = 500
_OVERLOAD_RATIO = 2.0
"""Beam's own defaults look back one millisecond, which throttles nothing: apache/beam#31941.

The window sets how fast calls come back: after an outage their rate grows by e in half a window.
"""


class AdaptiveThrottle:
    """Client-side throttling after Google's SRE book, with Beam's formula and Beam's counter.

    Source: https://sre.google/sre-book/handling-overload/, "Client-Side Throttling"
    """

    def __init__(self) -> None:
        self._throttler = AdaptiveThrottler(_WINDOW_MS, _BUCKET_MS, _OVERLOAD_RATIO)
        self._signaler = ThrottlingSignaler(NAMESPACE)
        self._waited_s = 0.0

    def must_wait(self) -> bool:
        """Tell, by chance, whether a call has to wait: the more often, the more were refused."""
        return bool(self._throttler.throttle_request(_now_ms()))

    def succeeded(self) -> None:
        """Hear that a call was answered."""
        self._throttler.successful_request(_now_ms())

    def waited(self, seconds: float) -> None:
        """Hear for how long a call was held back."""
        self._waited_s += seconds

    def signal(self) -> None:
        """Tell Beam of whole seconds waited since; on the bundle's thread only."""
        whole_s = int(self._waited_s)
        if whole_s:
            self._waited_s -= whole_s
            self._signaler.signal_throttled(whole_s)


def _now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
