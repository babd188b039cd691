"""What is tried again, and after how long."""

from transforms.grounding.errors import Unavailable

_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 20.0
_FIRST_HOLD_S = 1.0
_LONGEST_HOLD_S = 30.0


def hold_backoff_s(attempts: int, asked_s: float | None, jitter: float) -> float:
    """Choose how long a call that is held waits before its next attempt.

    Args:
      attempts: how many there have been, at least 1.
      asked_s: what the checker asked for, None if nothing.
      jitter: 0..1, random.

    Returns:
      Seconds: half to all of a bound that doubles with each attempt, and no fewer than asked.
    """
    bound_s = min(_LONGEST_HOLD_S, _FIRST_HOLD_S * 2.0 ** (attempts - 1))
    return (asked_s or 0.0) + bound_s * (0.5 + 0.5 * jitter)


def backoff(error: Exception, attempts: int, jitter: float, left_s: float) -> bool | float:
    """Decide about another attempt, in the form of stamina's backoff hook.

    Args:
      error: what the last attempt raised.
      attempts: how many there have been, at least 1.
      jitter: 0..1, by chance, so that those who were refused together do not return together.
      left_s: seconds in which another attempt may still start.

    Returns:
      The seconds to wait: by chance up to a bound that doubles with each attempt, and no fewer
      than the service asked for. False for never again, or for a wait beyond what is left.
    """
    if not isinstance(error, Unavailable):
        return False
    asked_s = error.retry_after_s or 0.0
    wait_s = asked_s + jitter * min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2.0 ** (attempts - 1))
    return wait_s if wait_s <= left_s else False
