"""How scores are spread, and how long calls took."""

from bisect import bisect_right
from collections import Counter

STEPS = 20
_EDGES = [step / STEPS for step in range(STEPS)]
_EXACT_BELOW = 100


class ScoreHistogram:
    """Counts scores by twentieths; a score on an edge belongs to the upper bin.

    Attributes:
      bins: how many scores each twentieth holds, from 0 on; the last one holds 1, too.
    """

    def __init__(self) -> None:
        self.bins = [0] * STEPS

    def add(self, score: float | None) -> None:
        """Count a score, 0..1; None is none."""
        if score is not None:
            self.bins[max(bisect_right(_EDGES, score) - 1, 0)] += 1

    @property
    def total(self) -> int:
        """How many scores were counted."""
        return sum(self.bins)


class Latencies:
    """Counts milliseconds to two digits, so that any number of them fits into little memory.

    Attributes:
      most_ms: the longest; 0 without any.
    """

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self.most_ms = 0

    def add(self, latency_ms: int) -> None:
        """Count a latency."""
        self._counts[_two_digits(latency_ms)] += 1
        self.most_ms = max(self.most_ms, latency_ms)

    def quantile_ms(self, share: float) -> int | None:
        """The latency that a share of the calls did not exceed, to two digits; None for no call.

        Args:
          share: 0..1, such as 0.95.
        """
        left = share * self._counts.total()
        for latency_ms in sorted(self._counts):
            left -= self._counts[latency_ms]
            if left <= 0:
                return latency_ms
        return None


def _two_digits(number: int) -> int:
    scale = 1
    while number // scale >= _EXACT_BELOW:
        scale *= 10
    return number // scale * scale
