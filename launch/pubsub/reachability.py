"""Track whether Pub/Sub answers, and compute the backoff."""

import logging
import random
import threading
import time
from collections.abc import Callable

_FIRST_WAIT_S = 0.1
_MAX_WAIT_S = 2.0
_MAX_DOUBLINGS = 10
_log = logging.getLogger(__name__)


class Reachability:
    """Track failures of one kind of call, and log when they begin and end.

    A first failure is not logged: Pub/Sub ends every stream now and then.

    Args:
      action: what the calls do, such as "pull from projects/p/subscriptions/s".
      clock: seconds, monotonic.
      chance: 0..1, the jitter of the backoff.
    """

    def __init__(
        self,
        action: str,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self.action = action
        self._clock = clock
        self._chance = chance
        self._lock = threading.Lock()
        self._failures = 0
        self._failing_since_s: float | None = None

    @property
    def is_away(self) -> bool:
        """Whether an outage was logged."""
        return self._failures > 1

    def succeeded(self) -> None:
        """Record that Pub/Sub answered."""
        with self._lock:
            if self.is_away and self._failing_since_s is not None:
                _log.warning(
                    "Pub/Sub answers again after %.0f s: %s",
                    self._clock() - self._failing_since_s,
                    self.action,
                )
            self._failures = 0
            self._failing_since_s = None

    def failed(self, error: Exception) -> float:
        """Record that Pub/Sub did not answer.

        Args:
          error: only the name of its class is logged.

        Returns:
          The seconds to wait before the next attempt: exponential backoff with full jitter.
        """
        with self._lock:
            self._failures += 1
            if self._failures == 1:
                self._failing_since_s = self._clock()
            if self._failures == 2:  # noqa: PLR2004 - the second in a row
                _log.warning(
                    "Pub/Sub does not answer (%s): retrying to %s",
                    type(error).__name__,
                    self.action,
                )
            doublings = min(self._failures - 1, _MAX_DOUBLINGS)
            return self._chance() * min(_FIRST_WAIT_S * 2.0**doublings, _MAX_WAIT_S)
