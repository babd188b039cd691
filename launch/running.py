"""Running the pipeline once, from a frozen configuration to a summary."""

import time
from collections import Counter

import apache_beam as beam
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
    counted: Counter[str] = Counter()
    for counter in metrics["counters"]:
        counted[counter.key.metric.name] += counter.result
    latency = next(iter(metrics["distributions"]), None)
    characters = counted[counters.CHARACTERS.name]
    rows = {
        kind: sum(entry.rows for entry in read_manifest(config.destination, kind))
        for kind in ("enriched", "failures", "alerts")
    }
    return Summary(
        run=config.run,
        checker=config.check.checker,
        read=counted[counters.MESSAGES_READ.name],
        enriched=rows["enriched"],
        failures=rows["failures"],
        duplicates=counted[counters.DUPLICATES_SEEN.name],
        sampled_out=0,
        verdicts={verdict.value: counted[counters.VERDICTS[verdict].name] for verdict in Verdict},
        alerts=rows["alerts"],
        retryable_failures=counted[counters.RETRYABLE_FAILURES.name],
        damaged_archives=counted[counters.ARCHIVES_DAMAGED.name],
        calls=counted[counters.CALLS.name],
        retries=counted[counters.RETRIES.name],
        characters=characters,
        cost=None if price_per_1k_chars is None else characters / 1000 * price_per_1k_chars,
        mean_latency_ms=latency.result.mean if latency else None,
        max_latency_ms=latency.result.max if latency else None,
        started_at_us=started_at_us,
        finished_at_us=time.time_ns() // 1000,
    )
