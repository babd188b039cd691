"""Which answers are looked at where not all of them are."""

from schemas import Record

_PREFIX_DIGITS = 16
_PREFIXES = 1 << 4 * _PREFIX_DIGITS


class SamplingRule(Record, frozen=True, kw_only=True):
    """How many of the answers are looked at.

    Attributes:
      share: 0..1, of the answers of every engine that `engine_shares` does not name, and of those
        whose engine is unknown.
      engine_shares: 0..1, by engine.
    """

    share: float = 1.0
    engine_shares: dict[str, float] = {}

    def share_of(self, engine: str | None) -> float:
        """The share of an engine's answers, 0..1."""
        return self.share if engine is None else self.engine_shares.get(engine, self.share)


def is_in_sample(record_id: str, engine: str | None, rule: SamplingRule) -> bool:
    """Tell whether an answer is looked at, by its record id alone.

    The id is read as a fraction of all ids, and is in the sample where it is below the share. So
    every run, on any number of workers, keeps the same answers, and a larger share keeps them, too.

    Args:
      record_id: a SHA-256 in hexadecimal digits, as even as chance.
      engine: the answer's engine, None when unknown.
      rule: the shares.
    """
    return int(record_id[:_PREFIX_DIGITS], 16) < rule.share_of(engine) * _PREFIXES
