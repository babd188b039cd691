"""Find what differs between the counts of a folder's runs, its manifest and its files."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import PurePath
from typing import Any

from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.engine.journal import FOLDERS, LedgerHour
from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.schemas import Record
from groundwatch.schemas import summary as summaries
from groundwatch.schemas.file_entry import FileEntry
from groundwatch.schemas.quantities import to_datetime

KINDS = ("enriched", "failures", "alerts")  # the folders of rows below an output folder
_PUBLISHED, _UNKNOWN = "published to topics", "unknown"
RARE_PLACES = {_PUBLISHED, _UNKNOWN}
"""Places that are shown only if there are rows."""

_MAX_NAMED = 5
_OF_RECORDS = ("verdicts", "checked", "escalations")
_OF_FAILURES = ("failures_by_error", "retryable_failures")
# A bounded run counts its calls and characters elsewhere, and what it has deferred at its end.
_COMMITTED = sorted(
    {*summaries.AnswerCounts.__struct_fields__} - {"calls", "characters", "deferred"}
)
# Of a run with a database, and of a bounded one without.
_NAMED_BY_RUN = re.compile(r"(.+-[0-9a-f]{8})-\d{6}\.\w+|(.+)-batch-0-\d+\.\w+")

RowCounts = Counter[str]  # rows by kind


class FoundFile(FileEntry, frozen=True, kw_only=True):
    """A file, with the counts of its rows that a summary has, too."""

    counts: summaries.RunCounts


class FoundJournal(Record, frozen=True, kw_only=True):
    """What a worker's journal says; waiting rows are durable, and in no final file yet."""

    path: str
    run: str
    identity: str
    hours: tuple[LedgerHour, ...]
    delivered: dict[str, Delivered]
    undelivered: dict[str, int]
    totals: summaries.RunCounts
    written: RowCounts
    waiting: RowCounts
    published: RowCounts


class Folder(Record, frozen=True, kw_only=True):
    """All that was found in an output folder; `damages` says why a file cannot be read, by path."""

    runs: tuple[summaries.Summary, ...]
    summary: summaries.FolderSummary | None
    manifest: tuple[FileEntry, ...]
    files: tuple[FoundFile, ...]
    damages: dict[str, str]
    journals: tuple[FoundJournal, ...]
    repeated_ids: dict[str, tuple[str, ...]]  # the files of each, by record id

    def journal_of(self, run: summaries.Summary) -> FoundJournal | None:
        identity = run.run, run.journal
        found = (each for each in self.journals if (each.run, each.identity) == identity)
        return next(found, None)

    def moved_files(self) -> set[str]:
        """Return the files of failures that a replay has resolved and moved."""
        return {file.path for file in self.replayed_files() if file.moved_to}

    def replayed_files(self) -> Iterator[summaries.ReplayedFile]:
        return summaries.replayed_files(run.replayed for run in self.runs)


def row_counts(folder: Folder) -> dict[str, RowCounts]:
    """Count the rows of a folder by the place where they are counted, in words, and by kind."""
    written, waiting, published = Counter[str](), Counter[str](), Counter[str]()
    for journal in folder.journals:
        written.update(journal.written)
        waiting.update(journal.waiting)
        published.update(journal.published)
    for run in folder.runs:
        if not folder.journal_of(run):
            written.update({kind: getattr(run, kind) for kind in KINDS})
            waiting.update(run.undelivered)
            published.update(run.published or {})
    moved = folder.moved_files()
    written["failures"] -= sum(file.rows for file in folder.replayed_files() if file.path in moved)
    return {
        "written, by ledgers and summaries": written,
        "listed in the manifest": _count_rows(
            entry for entry in folder.manifest if entry.path not in moved
        ),
        "in the files": _count_rows(folder.files),
        _PUBLISHED: published,
        "waiting in work folders": waiting,
        _UNKNOWN: unknown_rows(folder),
    }


def unknown_rows(folder: Folder) -> RowCounts:
    """Count the alerts and failures of workers that are in no file, and unaccounted for.

    Their topic has them, or a work folder that was not found: version 2.0.0 did not note which.
    """
    unknown: RowCounts = Counter()
    for run in folder.runs:
        if run.published is None and not run.is_bounded and not folder.journal_of(run):
            rows = _count_rows(folder.manifest, _prefix(run))
            for kind in ("alerts", "failures"):
                if missing := getattr(run, kind) - rows[kind]:
                    unknown[kind] += missing
    return unknown


def undelivered_rows(folder: Folder) -> dict[str, RowCounts]:
    """Return the alerts and failures that wait for their topic, by work folder."""
    waiting: dict[str, RowCounts] = defaultdict(Counter)
    for journal in folder.journals:
        for kind in journal.undelivered.keys() & FOLDERS.keys():
            place = str(PurePath(journal.path).parent)
            waiting[place][FOLDERS[kind]] = journal.undelivered[kind]
    return waiting


def differences(folder: Folder) -> list[str]:
    """Find everything in which a folder differs from what its runs say, a sentence each."""
    rows = _file_differences(folder), _run_differences(folder), _journal_differences(folder)
    counts = _summary_differences(folder), _count_differences(folder)
    found = list(chain(*rows, *counts))
    repeated = folder.repeated_ids.keys() - shared_ids(folder)
    if count := len(repeated):
        named = ", ".join(sorted(repeated)[:_MAX_NAMED])
        more = ", …" if count > _MAX_NAMED else ""
        found.append(f"{count} record ids have more than one record or failure: {named}{more}")
    return found


def shared_ids(folder: Folder) -> set[str]:
    """Return the record ids that several workers have written once each.

    A message that one worker had no time to acknowledge is delivered to another: at least once.
    """
    workers = [f"{run.name}-" for run in folder.runs if not run.is_bounded]

    def worker_of(path: str) -> str | None:
        return next((worker for worker in workers if _name(path).startswith(worker)), None)

    shared = set()
    for record_id, paths in folder.repeated_ids.items():
        found = {worker_of(path) for path in paths}
        if None not in found and len(found) == len(paths):
            shared.add(record_id)
    return shared


def _file_differences(folder: Folder) -> Iterator[str]:
    found = {file.path: file for file in folder.files}
    listed = {entry.path for entry in folder.manifest}
    known = {run.name for run in folder.runs}
    known |= {f"{journal.run}-{journal.identity}" for journal in folder.journals}
    for file in folder.files:
        if damage := folder.damages.get(file.path):
            yield f"{file.path} is damaged after {counted(file.rows, 'row')}: {damage}"
        if file.path not in listed:
            yield f"{file.path} has {counted(file.rows, 'row')}, and no manifest lists it"
        elif (run := _run_of(file.path)) and run not in known:
            yield f"{file.path} belongs to the run {run}, which has no summary in runs/"
    moved = folder.moved_files()
    for entry in folder.manifest:
        if there := found.get(entry.path):
            yield from _entry_differences(entry, there)
        elif entry.path not in moved:
            yield f"{entry.path} is gone; its manifest lists {counted(entry.rows, 'row')}"


def _entry_differences(entry: FileEntry, there: FoundFile) -> Iterator[str]:
    if (there.rows, there.bytes) != (entry.rows, entry.bytes):
        yield (
            f"{entry.path} has {counted(there.rows, 'row')} in {there.bytes:,} bytes; its manifest"
            f" lists {entry.rows:,} in {entry.bytes:,}"
        )
    elif entry.checksum is None:
        yield f"{entry.path} has no checksum in its manifest: its content cannot be compared"
    elif entry.checksum != there.checksum:
        yield f"{entry.path} has other content than was written: its checksum differs"


def _run_differences(folder: Folder) -> Iterator[str]:
    for run in folder.runs:
        if run.unfinished:
            yield f"run {run.name} has not ended: give the same command again to finish it"
        if not run.closes:
            yield f"run {run.name}: its counts do not add up: {run.read} messages were read"
        if folder.journal_of(run):
            continue
        rows = _count_rows(folder.manifest, _prefix(run))
        # Whether it has noted where its alerts and failures are, and will add no more.
        is_known = not run.unfinished if run.is_bounded else run.published is not None
        for kind in KINDS:
            count, found = getattr(run, kind), rows[kind] + (run.published or {}).get(kind, 0)
            missing = count - found
            if missing and run.undelivered.get(kind) == missing:
                yield (
                    f"run {run.name}: rows of {kind} in a work folder that was not found:"
                    f" {missing:,}; name it with --work_folder"
                )
            elif missing and (kind == "enriched" or is_known):
                yield _unequal(f"run {run.name}", kind, count, found)


def _summary_differences(folder: Folder) -> Iterator[str]:
    """Compare `summary.json` with the summaries in runs/, of which it was made."""
    if folder.summary is None:
        if folder.runs:
            yield f"summary.json is gone; runs/ counts {counted(len(folder.runs), 'run')}"
        return
    total = folder.summary.total
    if not folder.runs:
        yield "runs/ has no summary, and there is a summary.json"
        return
    if not total.closes:
        yield f"summary.json: its counts do not add up: {total.read} messages were read"
    expected = summaries.folder_summary(folder.runs)
    for name, said, known in _unequal_counts(
        total, expected.total, summaries.Summary.__struct_fields__
    ):
        yield f"summary.json: {name} is {said}; by the summaries in runs/ it is {known}"
    listed = {run.name: run for run in folder.summary.runs}
    for run in expected.runs:
        if run != listed.get(run.name):
            yield f"summary.json does not list the run {run.name} as runs/{run.name}.json has it"


def _count_differences(folder: Folder) -> Iterator[str]:
    """Compare what summaries count with the rows of files, or with the journals of workers.

    Not where rows are missing, which is another difference, or wait for their file.
    """
    for run in folder.runs:
        if journal := folder.journal_of(run):
            for name, said, known in _unequal_counts(run, journal.totals, _COMMITTED):
                # A worker may have committed more since it wrote the summary.
                if said > known:
                    yield f"run {run.name}: {name} is {said}; by {journal.path} it is {known}"
            continue
        own = (file for file in folder.files if _name(file.path).startswith(_prefix(run)))
        found = summaries.total_counts(file.counts for file in own)
        if sum(found.verdicts.values()) == run.enriched:
            for name, said, known in _unequal_counts(run, found, _OF_RECORDS):
                yield f"run {run.name}: {name} is {said}; by its files it is {known}"
    # A replay resolves failures of several runs.
    if folder.runs and all(run.is_bounded and not folder.journal_of(run) for run in folder.runs):
        total = summaries.folder_summary(folder.runs).total
        found = summaries.total_counts(file.counts for file in folder.files)
        if sum(found.failures_by_error.values()) == total.failures:
            for name, said, known in _unequal_counts(total, found, _OF_FAILURES):
                yield f"summary.json: {name} is {said}; by the files of failures it is {known}"


def _journal_differences(folder: Folder) -> Iterator[str]:
    for journal in folder.journals:
        rows = _count_rows(folder.manifest, f"{journal.run}-{journal.identity}-")
        for each in journal.hours:
            if each.gap:
                hour = f"{to_datetime(each.hour_us):%Y-%m-%d %H h}"
                yield f"{journal.path}: {each.gap} messages of {hour} ended nowhere"
        for kind in KINDS:
            written, published = journal.written[kind], journal.published[kind]
            found = rows[kind] + journal.waiting[kind] + published
            if found != written:
                yield _unequal(journal.path, kind, written, found)


def _run_of(path: str) -> str | None:
    """Return the name of the run that wrote a file, None for files of streams."""
    found = _NAMED_BY_RUN.fullmatch(_name(path))
    return found and (found[1] or found[2])


def _prefix(run: summaries.Summary) -> str:
    return f"{run.name}-" if run.journal else f"{run.name}-batch-0-"


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _unequal_counts(
    said: summaries.AnswerCounts, known: summaries.AnswerCounts, names: Iterable[str]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the fields that differ, with both values, and each count by name for itself."""
    for name in names:
        values = getattr(said, name), getattr(known, name)
        if not all(isinstance(value, dict) for value in values):
            values = {"": values[0]}, {"": values[1]}
        for key in sorted({*values[0], *values[1]}):
            left, right = (value.get(key, 0) for value in values)
            if left != right:
                yield f"{name} {key}".rstrip(), left, right


def _unequal(who: str, kind: str, expected: int, found: int) -> str:
    return f"{who}: rows of {kind}: {expected:,} written, {found:,} found"


def _count_rows(files: Iterable[FileEntry], prefix: str = "") -> RowCounts:
    rows: RowCounts = Counter()
    for file in files:
        if _name(file.path).startswith(prefix):
            rows[file.path.partition("/")[0]] += file.rows
    return rows
