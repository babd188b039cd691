"""How a step hands on what it could not handle."""

import time
from typing import Literal

from apache_beam.pvalue import TaggedOutput

from schemas.failure import Failure
from schemas.message import Message
from transforms import counters

FAILURES: Literal["failures"] = "failures"
"""The tag of every step's second output."""

MESSAGES = "messages"
"""The tag of a source's main output."""

TaggedFailure = TaggedOutput[Literal["failures"], Failure]


def failed_now(
    message: Message,
    step: str,
    error: Exception,
    *,
    retryable: bool,
    attempts: int = 1,
    first_failed_at_us: int | None = None,
    record_id: str | None = None,
) -> Failure:
    """Describe a failure that has just happened, and count it.

    Args:
      message: the original message.
      step: the label of the step that gave up.
      error: its class and message go into the failure; it must hold no text of the answer.
      retryable: whether trying again may help.
      attempts: how often the step tried.
      first_failed_at_us: when the first of them failed, if not just now.
      record_id: the answer's id, if the message was understood so far.

    Returns:
      The failure, ending now; a replayed message keeps its first time and its attempts.
    """
    now_us = time.time_ns() // 1000
    earlier = message.earlier
    counters.failed(type(error).__name__).inc()
    return Failure(
        record_id=record_id,
        step=step,
        error_class=type(error).__name__,
        error=str(error),
        retryable=retryable,
        attempts=attempts + (earlier.attempts if earlier else 0),
        first_failed_at_us=(
            earlier.first_failed_at_us if earlier else first_failed_at_us or now_us
        ),
        last_failed_at_us=now_us,
        message=message,
    )
