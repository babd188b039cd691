"""What is counted while messages go through the pipeline."""

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import asdict

from schemas.record import Record


class Counts(Record, frozen=True, kw_only=True):
    """The counts of a run, or of a part of it.

    Attributes:
      read: answers that came in: one for each message, and one for each further answer in it.
      duplicates, sampled_out: answers that were left out.
      left: answers whose check a limit of the run did not allow; they are read again by whoever
        goes on with the run.
      verdicts: enriched records by verdict.
      failures_by_error: failures by the class of their error.
      retryable_failures: failures that `replay` may mend.
      damaged_archives: archives that are damaged; each is one message read and one failure.
      unreadable: messages that are no answer, and damaged archives.
      calls, retries: requests sent to the checker, failed ones included, in all tries of the run;
        and how many of them repeat another one.
      characters: of answers and facts in these requests.
      checked: answers that were checked.
      latency_ms: of all of them together.
      max_latency_ms: of the slowest, 0 when none was checked.
    """

    read: int = 0
    duplicates: int = 0
    sampled_out: int = 0
    left: int = 0
    verdicts: dict[str, int] = {}
    failures_by_error: dict[str, int] = {}
    retryable_failures: int = 0
    damaged_archives: int = 0
    unreadable: int = 0
    calls: int = 0
    retries: int = 0
    characters: int = 0
    checked: int = 0
    latency_ms: int = 0
    max_latency_ms: int = 0


def total(parts: Iterable[Counts]) -> Counts:
    """Add up the counts of all parts of a run."""
    numbers: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    slowest_ms = 0
    for part in parts:
        members = asdict(part)
        verdicts.update(members.pop("verdicts"))
        errors.update(members.pop("failures_by_error"))
        slowest_ms = max(slowest_ms, members.pop("max_latency_ms"))
        numbers.update(members)
    return Counts(
        **numbers,
        verdicts=dict(verdicts),
        failures_by_error=dict(sorted(errors.items())),
        max_latency_ms=slowest_ms,
    )
