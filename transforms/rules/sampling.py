"""Sample answers by their record ids."""

from groundwatch.schemas import Record

_PREFIX_DIGITS = 16


class SamplingRule(Record, frozen=True, kw_only=True):
    """The share of the answers that are checked, 0..1; `rate` is for all other engines."""

    rate: float = 1.0
    engine_rates: dict[str, float] = {}


def is_in_sample(record_id: str, engine: str | None, rule: SamplingRule) -> bool:
    """Return whether an answer is sampled: the same in every run, and at every higher rate."""
    rate = rule.rate if engine is None else rule.engine_rates.get(engine, rule.rate)
    return is_in_share(record_id[:_PREFIX_DIGITS], rate)


def is_in_share(digits: str, share: float) -> bool:
    """Return whether hexadecimal digits of a record id are among the lowest of this share, 0..1."""
    return int(digits, 16) < share * (1 << 4 * len(digits))
