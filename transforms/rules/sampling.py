"""Sample answers by their record ids."""

from groundwatch.schemas import Record

_PREFIX_DIGITS = 16
_PREFIXES = 1 << 4 * _PREFIX_DIGITS


class SamplingRule(Record, frozen=True, kw_only=True):
    """The share of the answers that are checked, 0..1; `rate` is for all other engines."""

    rate: float = 1.0
    engine_rates: dict[str, float] = {}


def is_in_sample(record_id: str, engine: str | None, rule: SamplingRule) -> bool:
    """Return whether an answer is sampled: the same in every run, and at every higher rate."""
    rate = rule.rate if engine is None else rule.engine_rates.get(engine, rule.rate)
    return int(record_id[:_PREFIX_DIGITS], 16) < rate * _PREFIXES
