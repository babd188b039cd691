"""Estimates of a backfill's calls and cost, and their comparison with the run."""

import msgspec

from groundwatch.schemas import Record
from groundwatch.schemas.quantities import indented_json, with_rfc3339_times


class Amounts(Record, frozen=True, kw_only=True):
    """The requests to the checker, the characters in them, and the cost: None without a price."""

    calls: int
    characters: int
    cost: float | None


class EstimatedAmounts(Amounts, frozen=True, kw_only=True):
    """The amounts of an estimate, and the id of the run that it was made for."""

    run: str


class Interval(Record, frozen=True, kw_only=True):
    """The 95 % confidence interval of an amount."""

    low: float
    high: float


class Estimate(Record, frozen=True, kw_only=True):
    """The estimate for a backfill.

    Attributes:
      run: the id that the backfill of the same input would have.
      sampled_messages: the size of the sample that was extrapolated; None if all were read.
      failures: answers that cannot be read, damaged archives, and of two checkers what the first
        one cannot check; not failed checks that are paid.
      decided: answers by the verdict that they get without a call.
      escalated, audited: answers that the second of two checkers would check, by why; None without.
      screen_calls: of the first of two checkers; all other amounts are the second one's.
      planned_calls: including identical calls, which are paid once.
      assumed_latency_ms: of each of `max_in_flight` calls in each of `workers` processes.
    """

    run: str
    read: int
    sampled_messages: int | None
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
    intervals: dict[str, Interval | None] | None
    minutes_at_quota: float | None
    minutes_without_quota: float
    price_per_1k_chars: float | None
    requests_per_minute: float | None
    max_in_flight: int
    workers: int
    assumed_latency_ms: float
    estimated_at_us: int


class Comparison(Amounts, frozen=True, kw_only=True):
    """The estimate for a run, and the relative differences of the run from it by amount.

    -0.01 is one percent less than the estimate; None if the estimate is 0 or unknown.
    """

    relative_differences: dict[str, float | None]


def compare(estimated: Amounts, made: Amounts) -> Comparison:
    """Compare the estimate for a run with the amounts that it made."""
    expected = {name: getattr(estimated, name) for name in Amounts.__struct_fields__}
    differences = {name: _relative(getattr(made, name), expected[name]) for name in expected}
    return Comparison(**expected, relative_differences=differences)


def estimate_to_json(estimate: Estimate) -> bytes:
    """Write an estimate as indented JSON; its time is RFC 3339."""
    return indented_json(with_rfc3339_times(estimate))


def estimated_amounts(content: bytes) -> EstimatedAmounts:
    """Read the amounts of an estimate's JSON; raise ValueError if it is none."""
    return msgspec.json.decode(content, type=EstimatedAmounts)


def _relative(made: float | None, estimated: float | None) -> float | None:
    return round(made / estimated - 1, 6) if made is not None and estimated else None
