"""Decide how long to wait before the next attempt."""

from typing import NamedTuple

_MAX_DOUBLINGS = 60


class RetrySchedule(NamedTuple):
    """Waits that grow exponentially, up to a random share of a bound.

    Attributes:
      first_s: the bound of the first wait; it doubles with each failure.
      longest_s: the longest bound.
      min_share: 0..1, the least share of the bound.
    """

    first_s: float
    longest_s: float
    min_share: float = 1.0

    def wait_s(self, failures: int, jitter: float = 1.0) -> float:
        """Return the seconds to wait.

        Args:
          failures: attempts that failed in a row, at least 1.
          jitter: 0..1, random, so that calls that failed together are not retried together.
        """
        bound_s = min(self.longest_s, self.first_s * 2.0 ** min(failures - 1, _MAX_DOUBLINGS))
        return (self.min_share + (1 - self.min_share) * jitter) * bound_s
