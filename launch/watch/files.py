"""Join the parts of many batches to final files."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence

from launch import clock
from launch.watch.batch_folders import BatchFolders
from launch.watch.journal import Journal, Publication
from pipeline import storage
from pipeline.config import Config
from pipeline.join_parts import cut_to_files, join_parts
from pipeline.manifest import file_entry, write_manifest_of
from pipeline.open_part import OpenPart
from pipeline.part import Part
from pipeline.row_files import FailureFiles, RowFormat
from pipeline.sinks import row_formats
from schemas.alert import Alert, AlertKind, Severity
from schemas.file_entry import FileEntry

_MOST_ROWS = 10_000
_log = logging.getLogger(__name__)


class Files:
    """Write the final files of what a journal holds.

    A file is named after the run, the journal and the first of its batches, and never changed or
    replaced: late rows of a date get a file of their own. A publication is recorded before it
    begins, so that whoever resumes it after a crash writes the same files.

    Args:
      config: the run's settings, with a work folder.
      folders: where the batches' parts are.
      kinds: of the outbox's rows that go into files, too: ``alerts``, ``failures``.
    """

    def __init__(self, config: Config, folders: BatchFolders, kinds: Sequence[str]) -> None:
        self._config = config
        self._folders = folders
        self._kinds = kinds
        formats = row_formats(config.destination, config.text, with_payload=config.failure_payload)
        self._formats = {row_format.kind: row_format for row_format in formats}

    def publish(self, journal: Journal) -> int:
        """Write the final files of all that waits.

        Args:
          journal: what waits; it drops what is in final files.

        Returns:
          How many files were written.

        Raises:
          TargetExists: a file of another content has the name of one of them.
          OSError: a file cannot be written; the next attempt writes the same ones.
        """
        published = 0
        if unfinished := journal.publication():
            published += self._publish(journal, unfinished)
        publication = journal.begin_publication(
            self._config.file_bytes, with_payload=self._config.failure_payload
        )
        if publication:
            published += self._publish(journal, publication)
        return published

    def _publish(self, journal: Journal, publication: Publication) -> int:
        self._set_damaged_aside(journal, publication)
        published = self._publish_batches(journal, publication)
        for kind in self._kinds:
            published += self._publish_outbox(journal, kind, publication)
        journal.end_publication(publication)
        self._folders.remove_all_but([], up_to=publication.last_batch)
        return published

    def _set_damaged_aside(self, journal: Journal, publication: Publication) -> None:
        """Take out parts that are not as they were written, so that all others are published."""
        for number, parts in journal.waiting_batches(publication.last_batch):
            for part in parts:
                placed = self._folders.placed(number, part)
                fault = _fault(placed, self._formats[part.kind])
                if fault is None:
                    continue
                moved = self._folders.set_aside(placed)
                journal.set_part_aside(number, part, moved.path)
                journal.raise_alerts([_damage_alert()])
                _log.critical(
                    "%s: %s; it was moved to %s, and its %d rows are in no file",
                    placed.path,
                    fault,
                    moved.path,
                    part.rows,
                )

    def _publish_batches(self, journal: Journal, publication: Publication) -> int:
        groups: dict[tuple[str, str], list[Part]] = defaultdict(list)
        batches = journal.waiting_batches(publication.last_batch)
        for number, parts in batches:
            for part in parts:
                groups[part.kind, part.folder].append(self._folders.placed(number, part))
        entries: dict[str, list[FileEntry]] = defaultdict(list)
        window = f"{journal.identity}-batch{batches[0][0] if batches else 0:010d}"
        for (kind, _), grouped in groups.items():
            for shard, group in enumerate(cut_to_files(grouped, publication.file_bytes)):
                entries[kind].append(
                    self._publish_file(self._formats[kind], group, window, shard)
                )
        for kind, listed in entries.items():
            self._list(listed, kind, window)
        return sum(map(len, entries.values()))

    def _publish_outbox(self, journal: Journal, kind: str, publication: Publication) -> int:
        """Write what no topic takes; a file is named after the first row's id, which is its own."""
        read = journal.outbox_alerts if kind == "alerts" else journal.outbox_failures
        row_format = self._formats[kind]
        if isinstance(row_format, FailureFiles):
            row_format = FailureFiles(with_payload=publication.with_payload)
        published = 0
        while rows := read(_MOST_ROWS, publication.last_in_outbox):
            part = OpenPart(self._work_path(f"outbox.{row_format.extension}"), kind, row_format)
            for _, row in rows:
                part.write(row)
            window = f"{journal.identity}-outbox{rows[0][0]:010d}"
            self._list([self._publish_file(row_format, [part.close()], window, 0)], kind, window)
            journal.announced(identity for identity, _ in rows)
            published += 1
        return published

    def _publish_file(
        self, row_format: RowFormat, parts: Sequence[Part], window: str, shard: int
    ) -> FileEntry:
        destination = self._config.destination
        joined = join_parts(parts, row_format, self._work_path(f"joined.{row_format.extension}"))
        path = destination.file_path(joined.folder, shard, row_format.extension, window)
        storage.publish_new(joined.path, destination.path(path))
        return file_entry(joined, path)

    def _list(self, entries: Iterable[FileEntry], kind: str, window: str) -> None:
        write_manifest_of(entries, self._config.destination, f"{kind}-{window}")

    def _work_path(self, name: str) -> str:
        return storage.join(str(self._config.work_folder), name)


def _fault(part: Part, row_format: RowFormat) -> str | None:
    """Say how a part differs from what was written, None if it does not.

    Raises:
      OSError: the disk fails, which says nothing about the part.
    """
    try:
        size = storage.size(part.path)
        if size != part.bytes:
            return f"has {size} bytes where {part.bytes} were written"
        with storage.read(part.path) as stream:
            rows = row_format.count_rows(stream)
    except FileNotFoundError:
        return "is gone"
    except OSError as error:
        # The system's own errors have a number, and those of damaged content have none.
        if error.errno is not None:
            raise
        return str(error)
    return None if rows == part.rows else f"has {rows} rows where {part.rows} were written"


def _damage_alert() -> Alert:
    return Alert(kind=AlertKind.LEDGER, event_time_us=clock.now_us(), severity=Severity.CRITICAL)
