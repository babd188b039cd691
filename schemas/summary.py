"""The summary of a run and of an output folder: what came in, where it ended, what it took."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict, replace

from schemas import Record
from schemas.cost_estimate import Comparison
from schemas.quantities import from_rfc3339, to_rfc3339

_SUMS = (
    "read",
    "enriched",
    "failures",
    "duplicates",
    "sampled_out",
    "left",
    "alerts",
    "retryable_failures",
    "damaged_archives",
    "unreadable",
    "calls",
    "retries",
    "characters",
    "checked",
    "unpublished",
    "set_aside",
)
_COUNTS_BY_NAME = ("verdicts", "failures_by_error")
_TIMES = ("started_at", "finished_at")


class ReplayedFile(Record, frozen=True, kw_only=True):
    """A file of failures that a replay has resolved.

    Attributes:
      path: where it was, relative to the output folder.
      moved_to: where it is now.
      rows: failures in it.
    """

    path: str
    moved_to: str
    rows: int


class Replayed(Record, frozen=True, kw_only=True):
    """The failures of one output folder that a replay into the same folder has resolved.

    Each is an enriched record of the replay now, or one of its failures. So a total of the folder
    leaves them out, both among the answers read and among the failures.

    Attributes:
      files: those that held them.
      failures: how many.
      retryable: how many of them were.
      unreadable: how many of them could not be read.
      failures_by_error: how many by the class of their error.
    """

    files: tuple[ReplayedFile, ...]
    failures: int
    retryable: int
    unreadable: int = 0
    failures_by_error: dict[str, int]


class Summary(Record, frozen=True, kw_only=True):
    """The counts of one run.

    Attributes:
      run: the run's id.
      checker: who checked.
      read: answers that came in: one for each message, and one for each further answer in it.
      enriched, failures: rows in the files that were written.
      duplicates, sampled_out: answers that were left out, counted.
      left: answers, and messages not yet parsed, that a limit of the run left for a later try; they
        count as not read.
      verdicts: enriched records by verdict.
      alerts: rows in the files of alerts.
      failures_by_error: failures by the class of their error.
      retryable_failures: failures that `replay` may mend.
      damaged_archives: archives that are damaged; each is one message read and one failure.
      unreadable: messages that are no answer, and damaged archives; each is one failure.
      calls, retries: requests sent to the checker, failed ones included, in all tries of the run;
        and how many of them repeat another one.
      characters: of answers and facts in these requests.
      cost: in the currency of the price, None where no price was given.
      mean_latency_ms, max_latency_ms: of a checked answer, None where none was checked.
      started_at_us, finished_at_us: microseconds since 1970 UTC.
      thresholds: by name, 0..1: below which support score and claim score an answer was low.
      estimate: what was estimated for the run, and how far off that was; None without one.
      checked: answers for which a call was made, or a cached reply taken.
      source: a hash of what the input was called; None where nobody recorded it.
      journal: the identity of a worker's journal, part of its files' names; None for other runs.
      unpublished: enriched records of a worker that are durable, but in no final file yet.
      set_aside: rows in damaged parts of a worker, which are in no final file.
      replayed: failures of this folder that the run has resolved; None where it did not replay any.
    """

    run: str
    checker: str
    read: int
    enriched: int
    failures: int
    duplicates: int
    sampled_out: int
    left: int = 0
    verdicts: dict[str, int]
    alerts: int
    failures_by_error: dict[str, int]
    retryable_failures: int
    damaged_archives: int
    unreadable: int = 0
    calls: int
    retries: int
    characters: int
    cost: float | None
    mean_latency_ms: float | None
    max_latency_ms: int | None
    started_at_us: int
    finished_at_us: int
    estimate: Comparison | None = None
    thresholds: dict[str, float] = {}
    checked: int = 0
    source: str | None = None
    journal: str | None = None
    unpublished: int = 0
    set_aside: int = 0
    replayed: Replayed | None = None

    @property
    def name(self) -> str:
        """What tells the run from all others that write to the same folder."""
        return f"{self.run}-{self.journal}" if self.journal else self.run

    @property
    def closes(self) -> bool:
        """Whether every answer read ended in exactly one place."""
        accounted = self.enriched + self.failures + self.duplicates + self.sampled_out
        return self.read == accounted and self.enriched == sum(self.verdicts.values())


def total_of(runs: Iterable[Summary]) -> Summary:
    """Add up the summaries of all runs of a folder.

    Args:
      runs: at least one. What cannot be added, such as the thresholds, is the last one's.

    Returns:
      The sums, without the failures that a replay has resolved.
    """
    ordered = sorted(runs, key=_end)
    sums = {name: sum(getattr(run, name) for run in ordered) for name in _SUMS}
    counters = {name: _added(getattr(run, name) for run in ordered) for name in _COUNTS_BY_NAME}
    for replayed in filter(None, (run.replayed for run in ordered)):
        for name in ("read", "failures"):
            sums[name] -= replayed.failures
        sums["retryable_failures"] -= replayed.retryable
        sums["unreadable"] -= replayed.unreadable
        counters["failures_by_error"].subtract(replayed.failures_by_error)
    costs = [run.cost for run in ordered if run.cost is not None]
    latencies_ms = [run.max_latency_ms for run in ordered if run.max_latency_ms is not None]
    return replace(
        ordered[-1],
        **sums,
        **{name: dict(+counted) for name, counted in counters.items()},
        cost=sum(costs) if costs else None,
        mean_latency_ms=_mean_latency_ms(ordered),
        max_latency_ms=max(latencies_ms, default=None),
        started_at_us=min(run.started_at_us for run in ordered),
        source=None,
        journal=None,
        replayed=None,
    )


def summary_to_json(summary: Summary) -> bytes:
    """Write the summary of a run as indented JSON; times are RFC 3339."""
    return _to_json(_fields(summary))


def summary_from_json(content: bytes) -> Summary:
    """Read the summary of a run back.

    Raises:
      ValueError: it is none.
    """
    try:
        fields = msgspec.json.decode(content, type=dict[str, Any])
        times = {f"{name}_us": from_rfc3339(fields.pop(name)) for name in _TIMES}
        return msgspec.convert({**fields, **times}, Summary)
    except (KeyError, TypeError, msgspec.MsgspecError) as error:
        raise ValueError(f"not the summary of a run: {type(error).__name__}") from None


def folder_summary_to_json(runs: Sequence[Summary]) -> bytes:
    """Write the summary of an output folder: the totals, and under `runs` each run's own."""
    ordered = sorted(runs, key=_end)
    return _to_json({**_fields(total_of(ordered)), "runs": [_fields(run) for run in ordered]})


def _end(run: Summary) -> tuple[int, str]:
    return run.finished_at_us, run.name


def _added(counted: Iterable[dict[str, int]]) -> Counter[str]:
    added: Counter[str] = Counter()
    for counts in counted:
        added.update(counts)
    return added


def _mean_latency_ms(runs: Sequence[Summary]) -> float | None:
    """Average over all checked answers, as far as the runs say how many they were."""
    known = [run for run in runs if run.mean_latency_ms is not None]
    checked = sum(run.checked for run in known)
    if not checked:
        return known[-1].mean_latency_ms if known else None
    weighted_ms = sum((run.mean_latency_ms or 0.0) * run.checked for run in known)
    return round(weighted_ms / checked, 1)


def _fields(summary: Summary) -> dict[str, Any]:
    fields = asdict(summary)
    for name in _TIMES:
        fields[name] = to_rfc3339(fields.pop(f"{name}_us"))
    fields["closes"] = summary.closes
    return fields


def _to_json(fields: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(fields), indent=2) + b"\n"


class Counts(Record, frozen=True, kw_only=True):
    """The counts of a run, or of a part of it.

    Attributes:
      read: answers that came in: one for each message, and one for each further answer in it.
      duplicates, sampled_out: answers that were left out.
      left: answers whose check a limit of the run did not allow; they are read again by whoever
        goes on with the run.
      verdicts: enriched records by verdict.
      failures_by_error: failures by the class of their error.
      retryable_failures: failures that `replay` may mend.
      damaged_archives: archives that are damaged; each is one message read and one failure.
      unreadable: messages that are no answer, and damaged archives.
      calls, retries: requests sent to the checker, failed ones included, in all tries of the run;
        and how many of them repeat another one.
      characters: of answers and facts in these requests.
      checked: answers that were checked.
      latency_ms: of all of them together.
      max_latency_ms: of the slowest, 0 when none was checked.
    """

    read: int = 0
    duplicates: int = 0
    sampled_out: int = 0
    left: int = 0
    verdicts: dict[str, int] = {}
    failures_by_error: dict[str, int] = {}
    retryable_failures: int = 0
    damaged_archives: int = 0
    unreadable: int = 0
    calls: int = 0
    retries: int = 0
    characters: int = 0
    checked: int = 0
    latency_ms: int = 0
    max_latency_ms: int = 0


def total(parts: Iterable[Counts]) -> Counts:
    """Add up the counts of all parts of a run."""
    numbers: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    errors: Counter[str] = Counter()
    slowest_ms = 0
    for part in parts:
        members = asdict(part)
        verdicts.update(members.pop("verdicts"))
        errors.update(members.pop("failures_by_error"))
        slowest_ms = max(slowest_ms, members.pop("max_latency_ms"))
        numbers.update(members)
    return Counts(
        **numbers,
        verdicts=dict(verdicts),
        failures_by_error=dict(sorted(errors.items())),
        max_latency_ms=slowest_ms,
    )
