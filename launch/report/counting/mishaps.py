"""Alerts and failures, counted."""

from collections import Counter, deque

import msgspec

from launch.report.counting.seen import SeenAlert, SeenFailure

_MOST_EPISODES = 12
_MOST_WATCHED = 100_000


class AlertCounts:
    """Counts alerts, and keeps the latest of those about rates.

    Attributes:
      by_severity, by_kind: how many of each.
      rates: the latest alerts about rates, in the order of the files.
    """

    def __init__(self) -> None:
        self.by_severity: Counter[str] = Counter()
        self.by_kind: Counter[str] = Counter()
        self.rates: deque[SeenAlert] = deque(maxlen=_MOST_EPISODES)

    def add(self, alert: SeenAlert) -> None:
        """Count an alert."""
        self.by_severity[alert.severity] += 1
        self.by_kind[alert.kind] += 1
        if alert.rate is not None:
            self.rates.append(alert)

    @property
    def total(self) -> int:
        """How many alerts there were."""
        return self.by_kind.total()


class FailureClass(msgspec.Struct):
    """The failures of one step with one class of error.

    Attributes:
      step, error_class: as in the failures.
      example: the sentence of the first of them, which holds no text of an answer.
      failures: how many.
      retryable: how many of them another try may mend.
      mended: how many of them have an enriched record by now, from a replay for instance.
    """

    step: str
    error_class: str
    example: str
    failures: int = 0
    retryable: int = 0
    mended: int = 0


class FailureCounts:
    """Counts failures by class; told of the enriched answers afterwards, which are mended."""

    def __init__(self) -> None:
        self._classes: dict[tuple[str, str], FailureClass] = {}
        # record_id to the classes of its failures; of the first hundred thousand
        self._watched: dict[str, list[FailureClass]] = {}

    def add(self, failure: SeenFailure) -> None:
        """Count a failure."""
        key = failure.step, failure.error_class
        found = self._classes.setdefault(key, FailureClass(*key, example=failure.error))
        found.failures += 1
        found.retryable += failure.retryable
        if failure.record_id is not None and len(self._watched) < _MOST_WATCHED:
            self._watched.setdefault(failure.record_id, []).append(found)

    def mend(self, record_id: str) -> None:
        """Count the failures of an answer that has a record as mended."""
        for found in self._watched.pop(record_id, ()):
            found.mended += 1

    def by_class(self) -> list[FailureClass]:
        """Every class, the most frequent first."""
        return sorted(self._classes.values(), key=lambda found: -found.failures)

    @property
    def total(self) -> int:
        """How many failures there were."""
        return sum(found.failures for found in self._classes.values())

    @property
    def retryable(self) -> int:
        """How many of them another try may mend."""
        return sum(found.retryable for found in self._classes.values())

    @property
    def mended(self) -> int:
        """How many of them have an enriched record by now."""
        return sum(found.mended for found in self._classes.values())
