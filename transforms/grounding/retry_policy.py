"""Decide whether a call is retried, and after how long."""

from typing import Literal, NamedTuple

from transforms.grounding.errors import Unavailable


class Backoff(NamedTuple):
    """Waits that grow exponentially, up to a random share of a bound.

    Attributes:
      first_s: the bound of the first wait; it doubles with each attempt.
      longest_s: the longest bound.
      min_share: 0..1, the least share of the bound.
    """

    first_s: float
    longest_s: float
    min_share: float

    def wait_s(
        self, error: Exception, attempts: int, jitter: float, left_s: float
    ) -> Literal[False] | float:
        """Return the seconds before the next attempt, False for no further one.

        Args:
          error: what the last attempt raised; the checker may ask to wait.
          attempts: so far, at least 1.
          jitter: 0..1, random, so that calls that failed together are not retried together.
          left_s: seconds in which another attempt may start.
        """
        if not isinstance(error, Unavailable):
            return False
        bound_s = min(self.longest_s, self.first_s * 2.0 ** (attempts - 1))
        share = self.min_share + (1 - self.min_share) * jitter
        wait_s = (error.retry_after_s or 0.0) + share * bound_s
        return wait_s if wait_s <= left_s else False


LIMITED = Backoff(first_s=0.5, longest_s=20.0, min_share=0.0)
HOLD = Backoff(first_s=1.0, longest_s=30.0, min_share=0.5)
"""With OutagePolicy.HOLD."""
