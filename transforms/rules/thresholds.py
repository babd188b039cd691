"""The thresholds of verdicts and tags, and of what a second checker checks."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from groundwatch.schemas import Record

GivenThresholds = Mapping[str, Sequence[tuple[str | None, float]]]
"""Values of thresholds, by the threshold's name: each for an engine, or for all (None)."""


class Thresholds(Record, frozen=True, kw_only=True):
    """The thresholds of verdicts and tags, 0..1; a score equal to its threshold is not low.

    `engines` are the thresholds of engines that have their own.
    """

    low_grounded: float = 0.6
    claim: float = 0.4
    drift: float = 0.3
    engines: dict[str, "Thresholds"] = {}

    def of_engine(self, engine: str | None) -> "Thresholds":
        """Return the thresholds of an answer's engine."""
        return self.engines.get(engine, self) if engine and self.engines else self

    def replaced(self, given: GivenThresholds) -> "Thresholds":
        """Replace values; an engine without a value of its own has that of all."""
        by_engine: dict[str | None, dict[str, float]] = {}
        for name, values in given.items():
            for engine, value in values:
                by_engine.setdefault(engine, {})[name] = value
        base = replace(self, **by_engine.pop(None, {}), engines={})
        own = {
            engine: replace(self.engines.get(engine, base), **by_engine.get(engine, {}))
            for engine in sorted(filter(None, {*self.engines, *by_engine}))
        }
        return replace(base, engines=own)


NO_THRESHOLDS = Thresholds(low_grounded=0.0, claim=0.0)
"""By which no score is low: what is LOW_GROUNDED all the same contradicts a fact."""


class EscalationRule(Record, frozen=True, kw_only=True):
    """Which answers a second checker checks, by what the first one has found.

    Attributes:
      below: 0..1, an answer with a claim that scores lower is uncertain. So is a low-grounded one,
        and one with a claim of a kind that words judge badly.
      share: 0..1, the share of the other answers that is checked too, at random.
      thresholds: decide the verdict of the first checker.
    """

    below: float = 0.7
    share: float = 0.02
    thresholds: Thresholds = Thresholds()
