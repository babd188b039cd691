"""Distributions in bounded memory: names, scores, latencies and means."""

from bisect import bisect_right
from collections import Counter

import msgspec

from launch.report.output_records import cut_name

BINS = 20
OTHERS = "(others)"
_EDGES = [step / BINS for step in range(BINS)]
_EXACT_BELOW = 100
_MAX_NAMES = 1_000


class NameCounts:
    """Count untrusted names; names beyond the first thousand distinct ones count as others."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, name: str) -> None:
        """Count a name."""
        name = cut_name(name) or ""
        is_known = name in self._counts or len(self._counts) < _MAX_NAMES
        self._counts[name if is_known else OTHERS] += 1

    def most_common(self, limit: int) -> list[tuple[str, int]]:
        """Return the most frequent names with their counts."""
        return self._counts.most_common(limit)


class ScoreHistogram:
    """Count scores in twentieths; a score on an edge belongs to the upper bin.

    Attributes:
      bins: how many scores each twentieth holds, in ascending order; the last one includes 1.
    """

    def __init__(self) -> None:
        self.bins = [0] * BINS

    def add(self, score: float | None) -> None:
        """Count a score, 0..1, unless it is None."""
        if score is not None:
            self.bins[max(bisect_right(_EDGES, score) - 1, 0)] += 1

    @property
    def total(self) -> int:
        """How many scores were counted."""
        return sum(self.bins)


class Latencies:
    """Count latencies in milliseconds to two digits.

    Attributes:
      max_ms: the longest; 0 without any.
    """

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self.max_ms = 0

    def add(self, latency_ms: int) -> None:
        """Count a latency."""
        self._counts[_two_digits(latency_ms)] += 1
        self.max_ms = max(self.max_ms, latency_ms)

    def quantile_ms(self, share: float) -> int | None:
        """Return the quantile of a share, 0..1; None without any latency."""
        left = share * self._counts.total()
        for latency_ms in sorted(self._counts):
            left -= self._counts[latency_ms]
            if left <= 0:
                return latency_ms
        return None


class Mean(msgspec.Struct):
    """The mean of a sequence of numbers."""

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


def _two_digits(number: int) -> int:
    scale = 1
    while number // scale >= _EXACT_BELOW:
        scale *= 10
    return number // scale * scale
