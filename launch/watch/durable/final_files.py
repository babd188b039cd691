"""Join the parts of many batches to final files."""

import logging
from collections import Counter, defaultdict
from collections.abc import Sequence

from msgspec.structs import replace

from launch.local.run_summary import summary_of
from launch.watch.durable.batches import BatchFolders
from launch.watch.durable.journal import Journal, PlannedFile, Publication
from launch.watch.durable.ledger import ledger_alert
from launch.watch.durable.published_ids import PublishedIds, failure_key, split_keys
from pipeline import storage
from pipeline.errors import LockFailed
from pipeline.settings.config import Config
from pipeline.sinks.part_files import Part, write_part
from pipeline.sinks.publication import (
    file_entry,
    group_by_size,
    join_parts,
    publish_part,
    write_manifest_of,
)
from pipeline.sinks.row_formats import EnrichedFiles, FailureFiles, RowFormat, row_formats
from pipeline.sinks.summary_file import write_summary
from pipeline.storage import TargetExists
from pipeline.storage.output_lock import Lock, lock_output
from schemas.alert import Alert
from schemas.failure import Failure
from schemas.file_entry import FileEntry
from schemas.summary import Summary

_OUTBOX_TYPES: dict[str, type[Alert | Failure]] = {"alerts": Alert, "failures": Failure}
_NumberedParts = Sequence[tuple[int, Part]]  # parts, each with the number of its batch
_MAX_ROWS = 10_000
_LOCK = ".groundwatch-publish.lock"
_LOCK_WAIT_S = 15.0
_log = logging.getLogger(__name__)


class FinalFiles:
    """Write the final files of a journal's batches, and of the kinds of its outbox.

    A file is named after the run, the journal and the first of its batches, and never changed or
    replaced: late rows of a date go to another file. A record, or a failure of an answer, that
    another worker has published is dropped and counted as a duplicate. The content of a file is
    recorded before the file is published, so that no row is written twice after a crash.
    """

    def __init__(
        self, config: Config, folders: BatchFolders, ids: PublishedIds, kinds: Sequence[str]
    ) -> None:
        self._config = config
        self._folders = folders
        self._ids = ids
        self._kinds = kinds
        self._formats = {row_format.kind: row_format for row_format in row_formats(config)}
        self._enriched = EnrichedFiles(config.text, config.run)
        self._joined_path = f"{config.work_folder}/joined"

    def publish(self, journal: Journal) -> int:
        """Write the final files of all that a journal has not published; return how many."""
        path = self._config.destination.path(_LOCK)
        try:
            # One worker at a time compares its records with those that are published.
            with lock_output(path, _LOCK_WAIT_S) as lock:
                return self._publish_all(journal, lock)
        except LockFailed as error:
            raise OSError(str(error)) from None

    def _publish_all(self, journal: Journal, lock: Lock) -> int:
        self._ids.import_new(journal.next_number())
        published = 0
        unfinished = journal.publication()
        while publication := unfinished or journal.begin_publication(
            self._config.file_bytes, with_payload=self._config.failure_payload
        ):
            has_new_alerts = self._set_damaged_aside(journal, publication)
            published += self._publish_batches(journal, publication, lock)
            for kind in self._kinds:
                published += self._publish_outbox(journal, kind, publication)
            journal.end_publication(publication)
            self._folders.remove(publication.last_batch)
            if not (unfinished or has_new_alerts):
                break
            unfinished = None
        return published

    def _set_damaged_aside(self, journal: Journal, publication: Publication) -> bool:
        """Set aside damaged parts, with an alert each; return whether there was one."""
        is_damaged = False
        for number, parts in journal.waiting_batches(publication.last_batch):
            for part in parts:
                placed = self._folders.placed(number, part)
                if fault := _fault(placed, self._formats[part.kind]):
                    is_damaged = True
                    path = self._folders.set_aside(placed)
                    journal.set_part_aside(number, part, path)
                    journal.raise_alerts([ledger_alert()])
                    message = "%s: %s; it was moved to %s, and its %d rows are in no file"
                    _log.critical(message, placed.path, fault, path, part.rows)
        return is_damaged

    def _publish_batches(self, journal: Journal, publication: Publication, lock: Lock) -> int:
        by_folder: dict[str, list[Part]] = defaultdict(list)
        batch_of: dict[str, int] = {}
        batches = journal.waiting_batches(publication.last_batch)
        for number, parts in batches:
            for part in parts:
                placed = self._folders.placed(number, part)
                batch_of[placed.path] = number
                by_folder[part.folder].append(placed)
        window = f"{journal.identity}-batch{batches[0][0] if batches else 0:010d}"
        entries = []
        for folder, grouped in by_folder.items():
            for shard, group in enumerate(group_by_size(grouped, publication.file_bytes)):
                lock.check()
                path = self._file_path(EnrichedFiles.kind, folder, window, shard)
                numbered = [(batch_of[part.path], part) for part in group]
                planned = publication.files.get(path)
                entry = self._publish_records(journal, numbered, path, planned)
                if entry.rows:
                    entries.append(entry)
        if entries:
            write_manifest_of(entries, self._config.destination, f"{EnrichedFiles.kind}-{window}")
        return len(entries)

    def _publish_records(
        self, journal: Journal, parts: _NumberedParts, path: str, planned: PlannedFile | None
    ) -> FileEntry:
        """Publish a file of enriched records, unless an interrupted attempt has done so."""
        target = self._config.destination.path(path)
        if planned is None or not (planned.is_done or _is_published(planned, target)):
            planned, joined, keys = self._join_records(parts, path)
            journal.plan_file(planned)
            if planned.entry.rows:
                self._ids.announce(path, keys)
                storage.publish_new(joined.path, target)
        journal.end_file(planned)
        return planned.entry

    def _join_records(
        self, parts: _NumberedParts, path: str
    ) -> tuple[PlannedFile, Part, list[bytes]]:
        """Join parts without the records that another worker has published."""
        kept: list[Part] = []
        duplicates: dict[int, Counter[str]] = defaultdict(Counter)
        keys: list[bytes] = []
        for batch, part in parts:
            published = self._ids.among(part.keys)
            keys += [key for key in split_keys(part.keys) if key not in published]
            copy, verdicts = self._without(part, published) if published else (part, Counter())
            duplicates[batch] += verdicts
            kept.append(copy)
        joined = join_parts(kept, self._enriched, self._joined_path)
        planned = PlannedFile(
            entry=file_entry(joined, path),
            checksum=storage.checksum(joined.path),
            duplicates={batch: dict(found) for batch, found in duplicates.items() if found},
        )
        return planned, joined, keys

    def _without(self, part: Part, published: set[bytes]) -> tuple[Part, Counter[str]]:
        """Copy a part without some of its records; return the copy and the others' verdicts."""
        is_kept = [key not in published for key in split_keys(part.keys)]
        copy = f"{part.path}.without-duplicates"
        with storage.read(part.path) as source, storage.create(copy) as target:
            rows = self._enriched.copy_rows(source, target, is_kept)
        verdicts = Counter(row["verdict"] for row in rows)
        return replace(part, path=copy, rows=part.rows - len(rows)), verdicts

    def _publish_outbox(self, journal: Journal, kind: str, publication: Publication) -> int:
        """Write rows that go to no topic; a file is named after the id of its first row."""
        row_format = self._formats[kind]
        if isinstance(row_format, FailureFiles):
            row_format = FailureFiles(with_payload=publication.with_payload)
        published = 0
        last = publication.last_in_outbox
        while rows := journal.outbox.rows(_OUTBOX_TYPES[kind], _MAX_ROWS, last):
            window = f"{journal.identity}-outbox{rows[0][0]:010d}"
            path = self._file_path(kind, kind, window, 0)
            keys = {number: failure_key(row) for number, row in rows if isinstance(row, Failure)}
            published_keys = self._ids.among(b"".join(keys.values()))
            new = {number: row for number, row in rows if keys.get(number) not in published_keys}
            if new:
                part = write_part(self._joined_path, kind, row_format, new.values())
                if keys:
                    self._ids.announce(path, [keys[number] for number in new])
                entry = publish_part(part, path, self._config.destination, is_new=True)
                write_manifest_of([entry], self._config.destination, f"{kind}-{window}")
                published += 1
            duplicates = [
                row for number, row in rows if number not in new and isinstance(row, Failure)
            ]
            journal.delete_from_outbox((number for number, _ in rows), duplicates)
        return published

    def _file_path(self, kind: str, folder: str, window: str, shard: int) -> str:
        extension = self._formats[kind].extension
        return self._config.destination.file_path(folder, shard, extension, window)


def _is_published(planned: PlannedFile, target: str) -> bool:
    if not planned.entry.rows or not storage.exists(target):
        return False
    if storage.checksum(target) != planned.checksum:
        raise TargetExists(f"{target} exists, and another process wrote it: it is not replaced")
    return True


def _fault(part: Part, row_format: RowFormat) -> str | None:
    """Describe how a part differs from what was written; raise if the disk fails."""
    try:
        size = storage.size(part.path)
        if size != part.size_bytes:
            return f"has {size} bytes where {part.size_bytes} were written"
        with storage.read(part.path) as stream:
            rows = row_format.count_rows(stream)
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        # Errors of the system have a number; errors of damaged content have none.
        if error.errno is not None:
            raise
        return str(error)
    return None if rows == part.rows else f"has {rows} rows where {part.rows} were written"


def write_worker_summary(
    config: Config, journal: Journal, price_per_1k_chars: float | None, started_at_us: int
) -> Summary:
    """Write the summary of all that a worker's journal holds."""
    hours = journal.ledger()
    summary = summary_of(
        config,
        journal.totals(),
        {
            "enriched": sum(hour.enriched for hour in hours),
            "failures": sum(hour.failures for hour in hours),
            "alerts": journal.alerts_raised(),
        },
        started_at_us=started_at_us,
        price_per_1k_chars=price_per_1k_chars,
    )
    own = replace(
        summary,
        journal=journal.identity,
        unpublished=journal.unpublished().rows,
        set_aside=sum(part.rows for part in journal.parts_set_aside()),
    )
    return write_summary(config.destination, own)
