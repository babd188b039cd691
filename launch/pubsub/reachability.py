"""Whether Pub/Sub answers: how long to wait before trying again, and one line a change."""

import logging
import random
import threading
import time
from collections.abc import Callable

_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 2.0
_MOST_DOUBLINGS = 10
_log = logging.getLogger(__name__)


class Reachability:
    """Hears how the calls of one kind fare, and says in the log when that changes.

    A first failure is not worth a word: Pub/Sub ends every stream now and then.

    Args:
      action: what the calls do, such as "pull from projects/p/subscriptions/s".
      clock: seconds, never set back.
      chance: 0..1, so that those who failed together do not return together.
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
        """Whether Pub/Sub was said not to answer."""
        return self._failures > 1

    def succeeded(self) -> None:
        """Hear that Pub/Sub answered."""
        with self._lock:
            if self.is_away and self._failing_since_s is not None:
                _log.warning(
                    "Pub/Sub answers again after %.0f s: going on to %s",
                    self._clock() - self._failing_since_s,
                    self.action,
                )
            self._failures = 0
            self._failing_since_s = None

    def failed(self, error: Exception) -> float:
        """Hear that Pub/Sub did not answer.

        Args:
          error: how; only its name is told.

        Returns:
          The seconds to wait before trying again: by chance up to a bound that doubles.
        """
        with self._lock:
            self._failures += 1
            if self._failures == 1:
                self._failing_since_s = self._clock()
            if self._failures == 2:  # noqa: PLR2004 - the second in a row
                _log.warning(
                    "Pub/Sub does not answer (%s): trying on to %s",
                    type(error).__name__,
                    self.action,
                )
            doublings = min(self._failures - 1, _MOST_DOUBLINGS)
            return self._chance() * min(_FIRST_WAIT_S * 2.0**doublings, _LONGEST_WAIT_S)
