"""Compare an output folder with its ledgers, summary and manifest, and print the ledgers."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from msgspec.structs import astuple
from rich.console import Console
from rich.table import Column, Table

from groundwatch.launch.cli.commands.verify import VerifySettings
from groundwatch.launch.cli.terminal.exit_status import DONE, FAILED, LEFT, fail
from groundwatch.launch.cli.terminal.figures import counted
from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.engine.run_summary import rows_committed
from groundwatch.launch.engine.work_folders import find_journals, journal_read
from groundwatch.launch.results.waiting_rows import find_results
from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.checker import DATABASE
from groundwatch.pipeline.settings.load import Loaded, UsageError
from groundwatch.pipeline.sinks.publication import MANIFEST, read_manifest_file
from groundwatch.pipeline.sinks.summary_file import read_folder_summary, read_summaries
from groundwatch.pipeline.sources import output_folder
from groundwatch.pipeline.sources.output_records import AlertLine
from groundwatch.schemas.file_entry import FileEntry
from groundwatch.schemas.quantities import to_datetime
from groundwatch.schemas.summary import ReplayedFile, RunCounts, replayed_files
from groundwatch.schemas.verdict import ESCALATION_TAGS
from .differences import (
    KINDS,
    RARE_PLACES,
    Folder,
    FoundFile,
    FoundJournal,
    RowCounts,
    differences,
    row_counts,
    shared_ids,
    undelivered_rows,
    unknown_rows,
)

_PREFIX_DIGITS = 16
_ATTEMPTS = 3  # a worker may publish while its files are read
_WIDTH = 100
_MAX_LINES = 50
_ENDS = ("waiting", *Delivered.__struct_fields__)
_COLUMNS = ("read", "enriched", "failures", "duplicates", "sampled_out", "gap")
_Numbers = tuple[str, Sequence[int]]  # a row of a table


def read_folder(root: str, work_folders: Iterable[str]) -> Folder:
    """Read all rows of a folder, or raise UsageError; memory grows by 8 bytes a record."""
    # What a worker writes meanwhile shows as more, never as less: each is read before what it says
    # less of, summaries before journals, and these before the files.
    runs, summary = tuple(read_summaries(root)), read_folder_summary(root)
    journals = tuple(_read_journal(path) for path in find_journals(root, work_folders))
    manifests = storage.find_visible(storage.join(root, MANIFEST), ".jsonl")
    manifest = tuple(entry for path in manifests for entry in read_manifest_file(path))
    # The first eight bytes of each record id.
    prefixes = array("Q")
    damages: dict[str, str] = {}
    replayed = tuple(replayed_files(run.replayed for run in runs))
    files = tuple(_read_files(root, replayed, prefixes, damages))
    if not (journals or runs or manifest or files):
        raise UsageError([f"{root}: holds no output of groundwatch"])
    return Folder(
        runs=runs,
        summary=summary,
        manifest=manifest,
        files=files,
        damages=damages,
        journals=journals,
        repeated_ids=_repeated_ids(prefixes, root, replayed, files),
    )


def _read_journal(path: str) -> FoundJournal:
    with journal_read(path) as journal:
        return FoundJournal(
            path=path,
            run=journal.database.run or "",
            identity=journal.database.identity,
            hours=tuple(journal.ledger()),
            delivered=journal.outbox.delivered(),
            undelivered=journal.outbox.pending(),
            totals=journal.totals(),
            written=Counter(rows_committed(journal)),
            waiting=Counter(journal.undelivered()),
            published=Counter(journal.published_to_topics()),
        )


def _read_files(
    root: str, replayed: Sequence[ReplayedFile], prefixes: "array[int]", damages: dict[str, str]
) -> Iterator[FoundFile]:
    found = output_folder.find_files(root)
    for path in chain(found.enriched, found.failures, found.alerts):
        name = path.removeprefix(storage.join(root, ""))
        rows, counts = _count_rows(path, name, replayed, prefixes, damages)
        size_bytes, checksum = storage.size(path), storage.checksum(path)
        yield FoundFile(path=name, rows=rows, bytes=size_bytes, checksum=checksum, counts=counts)


def _count_rows(
    path: str,
    name: str,
    replayed: Sequence[ReplayedFile],
    prefixes: "array[int]",
    damages: dict[str, str],
) -> tuple[int, RunCounts]:
    """Count the rows up to a damage, and the outcomes of those that no replay has resolved."""
    outcomes, escalations, flagged = Counter[str](), Counter[str](), 0
    try:
        for row in _read_rows(path, name, replayed):
            outcomes[row.outcome] += 1
            flagged += row.flag
            if row.escalation:
                escalations[row.escalation] += 1
            if row.record_id:
                prefixes.append(int(row.record_id[:_PREFIX_DIGITS], 16))
    except output_folder.UnreadableFile as error:
        if error.damage is None:
            raise
        damages[name] = error.damage
    rows = outcomes.total()
    del outcomes[_RESOLVED.outcome]
    counts = RunCounts()
    if name.startswith("enriched/"):
        counts = RunCounts(verdicts=dict(outcomes), checked=flagged, escalations=dict(escalations))
    elif name.startswith("failures/"):
        counts = RunCounts(failures_by_error=dict(outcomes), retryable_failures=flagged)
    return rows, counts


class _Row(NamedTuple):
    """What is compared of a row.

    Attributes:
      record_id: None for an alert, and if a message could not be read.
      outcome: the verdict of a record, the class of a failure's error.
      flag: whether a record was checked, or a failure is retryable.
      escalation: the tag that says whether the second of two checkers checked a record; empty if
        it did not have to.
    """

    record_id: str | None = None
    outcome: str = ""
    flag: bool = False
    escalation: str = ""


_RESOLVED = _Row(outcome="resolved")


def _read_rows(path: str, name: str, replayed: Sequence[ReplayedFile]) -> Iterator[_Row]:
    if name.startswith("enriched/"):
        for rows in output_folder.read_blocks(path):
            for row in rows:
                escalation = next((tag for tag in ESCALATION_TAGS if tag in row["tags"]), "")
                yield _Row(row["record_id"], row["verdict"], row["check"] is not None, escalation)
    elif name.startswith("failures/"):
        for failure in output_folder.read_failures(path, replayed):
            if failure is None:
                yield _RESOLVED
            else:
                yield _Row(failure.record_id, failure.error_class, failure.retryable)
    else:
        yield from (_Row() for _ in output_folder.read_lines(path, AlertLine))


def _repeated_ids(
    prefixes: "array[int]", root: str, replayed: Sequence[ReplayedFile], files: Iterable[FileEntry]
) -> dict[str, tuple[str, ...]]:
    """Map the record ids that occur more than once to their files, in a second pass if any do."""
    values, counts = np.unique(np.array(prefixes, dtype=np.uint64), return_counts=True)
    repeated = set(values[counts > 1].tolist())
    found: defaultdict[str, list[str]] = defaultdict(list)
    for file in files if repeated else ():
        rows = _read_rows(storage.join(root, file.path), file.path, replayed)
        for row in islice(rows, file.rows):
            if row.record_id and int(row.record_id[:_PREFIX_DIGITS], 16) in repeated:
                found[row.record_id].append(file.path)
    return {each: tuple(paths) for each, paths in found.items() if len(paths) > 1}


def verify(loaded: Loaded[VerifySettings]) -> int:
    """Compare, and print the differences; return 0 if there are none, else 1."""
    for folder in loaded.settings.work_folders:
        if not Path(folder, DATABASE).is_file():
            loaded.problems.append(f"--work_folder {folder}: has no journal of a worker")
    loaded.raise_problems()
    find_results(loaded.settings.folder)
    return verify_folder(loaded.settings.folder, loaded.settings.work_folders)


def verify_folder(root: str, work_folders: Sequence[str]) -> int:
    """Verify an output folder, given work folders elsewhere; print the result."""
    try:
        folder = _read_at_rest(root, work_folders)
    except (OSError, output_folder.UnreadableFile) as error:
        return fail(f"cannot verify {root}: {error}")
    console = Console(highlight=False, width=_WIDTH)
    rows = [
        (place, [counts[kind] for kind in KINDS])
        for place, counts in row_counts(folder).items()
        if place not in RARE_PLACES or any(counts.values())
    ]
    for table in (*_ledger_tables(folder.journals), _number_table(("rows", *KINDS), rows)):
        console.print(table)
    found = differences(folder)
    for line in found[:_MAX_LINES]:
        console.print(f"  {line}", soft_wrap=True, markup=False)
    if len(found) > _MAX_LINES:
        console.print(f"  and {len(found) - _MAX_LINES} more")
    if found:
        console.print(f"\n{counted(len(found), 'difference')}", style="bold red")
        return FAILED
    for sentence in _notes(folder):
        console.print(sentence, soft_wrap=True, markup=False)
    if sentences := list(_not_verified(folder)):
        for sentence in sentences:
            console.print(sentence, style="yellow", soft_wrap=True, markup=False)
        return LEFT
    console.print("Verified: every row and record id is where the counts say.", style="green")
    return DONE


def _notes(folder: Folder) -> Iterator[str]:
    """Say what to know of a folder whose counts agree."""
    if count := len(shared_ids(folder)):
        yield f"{counted(count, 'answer')} checked by two workers: see docs/operations.md"
    for journal in folder.journals:
        if count := journal.waiting.get("messages", 0):
            place = Path(journal.path).parent
            messages = counted(count, "message")
            yield f"{messages} received by HTTP, and not processed yet, in {place}"


def _not_verified(folder: Folder) -> Iterator[str]:
    """Say which alerts and failures are not where they go, although all counts agree."""
    for work_folder, rows in undelivered_rows(folder).items():
        yield f"{_listed(rows)} wait in {work_folder} for their topic: the worker delivers them."
    if unknown := unknown_rows(folder):
        yield (
            f"{_listed(unknown)} are in no file: a topic has them, or a work folder that was not"
            " found; name it with --work_folder."
        )


def _listed(rows: RowCounts) -> str:
    return " and ".join(f"{count:,} {kind}" for kind, count in sorted(rows.items()))


def _read_at_rest(root: str, work_folders: Sequence[str]) -> Folder:
    """Read a folder again where it differs, since a worker may have published meanwhile."""
    folder = read_folder(root, work_folders)
    for _ in range(_ATTEMPTS - 1):
        before = folder
        if not (differences(before) or undelivered_rows(before)):
            break
        if (folder := read_folder(root, work_folders)) == before:
            break
    return folder


def _ledger_tables(journals: Sequence[FoundJournal]) -> Iterator[Table]:
    """Show what was read in each hour and where it ended, and what was sent to each tool."""
    if not journals:
        return
    hours = list(chain.from_iterable(journal.hours for journal in journals))
    rows = [
        (f"{to_datetime(each.hour_us):%Y-%m-%d %H h}", [getattr(each, name) for name in _COLUMNS])
        for each in hours
    ]
    table = _number_table(("hour (UTC)", *_COLUMNS), rows)
    sums = [sum(getattr(each, name) for each in hours) for name in _COLUMNS]
    table.add_row("all", *(f"{number:,}" for number in sums), style="bold")
    yield table
    if targets := list(chain.from_iterable(map(_targets, journals))):
        yield _number_table(("sent to", *_ENDS), targets)


def _targets(journal: FoundJournal) -> Iterator[_Numbers]:
    """List the targets with the rows that wait for each, and what has become of the others."""
    for target in sorted(journal.delivered.keys() | journal.undelivered.keys()):
        ends = astuple(journal.delivered.get(target, Delivered()))
        yield target, (journal.undelivered.get(target, 0), *ends)


def _number_table(columns: Sequence[str], rows: Iterable[_Numbers]) -> Table:
    """Make a table without lines, whose numbers, behind the first column, are right-aligned."""
    numbers = (Column(each, justify="right") for each in columns[1:])
    table = Table(columns[0], *numbers, box=None, padding=(0, 2))
    for name, cells in rows:
        table.add_row(name, *(f"{number:,}" for number in cells))
    return table
