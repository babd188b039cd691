"""Write the summary of a run, and resolve the failures that it has replayed."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from msgspec.structs import asdict, replace

from launch.outputs.output_folder import UnreadableFile, read_lines
from launch.outputs.output_records import FailureLine
from pipeline import storage
from pipeline.settings.config import Config, Destination
from pipeline.sinks.summary_file import read_summaries, write_summary
from schemas.cost_estimate import Amounts, Comparison, compare, estimated_amounts
from schemas.summary import Replayed, ReplayedFile, RunCounts, Summary
from transforms.rules.tagging import Thresholds
from transforms.runtime import clock

ESTIMATE_FILE = "estimate.json"
_FAILURES = "failures"
_REPLAYED = "replayed"
_READING_STEPS = frozenset({"ReadMessages", "ParseAnswers"})


_log = logging.getLogger(__name__)


def summary_of(
    config: Config,
    counts: RunCounts,
    rows: Mapping[str, int],
    *,
    started_at_us: int,
    price_per_1k_chars: float | None,
    deferred: int = 0,
) -> Summary:
    """Make the summary of a run that ends now; `rows` are those in the output's files, by kind."""
    cost = None if price_per_1k_chars is None else counts.characters / 1000 * price_per_1k_chars
    spent = Amounts(calls=counts.calls, characters=counts.characters, cost=cost)
    fields: dict[str, Any] = asdict(counts)
    latency_ms, max_latency_ms = fields.pop("latency_ms"), fields.pop("max_latency_ms")
    return Summary(
        **fields | {"deferred": deferred},
        run=config.run,
        source=config.source,
        checker=config.check.checker,
        enriched=rows["enriched"],
        failures=rows["failures"],
        alerts=rows["alerts"],
        cost=cost,
        mean_latency_ms=round(latency_ms / counts.checked, 1) if counts.checked else None,
        max_latency_ms=max_latency_ms if counts.checked else None,
        started_at_us=started_at_us,
        finished_at_us=clock.now_us(),
        estimate=compare_with_estimate(config.destination, spent),
        thresholds=_used_thresholds(config.thresholds),
    )


def _used_thresholds(used: Thresholds) -> dict[str, float | dict[str, Any]]:
    shown: dict[str, float | dict[str, Any]]
    shown = {"low_grounded": used.low_grounded, "claim": used.claim}
    engines = {name: _used_thresholds(own) for name, own in used.engines.items()}
    return shown | ({"engines": engines} if engines else {})


def compare_with_estimate(destination: Destination, made: Amounts) -> Comparison | None:
    """Compare the amounts of a run with its estimate, if it has one that can be read."""
    path = destination.path(ESTIMATE_FILE)
    try:
        if not storage.find(path):
            return None
        estimated = estimated_amounts(storage.read_whole(path))
    except (OSError, ValueError) as error:
        _log.warning("no comparison with %s: %s", path, error)
        return None
    return compare(estimated, made) if estimated.run == destination.run else None


def free_run_id(root: str, base: str) -> str:
    """Choose an id that no finished replay has; a replay that a limit stopped is resumed."""
    finished = {summary.run for summary in read_summaries(root) if not summary.deferred}
    names = (f"{base}-{number}" if number > 1 else base for number in count(1))
    return next(name for name in names if name not in finished)


def publish_summary(config: Config, summary: Summary) -> Summary:
    """Write the summary of a run; a complete replay resolves the failures that it has read."""
    if config.replays and not (summary.deferred or summary.damaged_archives):
        summary = replace(summary, replayed=_replayed_from(config.inputs, config.output))
    write_summary(config.destination, summary)
    move_replayed(config.output, [summary])
    return summary


def move_replayed(root: str, summaries: Iterable[Summary]) -> None:
    """Move files of resolved failures out of `failures/`, unless they are moved already."""
    resolved = (summary.replayed.files for summary in summaries if summary.replayed)
    for file in (file for files in resolved for file in files):
        path = storage.join(root, file.path)
        if storage.exists(path):
            storage.publish(path, storage.join(root, file.moved_to))


def _replayed_from(paths: Iterable[str], root: str) -> Replayed | None:
    """Count the failures in those of the files that belong to the output folder; None if none."""
    folder = storage.join(root, _FAILURES, "")
    files: list[ReplayedFile] = []
    errors: Counter[str] = Counter()
    retryable = unreadable = 0
    for path in paths:
        name = storage.name_below(path, folder)
        if name is None:
            continue
        try:
            failures = list(read_lines(path, FailureLine))
        except UnreadableFile as error:
            raise OSError(str(error)) from None
        errors.update(failure.error_class for failure in failures)
        retryable += sum(failure.retryable for failure in failures)
        unreadable += sum(failure.step in _READING_STEPS for failure in failures)
        own = f"{_FAILURES}/{name}"
        files.append(ReplayedFile(path=own, moved_to=f"{_REPLAYED}/{name}", rows=len(failures)))
    if not files:
        return None
    return Replayed(
        files=tuple(files),
        failures=errors.total(),
        retryable=retryable,
        unreadable=unreadable,
        failures_by_error=dict(errors),
    )
