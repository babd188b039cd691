"""The ledger: what was read in each hour, and where it ended."""

from schemas import Record
from schemas.quantities import HOUR_US
from schemas.summary import RunCounts


class LedgerHour(Record, frozen=True, kw_only=True):
    """Where the messages of one hour of the worker's clock ended.

    Attributes:
      hour_us: the start of the hour, microseconds since 1970 UTC.
      first_batch: the number of the first batch that ended in it.
      read: messages that were read and acknowledged.
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

    def __add__(self, other: "LedgerHour") -> "LedgerHour":
        """Add up what was counted in the same hour."""
        return LedgerHour(
            hour_us=self.hour_us,
            first_batch=min(self.first_batch, other.first_batch),
            read=self.read + other.read,
            enriched=self.enriched + other.enriched,
            failures=self.failures + other.failures,
            duplicates=self.duplicates + other.duplicates,
            sampled_out=self.sampled_out + other.sampled_out,
        )


def hour_of_batch(
    number: int, counts: RunCounts, enriched: int, failures: int, now_us: int
) -> LedgerHour:
    """Count one batch in its hour.

    Args:
      number: the batch's.
      counts: what the steps counted.
      enriched: records that were written.
      failures: failures that were kept.
      now_us: microseconds since 1970 UTC.
    """
    return LedgerHour(
        hour_us=now_us // HOUR_US * HOUR_US,
        first_batch=number,
        read=counts.read,
        enriched=enriched,
        failures=failures,
        duplicates=counts.duplicates,
        sampled_out=counts.sampled_out,
    )
