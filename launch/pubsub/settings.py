"""How messages are pulled and published."""

from schemas import Record
from schemas.quantities import MEGABYTE


class PullSettings(Record, frozen=True, kw_only=True):
    """How many messages may be outstanding, and for how long.

    Attributes:
      max_messages, max_bytes: nothing more is read while so much is outstanding. One response, of
        at most 1,000 messages, may go beyond.
      lease_s: 10..600; how long after the death of this process its messages are delivered again.
      max_lease_s: seconds for which the lease of a message is extended.
      lease_check_every_s: how often leases are checked.
      reopen_after_s: a stream on which nothing came for so long is opened again.
      call_timeout_s: for one call of Pub/Sub.
    """

    max_messages: int = 2_000
    max_bytes: int = 64 * MEGABYTE
    lease_s: int = 60
    max_lease_s: float = 3_600.0
    lease_check_every_s: float = 1.0
    reopen_after_s: float = 60.0
    call_timeout_s: float = 10.0


class PublishSettings(Record, frozen=True, kw_only=True):
    """How long publishing may take.

    Attributes:
      call_timeout_s: for one call of Pub/Sub.
      total_s: from the first call; after this time no call is started.
    """

    call_timeout_s: float = 10.0
    total_s: float = 120.0
