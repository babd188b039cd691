"""A reply that is valid, and what it took."""

from schemas.record import Record
from schemas.wire.check import CheckResponse


class CheckReply(Record, frozen=True, kw_only=True):
    """A valid reply, and what it took.

    Attributes:
      response: the reply.
      attempts: requests sent for it; 0 when it had been paid for before.
      unknown_members: JSON of what no page describes, None where there is none.
    """

    response: CheckResponse
    attempts: int
    unknown_members: str | None = None
