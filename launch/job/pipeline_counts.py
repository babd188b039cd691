"""Read the counts of a finished pipeline from Beam's metrics."""

from collections import Counter

from apache_beam.metrics.metric import MetricsFilter
from apache_beam.runners.runner import PipelineResult

from schemas.summary import RunCounts
from schemas.verdict import Verdict
from transforms.runtime import counters


def counts_from(result: PipelineResult) -> RunCounts:
    """Read the counts of a finished pipeline from Beam's metrics; deferred answers are not read.

    A pipeline that runs again also has the metrics of its earlier runs, which are 0 or empty.
    """
    metrics = result.metrics().query(MetricsFilter().with_namespace(counters.NAMESPACE))
    counted: Counter[str] = Counter()
    for counter in metrics["counters"]:
        # Several steps may count under one name.
        counted[counter.key.metric.name] += counter.result
    latencies = (
        distribution.result
        for distribution in metrics["distributions"]
        if distribution.key.metric.name == counters.CHECK_LATENCY_NAME and distribution.result.count
    )
    latency = next(latencies, None)
    left = counted[counters.LEFT.name]
    return RunCounts(
        read=counted[counters.MESSAGES_READ.name] - left,
        duplicates=counted[counters.DUPLICATES_SEEN.name],
        sampled_out=counted[counters.SAMPLED_OUT.name],
        deferred=left,
        verdicts={verdict.value: counted[counters.VERDICTS[verdict].name] for verdict in Verdict},
        failures_by_error={
            name.removeprefix(counters.FAILED_PREFIX): count
            for name, count in sorted(counted.items())
            if count and name.startswith(counters.FAILED_PREFIX)
        },
        retryable_failures=counted[counters.RETRYABLE_FAILURES.name],
        damaged_archives=counted[counters.ARCHIVES_DAMAGED.name],
        unreadable=counted[counters.PARSE_FAILED.name] + counted[counters.ARCHIVES_DAMAGED.name],
        calls=counted[counters.CALLS.name],
        retries=counted[counters.RETRIES.name],
        characters=counted[counters.CHARACTERS.name],
        checked=latency.count if latency else 0,
        latency_ms=latency.sum if latency else 0,
        max_latency_ms=latency.max if latency else 0,
    )
