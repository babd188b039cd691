"""What became of the messages of one hour: the ledger's unit."""

from schemas import Record
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts


class Account(Record, frozen=True, kw_only=True):
    """What was read in one hour of the worker's clock, and where it ended.

    Attributes:
      hour_us: the start of the hour, microseconds since 1970 UTC.
      first_batch: the number of the first batch that ended in it.
      read: messages taken from the subscription and settled.
      enriched, failures, duplicates, sampled_out: where they ended.
    """

    hour_us: int
    first_batch: int
    read: int = 0
    enriched: int = 0
    failures: int = 0
    duplicates: int = 0
    sampled_out: int = 0

    @property
    def gap(self) -> int:
        """How many messages ended nowhere; negative when some ended twice."""
        ended = self.enriched + self.failures + self.duplicates + self.sampled_out
        return self.read - ended


def account_of(
    number: int, counts: RunCounts, enriched: int, failures: int, now_us: int
) -> Account:
    """Account for one batch.

    Args:
      number: of the batch.
      counts: what the steps counted; `read` are the messages that came in and were not left.
      enriched: records that were written.
      failures: that were kept.
      now_us: microseconds since 1970 UTC.
    """
    return Account(
        hour_us=now_us // HOUR_US * HOUR_US,
        first_batch=number,
        read=counts.read,
        enriched=enriched,
        failures=failures,
        duplicates=counts.duplicates,
        sampled_out=counts.sampled_out,
    )


def merged(first: Account, second: Account) -> Account:
    """Add up the accounts of two stretches of the same hour."""
    return Account(
        hour_us=first.hour_us,
        first_batch=min(first.first_batch, second.first_batch),
        read=first.read + second.read,
        enriched=first.enriched + second.enriched,
        failures=first.failures + second.failures,
        duplicates=first.duplicates + second.duplicates,
        sampled_out=first.sampled_out + second.sampled_out,
    )
