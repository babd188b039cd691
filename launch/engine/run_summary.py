"""Write the summary of a run, and resolve the failures that it has replayed."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from itertools import count
from typing import Any

from msgspec.structs import asdict, replace

from groundwatch.launch.engine.journal import Journal
from groundwatch.launch.outputs.output_folder import UnreadableFile, read_lines
from groundwatch.launch.outputs.output_records import FailureLine
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config, Destination
from groundwatch.pipeline.sinks.publication import manifests_of, read_manifest_file
from groundwatch.pipeline.sinks.summary_file import read_summaries, remove_summary, write_summary
from groundwatch.schemas.cost_estimate import Amounts, Comparison, compare, estimated_amounts
from groundwatch.schemas.summary import Replayed, ReplayedFile, RunCounts, Summary
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.grounding.reply_cache import ReplyStore
from groundwatch.transforms.rules.tagging import Thresholds
from groundwatch.transforms.runtime import clock

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
    verdicts = {verdict.value: counts.verdicts.get(verdict, 0) for verdict in Verdict}
    fields: dict[str, Any] = {**asdict(counts), "verdicts": verdicts}
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


def summary_of_journal(
    config: Config,
    journal: Journal,
    *,
    started_at_us: int,
    price_per_1k_chars: float | None,
    deferred: int = 0,
) -> Summary:
    """Make the summary of all that a database has committed, published or not."""
    hours, counts = journal.ledger(), journal.totals()
    if config.check.reply_store:
        # Those of unfinished batches and killed processes count, too.
        with closing(ReplyStore(config.check.reply_store)) as store:
            calls, characters = store.spent()
        counts = replace(counts, calls=calls, characters=characters)
    summary = summary_of(
        config,
        counts,
        {
            "enriched": sum(hour.enriched for hour in hours),
            "failures": sum(hour.failures for hour in hours),
            "alerts": journal.alerts_raised(),
        },
        started_at_us=started_at_us,
        price_per_1k_chars=price_per_1k_chars,
        deferred=deferred,
    )
    waiting = journal.waiting().get("enriched")
    return replace(
        summary, journal=journal.database.identity, unpublished=waiting.rows if waiting else 0
    )


def write_worker_summary(
    config: Config, journal: Journal, price_per_1k_chars: float | None, started_at_us: int
) -> Summary:
    """Write the summary of all that a worker's database has committed."""
    summary = summary_of_journal(
        config, journal, started_at_us=started_at_us, price_per_1k_chars=price_per_1k_chars
    )
    return write_summary(config.destination, summary)


def remove_earlier_runs(config: Config, summary: Summary) -> None:
    """Remove the files of earlier runs of the same id, which this one replaces.

    A run that a limit has stopped replaces only runs that have not ended either, and so does a
    replay: what an earlier one has resolved is no input of it. Each is found by its summary, which
    goes last, so that an interrupted removal is repeated.
    """
    destination = config.destination
    for earlier in read_summaries(destination.root):
        is_same_run = (earlier.run, earlier.source) == (summary.run, summary.source)
        is_kept = earlier.is_complete and (config.replays or not summary.is_complete)
        if not is_same_run or earlier.name == summary.name or is_kept:
            continue
        manifests = list(manifests_of(destination, earlier.name))
        for manifest in manifests:
            entries = read_manifest_file(manifest)
            storage.remove([destination.path(entry.path) for entry in entries])
        storage.remove(manifests)
        remove_summary(destination, earlier)


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
    finished = {summary.run for summary in read_summaries(root) if summary.is_complete}
    names = (f"{base}-{number}" if number > 1 else base for number in count(1))
    return next(name for name in names if name not in finished)


def resolve_replayed(config: Config, summary: Summary) -> Summary:
    """Note in the summary of a complete replay which failures it resolves."""
    if config.replays and summary.is_complete and not summary.damaged_archives:
        return replace(summary, replayed=_replayed_from(config.inputs, config.output))
    return summary


def publish_summary(config: Config, summary: Summary) -> Summary:
    """Write the summary of a run, and move the failures out of the way that it has resolved."""
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
