"""Make the summary of a run."""

from collections.abc import Mapping
from typing import Any

from launch.estimate.estimate_file import compare_with_estimate
from pipeline.settings.config import Config
from schemas.cost_estimate import Amounts
from schemas.summary import AnswerCounts, RunCounts, Summary
from transforms.runtime import clock


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
    made = Amounts(calls=counts.calls, characters=counts.characters, cost=cost)
    return Summary(
        **_counted(counts) | {"deferred": deferred},
        run=config.run,
        source=config.source,
        checker=config.check.checker,
        enriched=rows["enriched"],
        failures=rows["failures"],
        alerts=rows["alerts"],
        cost=cost,
        started_at_us=started_at_us,
        finished_at_us=clock.now_us(),
        estimate=compare_with_estimate(config.destination, made),
        thresholds={
            "low_grounded": config.thresholds.low_grounded,
            "claim": config.thresholds.claim,
        },
    )


def _counted(counts: RunCounts) -> dict[str, Any]:
    """Return the fields of a summary that follow from the counts alone."""
    return {
        **{name: getattr(counts, name) for name in AnswerCounts.__struct_fields__},
        "mean_latency_ms": round(counts.latency_ms / counts.checked, 1) if counts.checked else None,
        "max_latency_ms": counts.max_latency_ms if counts.checked else None,
    }
