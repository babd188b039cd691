"""From the parts of many batches to files, by age and by size."""

import shutil
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from launch.watch.journal import Journal
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


class BatchFiles:
    """Keeps each batch's parts in a folder of its own, and makes files of them.

    A file is named after the run and the first of its batches, and never touched again: late rows
    of a date get a file of their own.

    Args:
      config: the run's settings, with a work folder.
      journal: which batches wait.
      file_age_s: how old the oldest part may become.
      keeps_alerts, keeps_failures: whether the outbox's rows go into files, too.
    """

    def __init__(
        self,
        config: Config,
        journal: Journal,
        file_age_s: float,
        *,
        keeps_alerts: bool,
        keeps_failures: bool,
    ) -> None:
        self._config = config
        self._journal = journal
        self._file_age_us = file_age_s * 1e6
        self._outboxes = ["alerts"] * keeps_alerts + ["failures"] * keeps_failures
        self._due_at_us = 0.0
        formats = row_formats(config.destination, config.text, with_payload=config.failure_payload)
        self._formats = {row_format.kind: row_format for row_format in formats}

    def begin_batch(self, number: int) -> str:
        """Make an empty folder for a batch's parts."""
        folder = self._folder(number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return str(folder)

    def publish_if_due(self, now_us: int, *, at_once: bool = False) -> int:
        """Make files of all that waits, once the oldest is old or a file's worth is there.

        Args:
          now_us: microseconds since 1970 UTC.
          at_once: whether not to wait.

        Returns:
          How many files became public.

        Raises:
          OSError: a file cannot be written.
        """
        waiting = self._journal.waiting_batches()
        if not (at_once or self._is_due(waiting, now_us)):
            return 0
        self._due_at_us = now_us + self._file_age_us
        return self._publish_batches(waiting) + sum(map(self._publish_outbox, self._outboxes))

    def _is_due(self, waiting: Sequence[tuple[int, int, Sequence[Part]]], now_us: int) -> bool:
        sizes: dict[str, int] = defaultdict(int)
        for _, _, parts in waiting:
            for part in parts:
                sizes[part.folder] += part.bytes
        is_large = max(sizes.values(), default=0) >= self._config.file_bytes
        is_left_over = bool(waiting) and now_us - waiting[0][1] >= self._file_age_us
        return is_large or is_left_over or now_us >= self._due_at_us

    def _publish_batches(self, waiting: Sequence[tuple[int, int, Sequence[Part]]]) -> int:
        if not waiting:
            return 0
        first, last = waiting[0][0], waiting[-1][0]
        published = self._publish((part for _, _, parts in waiting for part in parts), first)
        self._journal.forget_batches(last)
        for number in range(first, last + 1):
            shutil.rmtree(self._folder(number), ignore_errors=True)
        return published

    def _publish_outbox(self, kind: str) -> int:
        """Write what no topic takes; a file is named after the first row's id, which is its own."""
        read = self._journal.outbox_alerts if kind == "alerts" else self._journal.outbox_failures
        published = 0
        while rows := read(_MOST_ROWS):
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

    def _publish(self, parts: Iterable[Part], first: int) -> int:
        groups: dict[tuple[str, str], list[Part]] = defaultdict(list)
        for part in parts:
            groups[part.kind, part.folder].append(part)
        entries: dict[str, list[FileEntry]] = defaultdict(list)
        window = f"batch{first:010d}"
        for (kind, _), grouped in groups.items():
            row_format = self._formats[kind]
            for shard, group in enumerate(cut_to_files(grouped, self._config.file_bytes)):
                entries[kind].append(self._publish_file(row_format, group, window, shard))
        for kind, listed in entries.items():
            write_manifest_of(listed, self._config.destination, f"{kind}-{window}")
        return sum(map(len, entries.values()))

    def _publish_file(
        self, row_format: RowFormat, parts: Sequence[Part], window: str, shard: int
    ) -> FileEntry:
        destination = self._config.destination
        joined = join_parts(parts, row_format, self._work_path(f"joined.{row_format.extension}"))
        name = f"{destination.run}-{window}-0-{shard:05d}.{row_format.extension}"
        path = f"{joined.folder}/{name}"
        storage.publish(joined.path, destination.path(path))
        return file_entry(joined, path)

    def _folder(self, number: int) -> Path:
        return Path(self._work_path(f"batch-{number:010d}"))

    def _work_path(self, name: str) -> str:
        return storage.join(str(self._config.work_folder), name)
