"""Make failures of messages that run into a defect, and must not stop the others."""

from schemas.failure import Failure
from schemas.message import Message
from transforms.runtime.failures import failed_now


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
