"""Find what differs between the counts of a folder's runs, its manifest and its files."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import PurePath

from groundwatch.launch.engine.journal import FOLDERS
from groundwatch.launch.engine.ledger import LedgerHour
from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.schemas import Record
from groundwatch.schemas.file_entry import FileEntry
from groundwatch.schemas.quantities import to_datetime
from groundwatch.schemas.summary import Summary

KINDS = ("enriched", "failures", "alerts")  # the folders of rows below an output folder
_PUBLISHED, _UNKNOWN = "published to topics", "unknown"
RARE_PLACES = {_PUBLISHED, _UNKNOWN}
"""Places that are shown only if there are rows."""

_MAX_NAMED = 5
_NAMED_BY_DATABASE = re.compile(r"(.+-[0-9a-f]{8})-\d{6}\.\w+")

RowCounts = dict[str, int]  # rows by kind


class FoundJournal(Record, frozen=True, kw_only=True):
    """What a worker's journal says; waiting rows are durable, and in no final file yet."""

    path: str
    run: str
    identity: str
    hours: tuple[LedgerHour, ...]
    delivered: dict[str, Delivered]
    undelivered: dict[str, int]
    written: RowCounts
    waiting: RowCounts
    published: RowCounts


class Folder(Record, frozen=True, kw_only=True):
    """All that was found in an output folder; `damages` says why a file cannot be read, by path."""

    runs: tuple[Summary, ...]
    total: Summary | None
    manifest: tuple[FileEntry, ...]
    files: tuple[FileEntry, ...]
    damages: dict[str, str]
    journals: tuple[FoundJournal, ...]
    repeated_ids: dict[str, tuple[str, ...]]  # the files of each, by record id

    def has_journal(self, run: Summary) -> bool:
        """Return whether the journal of a run was found."""
        identity = run.run, run.journal
        return any((journal.run, journal.identity) == identity for journal in self.journals)

    def moved_files(self) -> set[str]:
        """Return the files of failures that a replay has resolved and moved."""
        return {file.path for run in self.runs if run.replayed for file in run.replayed.files}


def row_counts(folder: Folder) -> dict[str, RowCounts]:
    """Count the rows of a folder by the place where they are counted, in words, and by kind."""
    journals, moved = folder.journals, folder.moved_files()
    others = [run for run in folder.runs if not folder.has_journal(run)]
    written = {
        kind: sum(journal.written[kind] for journal in journals)
        + sum(getattr(run, kind) for run in others)
        for kind in KINDS
    }
    written["failures"] -= sum(run.replayed.failures for run in folder.runs if run.replayed)
    waiting = {kind: sum(journal.waiting[kind] for journal in journals) for kind in KINDS}
    published = {
        kind: sum(journal.published.get(kind, 0) for journal in journals) for kind in KINDS
    }
    for run in others:
        for kind in KINDS:
            waiting[kind] += run.undelivered.get(kind, 0)
            published[kind] += (run.published or {}).get(kind, 0)
    return {
        "written, by ledgers and summaries": written,
        "listed in the manifest": _count_rows(
            entry for entry in folder.manifest if entry.path not in moved
        ),
        "in the files": _count_rows(folder.files),
        _PUBLISHED: published,
        "waiting in work folders": waiting,
        _UNKNOWN: dict.fromkeys(KINDS, 0) | unknown_rows(folder),
    }


def unknown_rows(folder: Folder) -> RowCounts:
    """Count the alerts and failures of workers that are in no file, and unaccounted for.

    Their topic has them, or a work folder that was not found: version 2.0.0 did not note which.
    """
    unknown: RowCounts = {}
    for run in folder.runs:
        if run.published is None and _is_worker(run) and not folder.has_journal(run):
            rows = _count_rows(folder.manifest, f"{run.name}-")
            for kind in ("alerts", "failures"):
                if missing := getattr(run, kind) - rows[kind]:
                    unknown[kind] = unknown.get(kind, 0) + missing
    return unknown


def undelivered_rows(folder: Folder) -> dict[str, RowCounts]:
    """Return the alerts and failures that wait for their topic, by work folder."""
    waiting = {
        str(PurePath(journal.path).parent): {
            FOLDERS[kind]: rows for kind, rows in journal.undelivered.items() if kind in FOLDERS
        }
        for journal in folder.journals
    }
    return {path: rows for path, rows in waiting.items() if rows}


def differences(folder: Folder) -> list[str]:
    """Find everything in which a folder differs from what its runs say, a sentence each."""
    parts = _file_differences(folder), _run_differences(folder), _journal_differences(folder)
    found = list(chain.from_iterable(parts))
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
    workers = [f"{run.name}-" for run in folder.runs if run.journal and run.source is None]

    def worker_of(path: str) -> str | None:
        name = path.rpartition("/")[2]
        return next((worker for worker in workers if name.startswith(worker)), None)

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
            yield f"{file.path} is damaged after {file.rows} rows: {damage}"
        if file.path not in listed:
            yield f"{file.path} has {file.rows} rows, and no manifest lists it"
        elif (run := _run_of(file.path)) and run not in known:
            yield f"{file.path} belongs to the run {run}, whose summary is gone from runs/"
    moved = folder.moved_files()
    for entry in folder.manifest:
        there = found.get(entry.path)
        if there is None:
            if entry.path not in moved:
                yield f"{entry.path} is gone; its manifest lists {entry.rows} rows"
        elif (there.rows, there.bytes) != (entry.rows, entry.bytes):
            yield (
                f"{entry.path} has {there.rows} rows in {there.bytes} bytes; its manifest"
                f" lists {entry.rows} in {entry.bytes}"
            )
        elif entry.checksum not in (None, there.checksum):
            yield f"{entry.path} has other content than was written: its checksum differs"


def _run_differences(folder: Folder) -> Iterator[str]:
    for run in folder.runs:
        if run.unfinished:
            yield f"run {run.name} has not ended: give the same command again to finish it"
        if not run.closes:
            yield f"run {run.name}: its counts do not add up: {run.read} messages were read"
        if folder.has_journal(run):
            continue
        prefix = f"{run.name}-" if run.journal else f"{run.name}-batch-0-"
        rows = _count_rows(folder.manifest, prefix)
        for kind in KINDS:
            count, found = getattr(run, kind), rows[kind] + (run.published or {}).get(kind, 0)
            missing = count - found
            if missing and run.undelivered.get(kind) == missing:
                yield (
                    f"run {run.name}: {missing} rows of {kind} are in a work folder that was not"
                    " found; name it with --work_folder"
                )
            elif missing and (kind == "enriched" or _is_known(run)):
                yield _unequal(f"run {run.name}", kind, count, found)
    if folder.total and folder.runs and not folder.total.closes:
        yield f"summary.json: its counts do not add up: {folder.total.read} messages were read"


def _journal_differences(folder: Folder) -> Iterator[str]:
    for journal in folder.journals:
        rows = _count_rows(folder.manifest, f"{journal.run}-{journal.identity}-")
        for each in journal.hours:
            if each.gap:
                hour = f"{to_datetime(each.hour_us):%Y-%m-%d %H h}"
                yield f"{journal.path}: {each.gap} messages of {hour} ended nowhere"
        for kind in KINDS:
            written, published = journal.written[kind], journal.published.get(kind, 0)
            found = rows[kind] + journal.waiting[kind] + published
            if found != written:
                yield _unequal(journal.path, kind, written, found)


def _is_worker(run: Summary) -> bool:
    return run.journal is not None and run.source is None


def _is_known(run: Summary) -> bool:
    """Return whether a run has noted where its alerts and failures are, and will add no more."""
    return run.published is not None if _is_worker(run) else not run.unfinished


def _run_of(path: str) -> str | None:
    """Return the name of the run on one machine that wrote a file, None for other files."""
    found = _NAMED_BY_DATABASE.fullmatch(path.rpartition("/")[2])
    return found and found[1]


def _unequal(who: str, kind: str, expected: int, found: int) -> str:
    return f"{who}: {expected} rows of {kind} were written, and {found} were found"


def _count_rows(files: Iterable[FileEntry], prefix: str = "") -> RowCounts:
    rows = dict.fromkeys(KINDS, 0)
    for file in files:
        kind = file.path.partition("/")[0]
        if file.path.rpartition("/")[2].startswith(prefix):
            rows[kind] = rows.get(kind, 0) + file.rows
    return rows
