"""What a backfill would take, told before it; and how near that came."""

import msgspec

from schemas import Record
from schemas.quantities import to_rfc3339


class Amounts(Record, frozen=True, kw_only=True):
    """What checks take.

    Attributes:
      calls: how many.
      characters: of answers and facts in them, the unit of the service's bill.
      cost: of the characters, in the currency of the price; None without a price.
    """

    calls: int
    characters: int
    cost: float | None


class EstimatedAmounts(Amounts, frozen=True, kw_only=True):
    """What of an estimate a run is compared with; `run` is the run it was made for."""

    run: str


class Interval(Record, frozen=True, kw_only=True):
    """Between what an amount lies, in 95 of 100 samples."""

    low: float
    high: float


class Intervals(Record, frozen=True, kw_only=True):
    """The intervals of the amounts."""

    calls: Interval
    characters: Interval
    cost: Interval | None


class Estimate(Record, frozen=True, kw_only=True):
    """What a backfill would take.

    Attributes:
      run: the id that the backfill of the same input would have.
      read: answers in the archives: one for each message, and one for each further answer in it.
      sampled_messages: from how many messages the rest was extrapolated; None for all of them.
      failures: answers that cannot be read; a check that fails is not foreseen.
      damaged_archives: archives that end too soon; each is one message read and one failure.
      duplicates, sampled_out: answers that would be left out.
      decided: answers by the verdict they get without a call.
      to_check: answers that need a check.
      planned_calls: calls that these need, identical ones included.
      calls: of these, the calls that are paid for: of identical ones the first.
      characters: of answers and facts in these calls, the unit of the service's bill.
      cost: of these characters, None without a price.
      intervals: of calls, characters and cost; None where all was read.
      most_rechecks: at most what a second look at doubtful claims of answers with many facts
        adds.
      minutes_at_quota: at `requests_per_minute`; None without a quota.
      minutes_without_quota: with `max_in_flight` calls under way in each of `workers` processes,
        each call taking `assumed_latency_ms`.
      price_per_1k_chars: what 1,000 characters cost, None if unknown.
      estimated_at_us: microseconds since 1970 UTC.
    """

    run: str
    read: int
    sampled_messages: int | None
    failures: int
    damaged_archives: int
    duplicates: int
    sampled_out: int
    decided: dict[str, int]
    to_check: int
    planned_calls: int
    calls: int
    characters: int
    cost: float | None
    intervals: Intervals | None
    most_rechecks: Amounts
    minutes_at_quota: float | None
    minutes_without_quota: float
    price_per_1k_chars: float | None
    requests_per_minute: float | None
    max_in_flight: int
    workers: int
    assumed_latency_ms: float
    estimated_at_us: int


class Differences(Record, frozen=True, kw_only=True):
    """How much more a run took than was estimated, as a share of the estimate.

    -0.01 is one percent less; None where nothing was estimated.
    """

    calls: float | None
    characters: float | None
    cost: float | None


class Comparison(Amounts, frozen=True, kw_only=True):
    """What was estimated for a run, and how far the run was off."""

    relative_differences: Differences


def compare(estimated: Amounts, made: Amounts) -> Comparison:
    """Put what was estimated beside what a run took."""
    return Comparison(
        calls=estimated.calls,
        characters=estimated.characters,
        cost=estimated.cost,
        relative_differences=Differences(
            calls=_relative(made.calls, estimated.calls),
            characters=_relative(made.characters, estimated.characters),
            cost=_relative(made.cost, estimated.cost),
        ),
    )


def estimate_to_json(estimate: Estimate) -> bytes:
    """Write an estimate as indented JSON; its time is RFC 3339."""
    members = msgspec.structs.asdict(estimate)
    members["estimated_at"] = to_rfc3339(members.pop("estimated_at_us"))
    return msgspec.json.format(msgspec.json.encode(members), indent=2) + b"\n"


def estimated_amounts(content: bytes) -> EstimatedAmounts:
    """Read from an estimate's JSON what a run is compared with.

    Raises:
      ValueError: it is no estimate.
    """
    return msgspec.json.decode(content, type=EstimatedAmounts)


def _relative(made: float | None, estimated: float | None) -> float | None:
    """The difference as a share of the estimate, to a ten-thousandth of a percent."""
    if made is None or not estimated:
        return None
    return round(made / estimated - 1, 6)
