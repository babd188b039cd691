"""Declare every metric of a run, and read the counts of a finished pipeline.

Update metrics on the bundle's own thread: Beam silently drops updates of other threads.
"""

import threading
from bisect import bisect_left
from collections import Counter as Sums

from apache_beam.metrics.metric import Metrics, MetricsFilter
from apache_beam.runners.runner import PipelineResult

from groundwatch.schemas.summary import RunCounts
from groundwatch.schemas.verdict import ESCALATION_TAGS, Verdict

NAMESPACE = "grounding"


class Counter:
    """A Beam counter that the process that counts can also read during the run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.value = 0
        self._lock = threading.Lock()
        self._metric = Metrics.counter(NAMESPACE, name)

    def inc(self, by: int = 1) -> None:
        """Add to the counter, on any bundle thread."""
        self.show(by)
        self.commit(by)

    def show(self, by: int) -> None:
        """Add to what this process reads, on any thread; `commit` follows."""
        with self._lock:
            self.value += by

    def commit(self, by: int) -> None:
        """Add to what Beam reads, on any bundle thread."""
        self._metric.inc(by)


class Distribution:
    """A Beam distribution that the process that counts can also read, as a histogram.

    `bounds` are the greatest values of the bins but the last, which is unbounded.
    """

    def __init__(self, name: str, bounds: tuple[int, ...]) -> None:
        self.name = name
        self.bounds = bounds
        self.bins = [0] * (len(bounds) + 1)
        self.sum = 0
        self._lock = threading.Lock()
        self._metric = Metrics.distribution(NAMESPACE, name)

    def update(self, *values: int) -> None:
        """Add values, on any bundle thread."""
        with self._lock:
            for value in values:
                self.bins[bisect_left(self.bounds, value)] += 1
                self.sum += value
        for value in values:
            self._metric.update(value)


# One for each message read, and one for each further answer in a message that holds several.
MESSAGES_READ = Counter("messages_read")
FURTHER_ANSWERS = Counter("further_answers")
# Each damaged archive is one message read and one failure; each of the others is one failure.
ARCHIVES_DAMAGED = Counter("archives_damaged")
PARSE_FAILED = Counter("parse_failed")
CHECKS_FAILED = Counter("checks_failed")
RETRYABLE_FAILURES = Counter("failures_retryable")
# Answers that were dropped, checked, or deferred: by the budget, or as they take too long.
DUPLICATES_SEEN = Counter("duplicates_seen")
SAMPLED_OUT = Counter("sampled_out")
CHECKS_OK = Counter("checks_ok")
DEFERRED = Counter("deferred")
# Requests to the checker, failed and repeated ones included; the billed characters in them.
CALLS = Counter("calls")
RETRIES = Counter("retries")
CHARACTERS = Counter("characters")
SENT = (CALLS, RETRIES, CHARACTERS)
"""In the order of `SentCalls`."""

VERDICTS = {verdict: Counter(f"verdict_{verdict.lower()}") for verdict in Verdict}
"""Answers with each verdict."""

ESCALATIONS = {tag: Counter(f"answers_{tag.lower()}") for tag in ESCALATION_TAGS}
"""Answers that the first of two checkers was uncertain of, or that were drawn, by their tag."""

# Those of them that the budget did not allow the second one to check.
OVER_BUDGET = Counter("answers_over_budget")

CHECK_LATENCY_NAME = "call_ms"
CHECK_LATENCY_MS = Distribution(
    CHECK_LATENCY_NAME,
    (1, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 120_000),
)
"""Milliseconds from an answer's first request to its last reply; of two checkers, the second's."""

ALERT_LATENCY_MS = Distribution(
    "alert_ms",
    (50, 100, 250, 500, 1_000, 2_000, 3_000, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000),
)
"""Milliseconds from the publication of a message to that of its alert, in `watch`."""

FAILED_PREFIX = "failed_"
_NAMED: dict[str, Counter] = {}


def failed(error_class: str) -> Counter:
    """Return the counter of failures of an error class."""
    return _named(FAILED_PREFIX + error_class)


def written(kind: str) -> Counter:
    """Return the counter of rows that a stream has written: enriched, alerts or failures."""
    return _named(f"written_{kind}")


def _named(name: str) -> Counter:
    return _NAMED.get(name) or _NAMED.setdefault(name, Counter(name))


def counts_from(result: PipelineResult) -> RunCounts:
    """Read the counts of a finished pipeline from Beam's metrics; deferred answers are not read.

    A pipeline that runs again also has the metrics of its earlier runs, which are 0 or empty.
    """
    metrics = result.metrics().query(MetricsFilter().with_namespace(NAMESPACE))
    counted: Sums[str] = Sums()
    for counter in metrics["counters"]:
        # Several steps may count under one name.
        counted[counter.key.metric.name] += counter.result
    latencies = (
        distribution.result
        for distribution in metrics["distributions"]
        if distribution.key.metric.name == CHECK_LATENCY_NAME and distribution.result.count
    )
    latency = next(latencies, None)
    deferred = counted[DEFERRED.name]
    return RunCounts(
        read=counted[MESSAGES_READ.name] - deferred,
        duplicates=counted[DUPLICATES_SEEN.name],
        sampled_out=counted[SAMPLED_OUT.name],
        deferred=deferred,
        verdicts={verdict.value: counted[VERDICTS[verdict].name] for verdict in Verdict},
        failures_by_error={
            name.removeprefix(FAILED_PREFIX): count
            for name, count in sorted(counted.items())
            if count and name.startswith(FAILED_PREFIX)
        },
        retryable_failures=counted[RETRYABLE_FAILURES.name],
        damaged_archives=counted[ARCHIVES_DAMAGED.name],
        unreadable=counted[PARSE_FAILED.name] + counted[ARCHIVES_DAMAGED.name],
        calls=counted[CALLS.name],
        retries=counted[RETRIES.name],
        characters=counted[CHARACTERS.name],
        checked=counted[CHECKS_OK.name],
        escalations={
            tag.value: counted[counter.name]
            for tag, counter in ESCALATIONS.items()
            if counted[counter.name]
        },
        over_budget=counted[OVER_BUDGET.name],
        latency_ms=latency.sum if latency else 0,
        max_latency_ms=latency.max if latency else 0,
    )
