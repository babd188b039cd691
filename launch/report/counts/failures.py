"""Counts of alerts and failures."""

from collections import Counter, deque

import msgspec

from launch.report.output_records import AlertLine, FailureLine

_MAX_RATE_ALERTS = 12
_MAX_RECORD_IDS = 100_000


class AlertCounts:
    """Count alerts, and keep the latest rate alerts.

    Attributes:
      by_severity, by_kind: how many of each.
      rates: the latest rate alerts, in the order of the files.
    """

    def __init__(self) -> None:
        self.by_severity: Counter[str] = Counter()
        self.by_kind: Counter[str] = Counter()
        self.rates: deque[AlertLine] = deque(maxlen=_MAX_RATE_ALERTS)

    def add(self, alert: AlertLine) -> None:
        """Count an alert."""
        self.by_severity[alert.severity] += 1
        self.by_kind[alert.kind] += 1
        if alert.rate is not None:
            self.rates.append(alert)

    @property
    def total(self) -> int:
        """How many alerts there are."""
        return self.by_kind.total()


class FailureClass(msgspec.Struct):
    """The failures of one step with one error class.

    Attributes:
      step, error_class: as in the failures.
      example: the first error message, which holds no text of an answer.
      failures: how many.
      retryable: how many a replay may resolve.
      resolved: how many have an enriched record now, from a replay for instance.
    """

    step: str
    error_class: str
    example: str
    failures: int = 0
    retryable: int = 0
    resolved: int = 0


class FailureCounts:
    """Count failures by class. Add all failures before the records that resolve them."""

    def __init__(self) -> None:
        self._classes: dict[tuple[str, str], FailureClass] = {}
        self._by_record_id: dict[str, list[FailureClass]] = {}

    def add(self, failure: FailureLine) -> None:
        """Count a failure."""
        key = failure.step, failure.error_class
        found = self._classes.setdefault(key, FailureClass(*key, example=failure.error))
        found.failures += 1
        found.retryable += failure.retryable
        if failure.record_id is not None and len(self._by_record_id) < _MAX_RECORD_IDS:
            self._by_record_id.setdefault(failure.record_id, []).append(found)

    def resolve(self, record_id: str) -> None:
        """Count the failures of an answer that has a record as resolved."""
        for found in self._by_record_id.pop(record_id, ()):
            found.resolved += 1

    def by_class(self) -> list[FailureClass]:
        """Return every class, the most frequent first."""
        return sorted(self._classes.values(), key=lambda found: -found.failures)

    @property
    def total(self) -> int:
        """How many failures there are."""
        return sum(found.failures for found in self._classes.values())

    @property
    def retryable(self) -> int:
        """How many a replay may resolve."""
        return sum(found.retryable for found in self._classes.values())

    @property
    def resolved(self) -> int:
        """How many have an enriched record now."""
        return sum(found.resolved for found in self._classes.values())
