"""The summary of a run: what came in, what became of it, what it took."""

import msgspec

from schemas.estimate import Comparison
from schemas.record import Record
from schemas.timestamps import to_rfc3339


class Summary(Record, frozen=True, kw_only=True):
    """The counts of one run.

    Attributes:
      run: the run's id.
      checker: who checked.
      read: messages that came in.
      enriched, failures: rows in the files that were written.
      duplicates, sampled_out: messages that were left out, counted.
      left: messages that a limit of the run left for a later try; they count as not read.
      verdicts: enriched records by verdict.
      alerts: rows in the files of alerts.
      failures_by_error: failures by the class of their error.
      retryable_failures: failures that `replay` may mend.
      damaged_archives: archives that are damaged; each is one message read and one failure.
      unreadable: messages that are no answer, and damaged archives; each is one failure.
      calls, retries: calls needed, and attempts beyond the first of each.
      characters: of answers and facts in these calls.
      cost: in the currency of the price, None where no price was given.
      mean_latency_ms, max_latency_ms: of a checked answer, None where none was checked.
      started_at_us, finished_at_us: microseconds since 1970 UTC.
      thresholds: by name, 0..1: below which support score and claim score an answer was low.
      estimate: what was estimated for the run, and how far off that was; None without one.
    """

    run: str
    checker: str
    read: int
    enriched: int
    failures: int
    duplicates: int
    sampled_out: int
    left: int = 0
    verdicts: dict[str, int]
    alerts: int
    failures_by_error: dict[str, int]
    retryable_failures: int
    damaged_archives: int
    unreadable: int = 0
    calls: int
    retries: int
    characters: int
    cost: float | None
    mean_latency_ms: float | None
    max_latency_ms: int | None
    started_at_us: int
    finished_at_us: int
    estimate: Comparison | None = None
    thresholds: dict[str, float] = {}

    @property
    def closes(self) -> bool:
        """Whether every message read ended in exactly one place."""
        accounted = self.enriched + self.failures + self.duplicates + self.sampled_out
        return self.read == accounted and self.enriched == sum(self.verdicts.values())


def summary_to_json(summary: Summary) -> bytes:
    """Write a summary as indented JSON; times are RFC 3339."""
    members = msgspec.structs.asdict(summary)
    for name in ("started_at", "finished_at"):
        members[name] = to_rfc3339(members.pop(f"{name}_us"))
    members["closes"] = summary.closes
    return msgspec.json.format(msgspec.json.encode(members), indent=2) + b"\n"
