"""Signs of life of the worker's loop, for whoever asks from another thread."""

import time
from collections.abc import Callable


class Heartbeat:
    """Remembers when the loop came round last, and when it last got something done.

    Args:
      clock: seconds, never set back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._came_round_s = self._progressed_s = clock()

    def came_round(self, *, waiting: int) -> None:
        """Hear that the loop is about to pull.

        Args:
          waiting: messages that are in hand already; with none there is nothing to get done.
        """
        self._came_round_s = self._clock()
        if not waiting:
            self._progressed_s = self._came_round_s

    def progressed(self) -> None:
        """Hear that some message has come to its end."""
        self._progressed_s = self._clock()

    @property
    def since_round_s(self) -> float:
        """How long ago the loop came round."""
        return self._clock() - self._came_round_s

    @property
    def since_progress_s(self) -> float:
        """For how long messages have been waiting of which none came to its end."""
        return self._clock() - self._progressed_s
