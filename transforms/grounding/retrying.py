"""What is tried again, and after how long."""

from transforms.grounding.errors import Unavailable

FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 20.0
JITTER_S = 1.0
"""Waits double from the first to the longest; each has a random part of up to the jitter."""


def backoff(error: Exception) -> bool | float:
    """Decide about another attempt, in the form of stamina's backoff hook.

    Args:
      error: what the last attempt raised.

    Returns:
      False for never again, True for the usual wait, or the seconds the service asked for.
    """
    if not isinstance(error, Unavailable):
        return False
    return True if error.retry_after_s is None else error.retry_after_s
