"""How the scores and citations of an engine's generator compare with those of the check."""

import msgspec

from groundwatch.schemas.enriched_answer import AnswerRow
from groundwatch.schemas.verdict import Tag

# Texts compare faster than enum values.
_DRIFT, _MISCITED = str(Tag.SCORE_DRIFT), str(Tag.CITATION_MISMATCH)


class Mean(msgspec.Struct):
    """The mean of a sequence of numbers; None is not counted."""

    count: int = 0
    total: float = 0.0

    def add(self, number: float | None) -> None:
        """Add a number, unless it is None."""
        if number is not None:
            self.count += 1
            self.total += number

    @property
    def value(self) -> float | None:
        """The mean; None without any number."""
        return self.total / self.count if self.count else None


class GeneratorComparison(msgspec.Struct):
    """The scores and citations of an engine; drift is the generator's score minus the check's."""

    engine: str | None
    drift: Mean = msgspec.field(default_factory=Mean)
    precision: Mean = msgspec.field(default_factory=Mean)
    recall: Mean = msgspec.field(default_factory=Mean)
    drifting: int = 0
    miscited: int = 0

    def add(self, answer: AnswerRow) -> None:
        """Count an answer."""
        self.drift.add(answer.score_drift)
        self.precision.add(answer.citation_precision)
        self.recall.add(answer.citation_recall)
        self.drifting += _DRIFT in answer.tags
        self.miscited += _MISCITED in answer.tags

    @property
    def compared(self) -> int:
        """How many answers have a score of the generator, or citations."""
        return max(self.drift.count, self.precision.count, self.recall.count)
