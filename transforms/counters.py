"""Every metric of a run, one line of meaning each.

Update them on the bundle's own thread: Beam drops what another thread counts, in silence.
"""

import threading
from bisect import bisect_left

from apache_beam.metrics.metric import Metrics

from schemas.verdict import Verdict

NAMESPACE = "grounding"


class Counter:
    """A Beam counter that can also be read while the run goes on, in the process that counts.

    Args:
      name: Beam's name for it, in the namespace ``grounding``.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.value = 0
        self._lock = threading.Lock()
        self._metric = Metrics.counter(NAMESPACE, name)

    def inc(self, by: int = 1) -> None:
        """Add to the counter; several bundle threads may do so at once."""
        with self._lock:
            self.value += by
        self._metric.inc(by)


class Distribution:
    """A Beam distribution whose spread can also be read while the run goes on, as a histogram.

    Args:
      name: Beam's name for it, in the namespace ``grounding``.
      bounds: the greatest value of each bin but the last, which has none.
    """

    def __init__(self, name: str, bounds: tuple[int, ...]) -> None:
        self.name = name
        self.bounds = bounds
        self.bins = [0] * (len(bounds) + 1)
        self.sum = 0
        self._lock = threading.Lock()
        self._metric = Metrics.distribution(NAMESPACE, name)

    def update(self, value: int) -> None:
        """Count a value; several bundle threads may do so at once."""
        with self._lock:
            self.bins[bisect_left(self.bounds, value)] += 1
            self.sum += value
        self._metric.update(value)


MESSAGES_READ = Counter("messages_read")
"""Answers read: one for each message that came in, and one for each further answer in it."""

FURTHER_ANSWERS = Counter("further_answers")
"""Answers beyond the first of a message that holds several; `messages_read` counts them too."""

ARCHIVES_DAMAGED = Counter("archives_damaged")
"""Archives that are damaged; each is one message read and one failure."""

PARSE_FAILED = Counter("parse_failed")
"""Answers that cannot be read; each is one failure."""

DUPLICATES_SEEN = Counter("duplicates_seen")
"""Answers left out because their record id came before."""

SAMPLED_OUT = Counter("sampled_out")
"""Answers left out because they are not in the sample."""

CHECKS_OK = Counter("checks_ok")
"""Answers that were checked."""

CHECKS_FAILED = Counter("checks_failed")
"""Answers whose check failed for good; each is one failure."""

LEFT = Counter("left")
"""Answers whose check a limit of the run did not allow."""

RETRYABLE_FAILURES = Counter("failures_retryable")
"""Failures that `replay` may mend."""

CALLS = Counter("calls")
"""Requests that were sent to the checker, failed and repeated ones included."""

CHARACTERS = Counter("characters")
"""Characters of answers and facts in these requests, the unit of the service's bill."""

RETRIES = Counter("retries")
"""Requests that repeat another one."""

FAILED_PREFIX = "failed_"
"""Before the class of an error, in the name of its counter."""

FAILED: dict[str, Counter] = {}
"""Failures by the class of their error, those that there were."""


def failed(error_class: str) -> Counter:
    """Failures of one class of error; the names are the classes', and few."""
    return FAILED.get(error_class) or FAILED.setdefault(
        error_class, Counter(FAILED_PREFIX + error_class)
    )


_WRITTEN: dict[str, Counter] = {}


def written(kind: str) -> Counter:
    """Rows of a stream that are in files now, or published: enriched, alerts or failures."""
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
"""Milliseconds from when a message was published to when its alert was; of `watch`."""
