"""How a subscription delivers, as it was created."""

from typing import Any

from groundwatch.schemas import Record

_DEFAULT_ATTEMPTS = 5
_DEFAULT_LEAST_BACKOFF_S = 10.0
_DEFAULT_MOST_BACKOFF_S = 600.0


class Policy(Record, frozen=True, kw_only=True):
    """How a subscription delivers.

    Attributes:
      ack_deadline_s: how long a lease lasts, unless its reader modifies it.
      least_backoff_s, most_backoff_s: how long a message is held back after its first failed
        delivery and at most; it doubles in between. None for not at all.
      most_attempts: after so many failed deliveries a message is a dead letter; None for never.
    """

    ack_deadline_s: float
    least_backoff_s: float | None = None
    most_backoff_s: float = _DEFAULT_MOST_BACKOFF_S
    most_attempts: int | None = None


def policy_of(subscription: Any) -> Policy:
    """Read the policy of a Subscription."""
    dead_letters, retries = subscription.dead_letter_policy, subscription.retry_policy
    most_attempts = least_backoff_s = None
    if subscription.HasField("dead_letter_policy"):
        most_attempts = dead_letters.max_delivery_attempts or _DEFAULT_ATTEMPTS
    if subscription.HasField("retry_policy"):
        least_backoff_s = _seconds(retries, "minimum_backoff", _DEFAULT_LEAST_BACKOFF_S)
    return Policy(
        ack_deadline_s=subscription.ack_deadline_seconds,
        least_backoff_s=least_backoff_s,
        most_backoff_s=_seconds(retries, "maximum_backoff", _DEFAULT_MOST_BACKOFF_S),
        most_attempts=most_attempts,
    )


def _seconds(retries: Any, field: str, default_s: float) -> float:
    if not retries.HasField(field):
        return default_s
    seconds: float = getattr(retries, field).ToTimedelta().total_seconds()
    return seconds
