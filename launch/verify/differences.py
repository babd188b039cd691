"""Find what differs between the counts of a folder's runs, its manifest and its files."""

from collections.abc import Iterable, Iterator

from schemas import Record
from schemas.file_entry import FileEntry
from schemas.summary import RunCounts, Summary

KINDS = ("enriched", "failures", "alerts")
"""The folders of rows below an output folder."""

_MOST_NAMED = 5


class FoundFile(Record, frozen=True, kw_only=True):
    """A file of rows that is in the output folder.

    Attributes:
      path: relative to the output folder.
      rows: how many it has; those before the damage where it is damaged.
      size_bytes: how many bytes.
      damage: why it cannot be read to its end, None if it can.
    """

    path: str
    rows: int
    size_bytes: int
    damage: str | None = None


class FoundJournal(Record, frozen=True, kw_only=True):
    """What a worker's journal says.

    Attributes:
      path: of the journal.
      run, identity: whose files are its own.
      counts: of all messages that were finished.
      gap: messages that ended nowhere, by its ledger.
      enriched, failures, alerts: rows that were written, by its ledger.
      unpublished: enriched records in parts, in no final file yet.
      set_aside: rows in damaged parts.
      waiting_failures, waiting_alerts: rows that wait for a topic or a file.
    """

    path: str
    run: str
    identity: str
    counts: RunCounts
    gap: int
    enriched: int
    failures: int
    alerts: int
    unpublished: int
    set_aside: int
    waiting_failures: int
    waiting_alerts: int

    @property
    def prefix(self) -> str:
        """What the names of its files begin with."""
        return f"{self.run}-{self.identity}-"


class Folder(Record, frozen=True, kw_only=True):
    """All that was found in an output folder.

    Attributes:
      runs: the summaries of its runs.
      total: the counts of `summary.json`, None where there is none.
      manifest: what its manifests list.
      files: the files of rows.
      journals: those of its workers, as far as they were found.
      repeated_ids: record ids that more than one record or failure has, each with how many.
    """

    runs: tuple[Summary, ...]
    total: Summary | None
    manifest: tuple[FileEntry, ...]
    files: tuple[FoundFile, ...]
    journals: tuple[FoundJournal, ...]
    repeated_ids: dict[str, int]


class Sums(Record, frozen=True, kw_only=True):
    """Rows of each kind, by where they were counted.

    Attributes:
      expected: by the journals, and by the summaries of all other runs.
      manifest: in the files that the manifests list.
      files: in the files that are there.
      waiting: durable in a work folder, and in no final file yet.
    """

    expected: dict[str, int]
    manifest: dict[str, int]
    files: dict[str, int]
    waiting: dict[str, int]


def kind_of(path: str) -> str:
    """Return the kind of rows in a file, from its path relative to the output folder."""
    return path.partition("/")[0]


def sums_of(folder: Folder) -> Sums:
    """Count the rows of a folder by kind.

    Args:
      folder: what was found.
    """
    known = {(journal.run, journal.identity) for journal in folder.journals}
    others = [run for run in folder.runs if (run.run, run.journal) not in known]
    resolved = sum(run.replayed.failures for run in folder.runs if run.replayed)
    expected = {
        kind: sum(getattr(each, kind) for each in (*folder.journals, *others)) for kind in KINDS
    }
    expected["failures"] -= resolved
    journals = folder.journals
    waiting = {
        "enriched": sum(journal.unpublished for journal in journals)
        + sum(run.unpublished for run in others),
        "failures": sum(journal.waiting_failures for journal in journals),
        "alerts": sum(journal.waiting_alerts for journal in journals),
    }
    moved = _moved(folder)
    return Sums(
        expected=expected,
        manifest=_rows_by_kind(entry for entry in folder.manifest if entry.path not in moved),
        files=_rows_by_kind(folder.files),
        waiting=waiting,
    )


def differences(folder: Folder) -> list[str]:
    """Find everything in which a folder differs from what its runs say.

    Args:
      folder: what was found.

    Returns:
      One sentence each, none where nothing differs.
    """
    return [
        *_file_differences(folder),
        *_run_differences(folder),
        *_journal_differences(folder),
        *_id_differences(folder),
    ]


def _file_differences(folder: Folder) -> Iterator[str]:
    found = {file.path: file for file in folder.files}
    moved = _moved(folder)
    listed = {entry.path for entry in folder.manifest}
    for file in folder.files:
        if file.damage:
            yield f"{file.path} is damaged after {file.rows} rows: {file.damage}"
        if file.path not in listed:
            yield f"{file.path} has {file.rows} rows, and no manifest lists it"
    for entry in folder.manifest:
        there = found.get(entry.path)
        if there is None:
            if entry.path not in moved:
                yield f"{entry.path} is gone; its manifest lists {entry.rows} rows"
        elif (there.rows, there.size_bytes) != (entry.rows, entry.bytes):
            yield (
                f"{entry.path} has {there.rows} rows in {there.size_bytes} bytes; its manifest"
                f" lists {entry.rows} in {entry.bytes}"
            )


def _run_differences(folder: Folder) -> Iterator[str]:
    journals = {(journal.run, journal.identity) for journal in folder.journals}
    for run in folder.runs:
        if not run.closes:
            yield f"run {run.name}: its counts do not add up: {run.read} messages were read"
        if (run.run, run.journal) in journals:
            continue
        prefix = f"{run.name}-" if run.journal else f"{run.name}-batch-0-"
        rows = _rows_by_kind(_of(folder.manifest, prefix))
        missing = run.enriched - rows["enriched"]
        if missing and run.unpublished + run.set_aside == missing:
            yield (
                f"run {run.name}: {missing} enriched records are in a work folder that was not"
                " found; name it with --work_folder"
            )
        elif missing:
            yield _unequal(f"run {run.name}", "enriched", run.enriched, rows["enriched"])
        for kind in ("failures", "alerts"):
            count = getattr(run, kind)
            if run.journal is None and count != rows[kind]:
                yield _unequal(f"run {run.name}", kind, count, rows[kind])
    if folder.total and folder.runs and not folder.total.closes:
        yield f"summary.json: its counts do not add up: {folder.total.read} messages were read"


def _journal_differences(folder: Folder) -> Iterator[str]:
    for journal in folder.journals:
        rows = _rows_by_kind(_of(folder.manifest, journal.prefix))
        if journal.gap:
            yield f"{journal.path}: {journal.gap} messages ended nowhere"
        if journal.set_aside:
            yield f"{journal.path}: {journal.set_aside} rows are in damaged parts, and in no file"
        written = rows["enriched"] + journal.unpublished + journal.set_aside
        if journal.enriched != written:
            yield _unequal(journal.path, "enriched", journal.enriched, written)
        for kind, waiting in (
            ("failures", journal.waiting_failures),
            ("alerts", journal.waiting_alerts),
        ):
            # What a topic has taken is in no file.
            if rows[kind] + waiting > getattr(journal, kind):
                yield _unequal(journal.path, kind, getattr(journal, kind), rows[kind] + waiting)


def _id_differences(folder: Folder) -> Iterator[str]:
    if folder.repeated_ids:
        named = ", ".join(sorted(folder.repeated_ids)[:_MOST_NAMED])
        more = "" if len(folder.repeated_ids) <= _MOST_NAMED else ", …"
        count = len(folder.repeated_ids)
        yield f"{count} record ids have more than one record or failure: {named}{more}"


def _unequal(who: str, kind: str, expected: int, found: int) -> str:
    return f"{who}: {expected} rows of {kind} were written, and {found} were found"


def _moved(folder: Folder) -> set[str]:
    """List the files of failures that a replay has resolved and moved."""
    return {file.path for run in folder.runs if run.replayed for file in run.replayed.files}


def _of(entries: Iterable[FileEntry], prefix: str) -> list[FileEntry]:
    return [entry for entry in entries if entry.path.rpartition("/")[2].startswith(prefix)]


def _rows_by_kind(files: Iterable[FileEntry] | Iterable[FoundFile]) -> dict[str, int]:
    rows = dict.fromkeys(KINDS, 0)
    for file in files:
        kind = kind_of(file.path)
        rows[kind] = rows.get(kind, 0) + file.rows
    return rows
