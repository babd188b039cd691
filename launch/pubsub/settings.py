"""How messages are pulled and published."""

from schemas import Record
from schemas.quantities import MEGABYTE


class PullSettings(Record, frozen=True, kw_only=True):
    """How many messages are held, and for how long.

    Attributes:
      most_messages, most_bytes: nothing more is read while so much is held, settled messages of
        which Pub/Sub has not heard yet included. One response, of at most 1,000 messages, may go
        beyond.
      lease_s: 10..600; how long after the death of this process its messages come again.
      most_lease_s: leases of a message are prolonged for so long, and then no more.
      look_every_s: how often leases are looked at.
      reopen_after_s: a stream on which nothing came for so long is opened again.
      call_timeout_s: for one call of Pub/Sub.
    """

    most_messages: int = 2_000
    most_bytes: int = 64 * MEGABYTE
    lease_s: int = 60
    most_lease_s: float = 3_600.0
    look_every_s: float = 1.0
    reopen_after_s: float = 60.0
    call_timeout_s: float = 10.0


class PublishSettings(Record, frozen=True, kw_only=True):
    """How long publishing may take.

    Attributes:
      call_timeout_s: for one call of Pub/Sub.
      total_s: from the first call after which no further one starts.
    """

    call_timeout_s: float = 10.0
    total_s: float = 120.0
