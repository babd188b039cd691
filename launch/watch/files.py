"""From the parts of many batches to files, by age and by size."""

import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from msgspec.structs import replace

from launch.watch.journal import Journal, Publication
from pipeline import storage
from pipeline.config import Config
from pipeline.join_parts import cut_to_files, join_parts
from pipeline.manifest import file_entry, write_manifest_of
from pipeline.open_part import OpenPart
from pipeline.part import Part
from pipeline.row_files import RowFormat
from pipeline.sinks import row_formats
from schemas.file_entry import FileEntry

_MOST_ROWS = 10_000
_RETRY_S = 10.0


class BatchFiles:
    """Keeps each batch's parts in a folder of its own, and makes files of them.

    A file is named after the run and the first of its batches, and never changed: late rows of a
    date get a file of their own. What is to become public is written down first, so that a worker
    that goes on after a crash makes the same files of it.

    Args:
      config: the run's settings, with a work folder.
      journal: which batches wait.
      file_age_s: how old the oldest part may become.
      keeps_alerts, keeps_failures: whether the outbox's rows go into files, too.
      clock: seconds, never set back.
    """

    def __init__(
        self,
        config: Config,
        journal: Journal,
        file_age_s: float,
        *,
        keeps_alerts: bool,
        keeps_failures: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._config = config
        self._journal = journal
        self._file_age_s = file_age_s
        self._outboxes = ["alerts"] * keeps_alerts + ["failures"] * keeps_failures
        self._clock = clock
        self._due_at_s = self._retry_at_s = clock()
        self._sizes: Counter[str] = Counter()
        formats = row_formats(config.destination, config.text, with_payload=config.failure_payload)
        self._formats = {row_format.kind: row_format for row_format in formats}
        self._remove_strays()

    def begin_batch(self, number: int) -> str:
        """Make an empty folder for a batch's parts."""
        folder = self._folder(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return str(folder)

    def keep(self, number: int, parts: Iterable[Part]) -> None:
        """Have the disk keep a batch's parts, whatever becomes of the machine."""
        for part in parts:
            storage.settle(part.path)
            self._sizes[part.folder] += part.bytes
        storage.settle(str(self._folder(number)))
        storage.settle(str(self._config.work_folder))

    def publish_if_due(self, *, at_once: bool = False) -> int:
        """Make files of all that waits, once it is old or a file's worth is there.

        Args:
          at_once: whether not to wait.

        Returns:
          How many files became public.

        Raises:
          OSError: a file cannot be written; it is tried again after a while.
        """
        if not (at_once or self._is_due()):
            return 0
        self._retry_at_s = self._clock() + _RETRY_S
        published = 0
        if unfinished := self._journal.publication():
            published += self._publish(unfinished)
        if publication := self._journal.begin_publication(self._config.file_bytes):
            published += self._publish(publication)
        self._sizes.clear()
        self._retry_at_s = self._clock()
        self._due_at_s = self._retry_at_s + self._file_age_s
        return published

    def _is_due(self) -> bool:
        now_s = self._clock()
        is_large = max(self._sizes.values(), default=0) >= self._config.file_bytes
        return now_s >= self._retry_at_s and (is_large or now_s >= self._due_at_s)

    def _publish(self, publication: Publication) -> int:
        published = self._publish_batches(publication)
        for kind in self._outboxes:
            published += self._publish_outbox(kind, publication)
        self._journal.end_publication(publication)
        self._remove_strays()
        return published

    def _publish_batches(self, publication: Publication) -> int:
        groups: dict[tuple[str, str], list[Part]] = defaultdict(list)
        batches = [
            (number, parts)
            for number, _, parts in self._journal.waiting_batches()
            if number <= publication.last_batch
        ]
        for number, parts in batches:
            for part in parts:
                groups[part.kind, part.folder].append(self._placed(part, number))
        entries: dict[str, list[FileEntry]] = defaultdict(list)
        window = f"batch{batches[0][0]:010d}" if batches else ""
        for (kind, _), grouped in groups.items():
            row_format = self._formats[kind]
            for shard, group in enumerate(cut_to_files(grouped, publication.file_bytes)):
                entries[kind].append(self._publish_file(row_format, group, window, shard))
        for kind, listed in entries.items():
            write_manifest_of(listed, self._config.destination, f"{kind}-{window}")
        return sum(map(len, entries.values()))

    def _publish_outbox(self, kind: str, publication: Publication) -> int:
        """Write what no topic takes; a file is named after the first row's id, which is its own."""
        read = self._journal.outbox_alerts if kind == "alerts" else self._journal.outbox_failures
        published = 0
        while rows := read(_MOST_ROWS, publication.last_in_outbox):
            row_format = self._formats[kind]
            part = OpenPart(self._work_path(f"outbox.{row_format.extension}"), kind, row_format)
            for _, row in rows:
                part.write(row, row_format.event_time_us(row))
            window = f"outbox{rows[0][0]:010d}"
            entry = self._publish_file(row_format, [part.close()], window, 0)
            write_manifest_of([entry], self._config.destination, f"{kind}-{window}")
            self._journal.announced(identity for identity, _ in rows)
            published += 1
        return published

    def _publish_file(
        self, row_format: RowFormat, parts: Sequence[Part], window: str, shard: int
    ) -> FileEntry:
        destination = self._config.destination
        joined = join_parts(parts, row_format, self._work_path(f"joined.{row_format.extension}"))
        path = destination.file_path(joined.folder, shard, row_format.extension, window)
        storage.publish(joined.path, destination.path(path))
        return file_entry(joined, path)

    def _remove_strays(self) -> None:
        """Remove folders that no batch needs: it is public, or was never finished."""
        needed = {self._folder(number) for number, _, _ in self._journal.waiting_batches()}
        for folder in Path(str(self._config.work_folder)).glob("batch-*"):
            if folder not in needed:
                shutil.rmtree(folder, ignore_errors=True)

    def _placed(self, part: Part, number: int) -> Part:
        """Say where a part is: by its name alone, since folders are moved."""
        return replace(part, path=str(self._folder(number) / Path(part.path).name))

    def _folder(self, number: int) -> Path:
        return Path(self._work_path(f"batch-{number:010d}"))

    def _work_path(self, name: str) -> str:
        return storage.join(str(self._config.work_folder), name)
