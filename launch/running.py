"""Running the pipeline once, from a frozen configuration to a summary."""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

import apache_beam as beam
from apache_beam.metrics.cells import DistributionResult
from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from apache_beam.runners.runner import PipelineResult

from pipeline import storage
from pipeline.build import build_pipeline
from pipeline.config import Config
from pipeline.write_files import read_manifest
from schemas.summary import Summary, summary_to_json
from schemas.verdict import Verdict
from transforms import counters


def run_pipeline(
    config: Config, options: PipelineOptions, price_per_1k_chars: float | None
) -> Summary:
    """Run the pipeline to its end and write `summary.json`.

    Args:
      config: the run's settings.
      options: Beam's own; without a runner the work is done in this process.
      price_per_1k_chars: what 1,000 checked characters cost, None if unknown.

    Returns:
      The summary as written.

    Raises:
      Exception: whatever ended the run early.
    """
    started_at_us = time.time_ns() // 1000
    destination = config.destination
    # What an earlier run under this id said is no longer true once this one begins.
    storage.remove([destination.path("summary.json")])
    # Named, since DirectRunner would try to download another: apache_beam's prism_runner.py.
    named_runner = options.view_as(StandardOptions).runner
    pipeline = beam.Pipeline(runner=None if named_runner else FnApiRunner(), options=options)
    build_pipeline(pipeline, config)
    try:
        result = pipeline.run()
        result.wait_until_finish()
        summary = _summary(config, result, started_at_us, price_per_1k_chars)
        storage.write_whole(
            destination.path("summary.json"),
            summary_to_json(summary),
            destination.temporary_path("summary.json"),
        )
        if config.check.reply_store:
            storage.remove_folder(destination.paid_folder)
    finally:
        # A rerun writes its files anew, and a full disk is no place to leave a mess on.
        storage.remove_folder(destination.temporary_folder)
    return summary


def _summary(
    config: Config, result: PipelineResult, started_at_us: int, price_per_1k_chars: float | None
) -> Summary:
    """Count what came in by the metrics, and what went out by the files that are there."""
    metrics = result.metrics().query()
    counted = _counted(metrics)
    latency = _latency(metrics)
    characters = counted[counters.CHARACTERS.name]
    return Summary(
        run=config.run,
        checker=config.check.checker,
        read=counted[counters.MESSAGES_READ.name],
        enriched=_rows(config, "enriched"),
        failures=_rows(config, "failures"),
        duplicates=counted[counters.DUPLICATES_SEEN.name],
        sampled_out=counted[counters.SAMPLED_OUT.name],
        verdicts={verdict.value: counted[counters.VERDICTS[verdict].name] for verdict in Verdict},
        alerts=_rows(config, "alerts"),
        failures_by_error=_failures_by_error(counted),
        retryable_failures=counted[counters.RETRYABLE_FAILURES.name],
        damaged_archives=counted[counters.ARCHIVES_DAMAGED.name],
        calls=counted[counters.CALLS.name],
        retries=counted[counters.RETRIES.name],
        characters=characters,
        cost=None if price_per_1k_chars is None else characters / 1000 * price_per_1k_chars,
        mean_latency_ms=round(latency.mean, 1) if latency else None,
        max_latency_ms=latency.max if latency else None,
        started_at_us=started_at_us,
        finished_at_us=time.time_ns() // 1000,
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


def _rows(config: Config, kind: str) -> int:
    return sum(entry.rows for entry in read_manifest(config.destination, kind))


def _failures_by_error(counted: Counter[str]) -> dict[str, int]:
    return {
        name.removeprefix(counters.FAILED_PREFIX): count
        for name, count in sorted(counted.items())
        if name.startswith(counters.FAILED_PREFIX)
    }
