"""The summary of a run, from what was counted and the files that are there."""

from collections.abc import Mapping
from typing import Any

from launch.estimate.file import compare_with_estimate
from pipeline.settings.config import Config
from schemas.cost_estimate import Amounts
from schemas.summary import Counts, Summary
from transforms import clock


def summary_of(
    config: Config,
    counts: Counts,
    rows: Mapping[str, int],
    *,
    started_at_us: int,
    price_per_1k_chars: float | None,
    left: int = 0,
) -> Summary:
    """Put a summary together, ending now, beside the estimate that was made for the run.

    Args:
      config: the run's settings.
      counts: of the whole run.
      rows: in the output's files, by kind.
      started_at_us: microseconds since 1970 UTC.
      price_per_1k_chars: what 1,000 checked characters cost, None if unknown.
      left: messages that a limit of the run left for a later try.
    """
    cost = None if price_per_1k_chars is None else counts.characters / 1000 * price_per_1k_chars
    made = Amounts(calls=counts.calls, characters=counts.characters, cost=cost)
    return Summary(
        **_counted(counts),
        run=config.run,
        source=config.source,
        checker=config.check.checker,
        enriched=rows["enriched"],
        failures=rows["failures"],
        alerts=rows["alerts"],
        left=left,
        cost=cost,
        started_at_us=started_at_us,
        finished_at_us=clock.now_us(),
        estimate=compare_with_estimate(config.destination, made),
        thresholds={
            "low_grounded": config.thresholds.low_grounded,
            "claim": config.thresholds.claim,
        },
    )


def _counted(counts: Counts) -> dict[str, Any]:
    """The members of a summary that follow from the counts alone."""
    return {
        "read": counts.read,
        "duplicates": counts.duplicates,
        "sampled_out": counts.sampled_out,
        "verdicts": counts.verdicts,
        "failures_by_error": counts.failures_by_error,
        "retryable_failures": counts.retryable_failures,
        "damaged_archives": counts.damaged_archives,
        "unreadable": counts.unreadable,
        "calls": counts.calls,
        "retries": counts.retries,
        "characters": counts.characters,
        "checked": counts.checked,
        "mean_latency_ms": round(counts.latency_ms / counts.checked, 1) if counts.checked else None,
        "max_latency_ms": counts.max_latency_ms if counts.checked else None,
    }
