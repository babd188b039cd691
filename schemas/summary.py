"""Count the answers of a run, and summarize a run or an output folder."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from . import Record
from .planned_run import PlannedRun
from .quantities import from_rfc3339, indented_json, with_rfc3339_times
from .verdict import SECOND_DECIDED

_SUMMARY_SUMS = ("enriched", "failures", "alerts", "unpublished", "published", "waiting")
_COUNTS_BY_NAME = ("verdicts", "failures_by_error", "escalations", "published", "waiting")
_TIMES = ("started_at", "finished_at")


class AnswerCounts(Record, frozen=True, kw_only=True):
    """The counts that a run's parts and its summary have in common.

    Attributes:
      read: answers read: one for each message, and one for each further answer in it.
      deferred: answers that the budget of the run did not allow to check; they count as not read,
        and a resumed run reads them again.
      failures_by_error: by the class of the error.
      damaged_archives: each is one answer read and one failure.
      unreadable: messages that cannot be read as answers, and damaged archives.
      calls: requests sent to the checker, failed ones included; `retries` repeat another one.
      checked: answers for which a call was made or a cached reply was used.
      escalations: with two checkers, answers that are tagged ESCALATED, AUDITED or NOT_ESCALATED.
      over_budget: those that are NOT_ESCALATED since the budget did not allow their check.
    """

    read: int = 0
    duplicates: int = 0
    sampled_out: int = 0
    deferred: int = 0
    verdicts: dict[str, int] = {}
    failures_by_error: dict[str, int] = {}
    retryable_failures: int = 0
    damaged_archives: int = 0
    unreadable: int = 0
    calls: int = 0
    retries: int = 0
    characters: int = 0
    checked: int = 0
    escalations: dict[str, int] = {}
    over_budget: int = 0

    @property
    def timed(self) -> int:
        """Answers whose latencies count: with two checkers, those that the second one checked."""
        if not self.escalations:
            return self.checked
        return sum(self.escalations.get(tag, 0) for tag in SECOND_DECIDED)


class RunCounts(AnswerCounts, frozen=True, kw_only=True):
    """The counts of a run, or of a part of it, with the sum and the maximum of the latencies."""

    latency_ms: int = 0
    max_latency_ms: int = 0


class ReplayedFile(Record, frozen=True, kw_only=True):
    """A file of failures that a replay has read; paths are relative to the output folder.

    Attributes:
      moved_to: where it goes when all of its rows are resolved; None after a replay that a budget
        has stopped, which goes on with it.
      rows: those that the replay has resolved.
      waiting: the others, as pairs of the first row, from 0, and their number, in order.
    """

    path: str
    moved_to: str | None
    rows: int
    waiting: tuple[tuple[int, int], ...] = ()

    def has_resolved(self, row: int) -> bool:
        """Return whether the replay has resolved a row, by its number."""
        before = bisect_right(self.waiting, row, key=lambda rows: rows[0])
        return not before or row >= sum(self.waiting[before - 1])


class Replayed(Record, frozen=True, kw_only=True):
    """The failures of a folder that a replay into it has resolved, and has counted again."""

    files: tuple[ReplayedFile, ...]
    failures: int
    retryable: int
    unreadable: int = 0
    failures_by_error: dict[str, int]


def replayed_files(replays: Iterable[Replayed | None]) -> Iterator[ReplayedFile]:
    """Return the files that replays have read; None stands for a run that is none."""
    return (file for replayed in replays if replayed for file in replayed.files)


class Summary(AnswerCounts, frozen=True, kw_only=True):
    """The summary of one run.

    Attributes:
      deferred: answers, and messages not yet parsed, that the budget of the run did not allow.
      enriched, failures, alerts: rows in the files that were written.
      source: a hash of the input's name; None if it is unknown.
      journal: the identity of the database of a run on one machine, part of its files' names; None
        for other runs.
      unpublished: enriched records that are durable, but in no final file yet.
      published: alerts and failures that a topic has taken in place of a file, as ``alerts`` and
        ``failures``; None if it is unknown.
      waiting: further rows that are durable, but not yet in a file, a topic or another destination;
        by ``alerts``, ``failures`` and the destination's name.
      unfinished: whether the run is bounded and was begun, but has not ended.
      planned: what a bounded run was planned for; it stands in the run's own file alone.
      settings: the texts of the settings that a replay of its failures takes over, by key; None if
        they are unknown. They stand in the run's own file alone.
    """

    run: str
    checker: str
    enriched: int
    failures: int
    alerts: int
    cost: float | None
    mean_latency_ms: float | None
    max_latency_ms: int | None
    started_at_us: int
    finished_at_us: int
    thresholds: dict[str, float | dict[str, dict[str, float]]] = {}
    source: str | None = None
    journal: str | None = None
    unpublished: int = 0
    published: dict[str, int] | None = None
    waiting: dict[str, int] = {}
    unfinished: bool = False
    replayed: Replayed | None = None
    planned: PlannedRun | None = None
    settings: dict[str, tuple[str, ...]] | None = None

    @property
    def name(self) -> str:
        """A name that no other run in the same folder has."""
        return f"{self.run}-{self.journal}" if self.journal else self.run

    @property
    def undelivered(self) -> dict[str, int]:
        """All rows that are durable, but not yet where they go: `unpublished` and `waiting`."""
        rows = {"enriched": self.unpublished, **self.waiting}
        return {name: count for name, count in rows.items() if count}

    @property
    def is_bounded(self) -> bool:
        """Whether the run has an end, as those of `backfill` and `replay`."""
        return self.journal is None or self.source is not None

    @property
    def is_complete(self) -> bool:
        """Whether a bounded run has ended, and its budget left nothing."""
        return not (self.unfinished or self.deferred)

    @property
    def closes(self) -> bool:
        """Whether every answer read ended in exactly one place."""
        ends = self.enriched, self.failures, self.duplicates, self.sampled_out
        counts = *ends, *self.verdicts.values(), *self.failures_by_error.values()
        verdicts = sum(self.verdicts.values())
        return self.read == sum(ends) and self.enriched == verdicts and min(counts) >= 0


class FolderSummary(Record, frozen=True, kw_only=True):
    """The summary of an output folder: the totals, and the summaries of its runs as it lists them.

    The totals are a summary, too: what cannot be added, such as the thresholds, is the last run's.
    """

    total: Summary
    runs: tuple[Summary, ...]


def total_counts(parts: Iterable[RunCounts]) -> RunCounts:
    """Add up the counts of all parts of a run."""
    counted = list(parts)
    sums = _sums(counted, "latency_ms")
    sums["failures_by_error"] = dict(sorted(sums["failures_by_error"].items()))
    sums |= {name: dict(sums[name]) for name in ("verdicts", "escalations")}
    slowest_ms = max((part.max_latency_ms for part in counted), default=0)
    return RunCounts(**sums, max_latency_ms=slowest_ms)


def summary_to_json(summary: Summary) -> bytes:
    """Write the summary of a run as indented JSON; times are RFC 3339."""
    return indented_json(_fields(summary))


def summary_from_json(content: bytes) -> Summary:
    """Read the summary of a run; raise ValueError if the content is none."""
    try:
        return _summary(msgspec.json.decode(content, type=dict[str, Any]))
    except (KeyError, TypeError, msgspec.MsgspecError) as error:
        raise ValueError(f"not the summary of a run: {type(error).__name__}") from None


def folder_summary_from_json(content: bytes) -> FolderSummary:
    """Read the summary of an output folder; raise ValueError if the content is none."""
    try:
        fields = msgspec.json.decode(content, type=dict[str, Any])
        runs = tuple(_summary(run) for run in fields.pop("runs", ()))
        return FolderSummary(total=_summary(fields), runs=runs)
    except (AttributeError, KeyError, TypeError, msgspec.MsgspecError) as error:
        raise ValueError(f"not the summary of a folder: {type(error).__name__}") from None


def _summary(fields: dict[str, Any]) -> Summary:
    times = {f"{name}_us": from_rfc3339(fields.pop(name)) for name in _TIMES}
    old_names = {"deferred": fields.pop("left", 0)}  # of version 1
    return msgspec.convert({**old_names, **fields, **times}, Summary)


def folder_summary_to_json(runs: Iterable[Summary]) -> bytes:
    """Write the summary of an output folder: the totals, and each run's summary under `runs`."""
    summary = folder_summary(runs)
    listed = [_fields(run) for run in summary.runs]
    return indented_json({**_fields(summary.total), "runs": listed})


def folder_summary(runs: Iterable[Summary]) -> FolderSummary:
    """Summarize an output folder with at least one run."""
    listed = (replace(run, planned=None, settings=None) for run in runs)
    ordered = sorted(listed, key=lambda run: (run.finished_at_us, run.name))
    return FolderSummary(total=_folder_totals(ordered), runs=tuple(ordered))


def _folder_totals(runs: Sequence[Summary]) -> Summary:
    """Add up the summaries of all runs of a folder, without the failures that were resolved."""
    sums = _sums(runs, *_SUMMARY_SUMS)
    for replayed in filter(None, (run.replayed for run in runs)):
        for name in ("read", "failures"):
            sums[name] -= replayed.failures
        sums["retryable_failures"] -= replayed.retryable
        sums["unreadable"] -= replayed.unreadable
        sums["failures_by_error"].subtract(replayed.failures_by_error)
    sums["failures_by_error"] = dict(+sums["failures_by_error"])
    sums |= {name: dict(sums[name]) for name in ("verdicts", "escalations", "published", "waiting")}
    if any(run.published is None for run in runs):
        sums["published"] = None
    costs = [run.cost for run in runs if run.cost is not None]
    latencies_ms = [run.max_latency_ms for run in runs if run.max_latency_ms is not None]
    return replace(
        runs[-1],
        **sums,
        cost=sum(costs) if costs else None,
        mean_latency_ms=_mean_latency_ms(runs),
        max_latency_ms=max(latencies_ms, default=None),
        started_at_us=min(run.started_at_us for run in runs),
        source=None,
        journal=None,
        unfinished=any(run.unfinished for run in runs),
        replayed=None,
    )


def _sums(parts: Sequence[AnswerCounts], *further: str) -> dict[str, Any]:
    """Add up the counts that all parts have, and further fields by name."""
    sums: dict[str, Any] = {}
    for name in (*AnswerCounts.__struct_fields__, *further):
        values = [getattr(part, name) for part in parts]
        if name in _COUNTS_BY_NAME:
            sums[name] = Counter()
            for counts in values:
                sums[name].update(counts or {})
        else:
            sums[name] = sum(values)
    return sums


def _mean_latency_ms(runs: Sequence[Summary]) -> float | None:
    """Average over all timed answers of the runs that say how many they checked."""
    known = [(run.mean_latency_ms, run.timed) for run in runs if run.mean_latency_ms is not None]
    timed = sum(number for _, number in known)
    if not timed:
        return known[-1][0] if known else None
    return round(sum(mean_ms * number for mean_ms, number in known) / timed, 1)


def _fields(summary: Summary) -> dict[str, Any]:
    first = {"run": summary.run, "checker": summary.checker}
    return {**first, **with_rfc3339_times(summary), "closes": summary.closes}
