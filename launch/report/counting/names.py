"""Counts by name, where strangers choose the names."""

from collections import Counter

OTHERS = "(others)"
_MOST_NAMES = 1_000


class NameCounts:
    """Counts names; those that come after the first thousand distinct ones count as others."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, name: str) -> None:
        """Count a name."""
        is_known = name in self._counts or len(self._counts) < _MOST_NAMES
        self._counts[name if is_known else OTHERS] += 1

    def most_common(self, most: int) -> list[tuple[str, int]]:
        """The most frequent names with their counts."""
        return self._counts.most_common(most)
