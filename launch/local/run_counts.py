"""Read the counts of a run from Beam's metrics."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from apache_beam.metrics.cells import DistributionResult
from apache_beam.runners.runner import PipelineResult

from schemas.summary import RunCounts
from schemas.verdict import Verdict
from transforms.runtime import counters


def counts_from(result: PipelineResult) -> RunCounts:
    """Read the counts of a finished pipeline.

    Answers that were left for later count as not read.
    """
    metrics = result.metrics().query()
    counted = _counted(metrics)
    latency = _latency(metrics)
    left = counted[counters.LEFT.name]
    return RunCounts(
        read=counted[counters.MESSAGES_READ.name] - left,
        duplicates=counted[counters.DUPLICATES_SEEN.name],
        sampled_out=counted[counters.SAMPLED_OUT.name],
        deferred=left,
        verdicts={verdict.value: counted[counters.VERDICTS[verdict].name] for verdict in Verdict},
        failures_by_error=_failures_by_error(counted),
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


def _counted(metrics: Mapping[str, Any]) -> Counter[str]:
    """Sum Beam's counters over the steps that count."""
    counted: Counter[str] = Counter()
    for counter in metrics["counters"]:
        if counter.key.metric.namespace == counters.NAMESPACE:
            counted[counter.key.metric.name] += counter.result
    return counted


def _latency(metrics: Mapping[str, Any]) -> DistributionResult | None:
    names = counters.NAMESPACE, counters.CHECK_LATENCY_NAME
    for distribution in metrics["distributions"]:
        if (distribution.key.metric.namespace, distribution.key.metric.name) == names:
            return distribution.result
    return None


def _failures_by_error(counted: Counter[str]) -> dict[str, int]:
    return {
        name.removeprefix(counters.FAILED_PREFIX): count
        for name, count in sorted(counted.items())
        if name.startswith(counters.FAILED_PREFIX)
    }
