"""Decide whether a call is retried, and after how long."""

from transforms.grounding.errors import Unavailable

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 20.0
_FIRST_HOLD_S = 1.0
_LONGEST_HOLD_S = 30.0


def backoff(error: Exception, attempts: int, jitter: float, left_s: float) -> bool | float:
    """Return the wait before the next attempt, for stamina's backoff hook.

    Args:
      error: what the last attempt raised.
      attempts: attempts so far, at least 1.
      jitter: 0..1, random, so that calls that failed together are not retried together.
      left_s: seconds in which another attempt may start.

    Returns:
      Seconds: random up to a bound that doubles with each attempt, plus what the checker asks for.
      False for no further attempt, or if the wait exceeds `left_s`.
    """
    if not isinstance(error, Unavailable):
        return False
    bound_s = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** (attempts - 1))
    wait_s = (error.retry_after_s or 0.0) + jitter * bound_s
    return wait_s if wait_s <= left_s else False


def hold_backoff_s(error: Unavailable, attempts: int, jitter: float) -> float:
    """Return the wait before the next attempt of a call with OutagePolicy.HOLD.

    Args:
      error: what the last attempt raised.
      attempts: attempts so far, at least 1.
      jitter: 0..1, random.

    Returns:
      Seconds: half to all of a bound that doubles with each attempt, plus what the checker asks
      for.
    """
    bound_s = min(_LONGEST_HOLD_S, _FIRST_HOLD_S * 2.0 ** (attempts - 1))
    return (error.retry_after_s or 0.0) + bound_s * (0.5 + 0.5 * jitter)
