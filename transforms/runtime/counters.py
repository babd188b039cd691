"""Declare every metric of a run.

Update metrics on the bundle's own thread: Beam silently drops updates of other threads.
"""

import threading
from bisect import bisect_left

from apache_beam.metrics.metric import Metrics

from schemas.verdict import Verdict

NAMESPACE = "grounding"


class Counter:
    """A Beam counter that the process that counts can also read during the run.

    Args:
      name: the metric's name in the namespace ``grounding``.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.value = 0
        self._lock = threading.Lock()
        self._metric = Metrics.counter(NAMESPACE, name)

    def inc(self, by: int = 1) -> None:
        """Add to the counter, on any bundle thread."""
        with self._lock:
            self.value += by
        self._metric.inc(by)


class Distribution:
    """A Beam distribution that the process that counts can also read, as a histogram.

    Args:
      name: the metric's name in the namespace ``grounding``.
      bounds: the greatest value of each bin except the last, which is unbounded.
    """

    def __init__(self, name: str, bounds: tuple[int, ...]) -> None:
        self.name = name
        self.bounds = bounds
        self.bins = [0] * (len(bounds) + 1)
        self.sum = 0
        self._lock = threading.Lock()
        self._metric = Metrics.distribution(NAMESPACE, name)

    def update(self, value: int) -> None:
        """Add a value, on any bundle thread."""
        with self._lock:
            self.bins[bisect_left(self.bounds, value)] += 1
            self.sum += value
        self._metric.update(value)


MESSAGES_READ = Counter("messages_read")
"""Answers read: one for each message, and one for each further answer in it."""

FURTHER_ANSWERS = Counter("further_answers")
"""Answers beyond the first of a message that holds several; `messages_read` counts them too."""

ARCHIVES_DAMAGED = Counter("archives_damaged")
"""Archives that are damaged; each is one message read and one failure."""

PARSE_FAILED = Counter("parse_failed")
"""Answers that cannot be read; each is one failure."""

DUPLICATES_SEEN = Counter("duplicates_seen")
"""Answers dropped because their record id was seen before."""

SAMPLED_OUT = Counter("sampled_out")
"""Answers dropped because they are not in the sample."""

CHECKS_OK = Counter("checks_ok")
"""Answers that were checked."""

CHECKS_FAILED = Counter("checks_failed")
"""Answers whose check failed; each is one failure."""

LEFT = Counter("left")
"""Answers whose check was postponed: by the run's budget, or because it takes too long."""

RETRYABLE_FAILURES = Counter("failures_retryable")
"""Failures that may succeed on `replay`."""

CALLS = Counter("calls")
"""Requests sent to the checker, including failed and repeated ones."""

CHARACTERS = Counter("characters")
"""Characters of answers and facts in these requests, which the service bills."""

RETRIES = Counter("retries")
"""Requests that repeat an earlier one."""

FAILED_PREFIX = "failed_"
"""Prefix of the counters of failures by error class."""

FAILED: dict[str, Counter] = {}
"""Counters of failures that have occurred, by error class."""


def failed(error_class: str) -> Counter:
    """Return the counter of failures of an error class."""
    return FAILED.get(error_class) or FAILED.setdefault(
        error_class, Counter(FAILED_PREFIX + error_class)
    )


_WRITTEN: dict[str, Counter] = {}


def written(kind: str) -> Counter:
    """Return the counter of rows that a stream has written or published.

    Args:
      kind: enriched, alerts or failures.
    """
    return _WRITTEN.get(kind) or _WRITTEN.setdefault(kind, Counter(f"written_{kind}"))


VERDICTS = {verdict: Counter(f"verdict_{verdict.lower()}") for verdict in Verdict}
"""Answers with each verdict."""

CHECK_LATENCY_NAME = "call_ms"
CHECK_LATENCY_MS = Distribution(
    CHECK_LATENCY_NAME,
    (1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 120_000),
)
"""Milliseconds from an answer's first request to its last reply."""

ALERT_LATENCY_MS = Distribution(
    "alert_ms",
    (50, 100, 250, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000),
)
"""Milliseconds from the publication of a message to that of its alert, in `watch`."""
