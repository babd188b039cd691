"""The last stretch of time, and the share of each kind of bad answer in it."""

from collections import Counter, deque

from transforms.rules.rate_counts import RateCounts

VERDICT_SIGNALS = ("low_grounded", "policy_skipped", "failed")
_REASON = "skip_reason:"


def is_about_reason(signal: str) -> bool:
    """Tell whether a signal names a skip reason, as in ``skip_reason:NO_RELEVANT_CONTENT``."""
    return signal.startswith(_REASON)


class RateWindow:
    """The sums over so much time, as buckets come in the order of time.

    Args:
      width_us: microseconds; a bucket that is as old is no longer in it.

    Attributes:
      answers: how many there are in it.
    """

    def __init__(self, width_us: int) -> None:
        self.answers = 0
        self._bad: Counter[str] = Counter()
        self._width_us = width_us
        self._buckets: deque[RateCounts] = deque()

    def add(self, counts: RateCounts) -> None:
        """Take in a bucket, later than all before."""
        self._buckets.append(counts)
        self._count(counts, 1)

    def move_to(self, start_us: int) -> None:
        """Leave out what is too old where the bucket that starts then is the last."""
        while self._buckets and self._buckets[0].start_us <= start_us - self._width_us:
            self._count(self._buckets.popleft(), -1)

    def ends_with(self, start_us: int) -> bool:
        """Tell whether the bucket that starts then has answers, and is the last."""
        return bool(self._buckets) and self._buckets[-1].start_us == start_us

    def bad(self, signal: str) -> int:
        """How many of the answers are bad in one way."""
        return self._bad[signal]

    def share(self, signal: str) -> float:
        """Their share, 0..1; 0.0 where there are no answers."""
        return self._bad[signal] / self.answers if self.answers else 0.0

    def reasons(self, at_least: int) -> list[str]:
        """The signals of the skip reasons that so many answers have."""
        return [
            signal
            for signal, bad in self._bad.items()
            if bad >= at_least and is_about_reason(signal)
        ]

    def _count(self, counts: RateCounts, times: int) -> None:
        self.answers += times * counts.answers
        for signal in VERDICT_SIGNALS:
            self._bad[signal] += times * getattr(counts, signal)
        for reason, bad in counts.skip_reasons.items():
            self._bad[_REASON + reason] += times * bad
