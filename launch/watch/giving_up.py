"""Failures of messages that no step could work off, and that must not stop the others."""

from schemas.answer import Answer
from schemas.failure import Failure
from schemas.message import Message
from transforms.failing import failed_now
from transforms.grounding.errors import Unavailable


class Defect(Exception):
    """A fault of groundwatch, met by one message."""


def failed_by_defect(message: Message, error: Exception) -> Failure:
    """Make a failure of a message that runs into a defect.

    Args:
      message: the original one.
      error: what was raised; only its class is told.
    """
    # The error's own words could hold an answer's text.
    defect = Defect(f"groundwatch ran into a defect: {type(error).__name__}")
    return failed_now(message, "ReadMessages", defect, retryable=True)


def failed_alone(answer: Answer, tries: int) -> Failure:
    """Make a failure of an answer that the checker does not answer for, as it does for others.

    Args:
      answer: the one.
      tries: how often its check was tried.
    """
    unavailable = Unavailable(
        f"no reply from the checker in {tries} tries, while it answered for most others"
    )
    return failed_now(
        answer.message,
        "CheckGrounding",
        unavailable,
        retryable=True,
        attempts=tries,
        record_id=answer.record_id,
    )
