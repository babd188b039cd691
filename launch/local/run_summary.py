"""Count what a run did, and make its summary."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from apache_beam.metrics.metric import MetricsFilter
from apache_beam.runners.runner import PipelineResult

from launch.estimate.estimate_file import compare_with_estimate
from pipeline.settings.config import Config
from schemas.cost_estimate import Amounts
from schemas.summary import AnswerCounts, RunCounts, Summary
from schemas.verdict import Verdict
from transforms.runtime import clock, counters


def counts_from(result: PipelineResult) -> RunCounts:
    """Read the counts of a finished pipeline from Beam's metrics.

    Answers that were left for later count as not read.
    """
    metrics = result.metrics().query(MetricsFilter().with_namespace(counters.NAMESPACE))
    counted: Counter[str] = Counter()
    for counter in metrics["counters"]:
        # Several steps may count under one name.
        counted[counter.key.metric.name] += counter.result
    latencies = (
        distribution.result
        for distribution in metrics["distributions"]
        if distribution.key.metric.name == counters.CHECK_LATENCY_NAME
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
            if name.startswith(counters.FAILED_PREFIX)
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


def summary_of(
    config: Config,
    counts: RunCounts,
    rows: Mapping[str, int],
    *,
    started_at_us: int,
    price_per_1k_chars: float | None,
    deferred: int = 0,
) -> Summary:
    """Make the summary of a run that ends now, with a comparison to its estimate.

    Args:
      config: the run's settings.
      counts: of the whole run.
      rows: in the output's files, by kind.
      started_at_us: microseconds since 1970 UTC.
      price_per_1k_chars: what 1,000 checked characters cost, None if unknown.
      deferred: messages that a budget of the run deferred to a later run.
    """
    cost = None if price_per_1k_chars is None else counts.characters / 1000 * price_per_1k_chars
    spent = Amounts(calls=counts.calls, characters=counts.characters, cost=cost)
    common: dict[str, Any] = {
        name: getattr(counts, name) for name in AnswerCounts.__struct_fields__
    }
    return Summary(
        **common | {"deferred": deferred},
        run=config.run,
        source=config.source,
        checker=config.check.checker,
        enriched=rows["enriched"],
        failures=rows["failures"],
        alerts=rows["alerts"],
        cost=cost,
        mean_latency_ms=round(counts.latency_ms / counts.checked, 1) if counts.checked else None,
        max_latency_ms=counts.max_latency_ms if counts.checked else None,
        started_at_us=started_at_us,
        finished_at_us=clock.now_us(),
        estimate=compare_with_estimate(config.destination, spent),
        thresholds={
            "low_grounded": config.thresholds.low_grounded,
            "claim": config.thresholds.claim,
        },
    )
