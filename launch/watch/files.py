"""From the parts of many batches to files that the world sees."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from launch.watch.batch_folders import BatchFolders
from launch.watch.journal import Journal, Publication
from pipeline import storage
from pipeline.config import Config
from pipeline.join_parts import cut_to_files, join_parts
from pipeline.manifest import file_entry, write_manifest_of
from pipeline.open_part import OpenPart
from pipeline.part import Part
from pipeline.sinks import row_formats
from schemas.file_entry import FileEntry

_MOST_ROWS = 10_000


class Files:
    """Makes files of what the journal holds.

    A file is named after the run and the first of its batches, and never changed: late rows of a
    date get a file of their own. What is to become public is written down first, so that whoever
    goes on after a crash makes the same files of it.

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
        """Make files of all that waits.

        Args:
          journal: what waits; it forgets what is public.

        Returns:
          How many files became public.

        Raises:
          OSError: a file cannot be written; the next try makes the same ones.
        """
        published = 0
        if unfinished := journal.publication():
            published += self._publish(journal, unfinished)
        if publication := journal.begin_publication(self._config.file_bytes):
            published += self._publish(journal, publication)
        return published

    def _publish(self, journal: Journal, publication: Publication) -> int:
        published = self._publish_batches(journal, publication)
        for kind in self._kinds:
            published += self._publish_outbox(journal, kind, publication)
        journal.end_publication(publication)
        self._folders.remove_all_but([], up_to=publication.last_batch)
        return published

    def _publish_batches(self, journal: Journal, publication: Publication) -> int:
        groups: dict[tuple[str, str], list[Part]] = defaultdict(list)
        batches = journal.waiting_batches(publication.last_batch)
        for number, parts in batches:
            for part in parts:
                groups[part.kind, part.folder].append(self._folders.placed(number, part))
        entries: dict[str, list[FileEntry]] = defaultdict(list)
        window = f"batch{batches[0][0] if batches else 0:010d}"
        for (kind, _), grouped in groups.items():
            for shard, group in enumerate(cut_to_files(grouped, publication.file_bytes)):
                entries[kind].append(self._publish_file(kind, group, window, shard))
        for kind, listed in entries.items():
            self._list(listed, kind, window)
        return sum(map(len, entries.values()))

    def _publish_outbox(self, journal: Journal, kind: str, publication: Publication) -> int:
        """Write what no topic takes; a file is named after the first row's id, which is its own."""
        read = journal.outbox_alerts if kind == "alerts" else journal.outbox_failures
        row_format = self._formats[kind]
        published = 0
        while rows := read(_MOST_ROWS, publication.last_in_outbox):
            part = OpenPart(self._work_path(f"outbox.{row_format.extension}"), kind, row_format)
            for _, row in rows:
                part.write(row)
            window = f"outbox{rows[0][0]:010d}"
            self._list([self._publish_file(kind, [part.close()], window, 0)], kind, window)
            journal.announced(identity for identity, _ in rows)
            published += 1
        return published

    def _publish_file(self, kind: str, parts: Sequence[Part], window: str, shard: int) -> FileEntry:
        destination, row_format = self._config.destination, self._formats[kind]
        joined = join_parts(parts, row_format, self._work_path(f"joined.{row_format.extension}"))
        path = destination.file_path(joined.folder, shard, row_format.extension, window)
        storage.publish(joined.path, destination.path(path))
        return file_entry(joined, path)

    def _list(self, entries: Iterable[FileEntry], kind: str, window: str) -> None:
        write_manifest_of(entries, self._config.destination, f"{kind}-{window}")

    def _work_path(self, name: str) -> str:
        return storage.join(str(self._config.work_folder), name)
