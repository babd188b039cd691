"""Precision, recall and F1 of flagged answers, by their labels."""

from schemas import Record


class FlagCounts(Record, frozen=True, kw_only=True):
    """How many labelled answers are flagged, are unsupported, and are both; shares are 0..1."""

    flagged: int
    unsupported: int
    hits: int

    @property
    def precision(self) -> float | None:
        """The share of flagged answers that are unsupported."""
        return share_of(self.hits, self.flagged)

    @property
    def recall(self) -> float | None:
        """The share of unsupported answers that are flagged."""
        return share_of(self.hits, self.unsupported)

    @property
    def f1(self) -> float | None:
        """The harmonic mean of both; None if no answer is unsupported."""
        both = self.flagged + self.unsupported
        return share_of(2 * self.hits, both) if self.unsupported else None


def share_of(part: float, whole: float) -> float | None:
    """Divide a part by its whole; None without one."""
    return part / whole if whole else None
