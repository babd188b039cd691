"""A failure: one message that did not become an enriched record, and why."""

from schemas.message import Message
from schemas.record import Record


class Failure(Record, frozen=True, kw_only=True):
    """One message that one step could not handle, with what `replay` needs to try again.

    Attributes:
      record_id: the answer's id, None when the message was not understood.
      step: the label of the step that gave up.
      error_class: a short stable name such as ``UnreadableAnswer``.
      error: one sentence for a person, holding no text of the answer.
      retryable: whether trying again may help.
      attempts: how often the step tried, at least 1.
      first_failed_at_us, last_failed_at_us: microseconds since 1970 UTC.
      message: the original message.
    """

    record_id: str | None = None
    step: str
    error_class: str
    error: str
    retryable: bool
    attempts: int = 1
    first_failed_at_us: int
    last_failed_at_us: int
    message: Message
