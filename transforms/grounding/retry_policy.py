"""Decide whether a call is retried, and after how long."""

from typing import Literal

from groundwatch.transforms.runtime.retry_schedule import RetrySchedule
from .errors import Unavailable

LIMITED = RetrySchedule(first_s=0.5, longest_s=20.0, min_share=0.0)
HOLD = RetrySchedule(first_s=1.0, longest_s=30.0, min_share=0.5)
"""With OutagePolicy.HOLD."""


def retry_wait_s(
    schedule: RetrySchedule, error: Exception, attempts: int, jitter: float, left_s: float
) -> Literal[False] | float:
    """Return the seconds before the next attempt, False for no further one.

    Args:
      schedule: the waits.
      error: what the last attempt raised; the checker may ask to wait.
      attempts: so far, at least 1.
      jitter: 0..1, random.
      left_s: seconds in which another attempt may start.
    """
    if not isinstance(error, Unavailable):
        return False
    wait_s = (error.retry_after_s or 0.0) + schedule.wait_s(attempts, jitter)
    return wait_s if wait_s <= left_s else False
