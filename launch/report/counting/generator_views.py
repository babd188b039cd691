"""How the generators' own view of their answers compares with the check's, engine by engine."""

import msgspec

from launch.report.counting.seen import SeenAnswer
from schemas.verdict import Tag

_MOST_ENGINES = 1_000


class Mean(msgspec.Struct):
    """The mean of numbers that come one by one.

    Attributes:
      count: how many came.
      total: their sum.
    """

    count: int = 0
    total: float = 0.0

    def add(self, number: float | None) -> None:
        """Take in a number; None is none."""
        if number is not None:
            self.count += 1
            self.total += number

    @property
    def value(self) -> float | None:
        """The mean; None without any number."""
        return self.total / self.count if self.count else None


class GeneratorView(msgspec.Struct):
    """One engine's own view beside the check's.

    Attributes:
      engine: None where the answers do not say.
      drift: the generator's own score minus the support score, by answer.
      claim_drift: the same by claim.
      precision, recall: of its citations, by answer.
      far_off: answers whose two scores differ by more than the run's threshold.
      miscited: answers that cite facts for a claim that only others support.
    """

    engine: str | None
    drift: Mean = msgspec.field(default_factory=Mean)
    claim_drift: Mean = msgspec.field(default_factory=Mean)
    precision: Mean = msgspec.field(default_factory=Mean)
    recall: Mean = msgspec.field(default_factory=Mean)
    far_off: int = 0
    miscited: int = 0

    def add(self, answer: SeenAnswer) -> None:
        """Count an answer."""
        self.drift.add(answer.score_drift)
        for drift in answer.claim_drifts:
            self.claim_drift.add(drift)
        self.precision.add(answer.citation_precision)
        self.recall.add(answer.citation_recall)
        self.far_off += Tag.SCORE_DRIFT in answer.tags
        self.miscited += Tag.CITATION_MISMATCH in answer.tags

    @property
    def compared(self) -> int:
        """How many answers have anything to compare: a score of their own, or citations."""
        return max(self.drift.count, self.precision.count, self.recall.count)


class GeneratorViews:
    """The views of all engines, in bounded memory: the first thousand engines are kept.

    Attributes:
      forgotten: answers of other engines.
    """

    def __init__(self, most_engines: int = _MOST_ENGINES) -> None:
        self._most_engines = most_engines
        self._views: dict[str | None, GeneratorView] = {}
        self.forgotten = 0

    def add(self, answer: SeenAnswer) -> None:
        """Count an answer."""
        view = self._views.get(answer.engine)
        if view is None:
            if len(self._views) >= self._most_engines:
                self.forgotten += 1
                return
            view = self._views[answer.engine] = GeneratorView(answer.engine)
        view.add(answer)

    def __len__(self) -> int:
        """How many engines have anything to compare."""
        return sum(view.compared > 0 for view in self._views.values())

    def most_compared(self, most: int) -> list[GeneratorView]:
        """The engines with most to compare."""
        views = [view for view in self._views.values() if view.compared]
        return sorted(views, key=lambda view: (-view.compared, view.engine or ""))[:most]
