"""The ledger: what was read in each hour, and where it ended."""

from msgspec.structs import asdict

from groundwatch.pipeline.sinks.outcomes import Outcome
from groundwatch.schemas import Record
from groundwatch.schemas.quantities import HOUR_US
from groundwatch.schemas.summary import RunCounts


class LedgerHour(Record, frozen=True, kw_only=True):
    """Where the messages that were read in one hour of the worker's clock ended."""

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
        sums = {name: value + getattr(other, name) for name, value in asdict(self).items()}
        first_batch = min(self.first_batch, other.first_batch)
        return LedgerHour(**sums | {"hour_us": self.hour_us, "first_batch": first_batch})


def hour_of_batch(number: int, outcome: Outcome, counts: RunCounts, now_us: int) -> LedgerHour:
    """Count one batch in the hour in which it ends."""
    return LedgerHour(
        hour_us=now_us // HOUR_US * HOUR_US,
        first_batch=number,
        read=counts.read,
        enriched=outcome.enriched,
        failures=len(outcome.failures),
        duplicates=counts.duplicates,
        sampled_out=counts.sampled_out,
    )
