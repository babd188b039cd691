"""What is tried again, and after how long."""

from transforms.grounding.errors import Unavailable

FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 20.0
JITTER_S = 1.0
"""Waits double from the first to the longest; each has a random part of up to the jitter."""


def backoff(error: Exception, jitter: float, left_s: float) -> bool | float:
    """Decide about another attempt, in the form of stamina's backoff hook.

    Args:
      error: what the last attempt raised.
      jitter: 0..1, by chance, so that those who were refused together do not return together.
      left_s: seconds in which another attempt may still start.

    Returns:
      False for never again, True for the usual wait, or the seconds to wait: no fewer than the
      service asked for. A service that asks for more than is left is not asked again.
    """
    if not isinstance(error, Unavailable):
        return False
    if error.retry_after_s is None:
        return True
    return error.retry_after_s <= left_s and error.retry_after_s + jitter * JITTER_S
