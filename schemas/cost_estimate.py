"""Estimates of a backfill's calls and cost."""

from . import Record


class Estimate(Record, frozen=True, kw_only=True):
    """The estimate for a backfill.

    Attributes:
      run: the id that the backfill of the same input would have.
      failures: answers that cannot be read, damaged archives, and of two checkers what the first
        one cannot check; not failed checks that are paid.
      decided: answers by the verdict that they get without a call.
      escalated, audited: answers that the second of two checkers would check, by why; None without.
      screen_calls: of the first of two checkers. All other amounts are the second one's, and those
        of both where the first one is not the embedded checker.
      planned_calls: including identical calls, which are paid once.
      assumed_latency_ms: of each of `max_in_flight` calls in each of `workers` processes.
    """

    run: str
    read: int
    failures: int
    damaged_archives: int
    duplicates: int
    sampled_out: int
    decided: dict[str, int]
    checkers: str
    to_check: int
    escalated: int | None = None
    audited: int | None = None
    screen_calls: int | None = None
    planned_calls: int
    calls: int
    characters: int
    cost: float | None
    minutes_at_quota: float | None
    minutes_without_quota: float
    price_per_1k_chars: float | None
    requests_per_minute: float | None
    max_in_flight: int
    workers: int
    assumed_latency_ms: float
    estimated_at_us: int
