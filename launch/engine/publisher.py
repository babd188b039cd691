"""Publish committed rows: whole final files under new names, each listed in a manifest."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Config
from groundwatch.pipeline.sinks.publication import write_manifest_of
from groundwatch.pipeline.sinks.row_formats import row_formats
from groundwatch.pipeline.storage import TargetExists
from groundwatch.schemas.file_entry import FileEntry
from groundwatch.schemas.quantities import MEGABYTE
from . import statements
from .engine_database import EngineDatabase

_MAX_WAITING_BYTES = 256 * MEGABYTE
_PUBLISHED = "published"


class _Folder(NamedTuple):
    folder: str
    kind: str
    size_bytes: int


class Publisher:
    """Make final files of the rows in a database.

    A file is written beside its target, and gets its name by a link that replaces nothing. Its rows
    leave the database when the file is there, in the transaction that records its manifest line.
    So a crash at any point leaves either the rows or the file: `recover` finds out which.

    `placed` is called behind each file. Every method may raise OSError; `TargetExists` if another
    process wrote a file of this name.
    """

    def __init__(
        self, database: EngineDatabase, config: Config, placed: Callable[[], None] = lambda: None
    ) -> None:
        self._placed = placed
        self._database = database
        self._config = config
        self._destination = config.destination
        self._formats = {row_format.kind: row_format for row_format in row_formats(config)}

    def recover(self) -> None:
        """End what an interrupted publication has begun."""
        unplaced = list(self._database.read(statements.LIST_UNPLACED_FILES))
        for number, path, kind, encoded in unplaced:
            target = self._destination.path(path)
            storage.remove([self._temporary_path(path)])
            entry = msgspec.json.decode(encoded, type=FileEntry) if encoded else None
            if entry and storage.exists(target):
                if storage.checksum(target) != entry.checksum:
                    raise TargetExists(target)
                self._record_placed(number, kind, entry)
            else:
                self._database.write(statements.DELETE_FILE, number)
        self._list_placed()

    def publish(self, *, everything: bool = False) -> int:
        """Publish what fills a file, or everything; return the number of files."""
        count = 0
        for folder in self._due(everything=everything):
            for chunks in self._groups(folder, everything=everything):
                self._publish_file(folder, chunks)
                self._placed()
                count += 1
        if count:
            self._list_placed()
        return count

    def is_due(self) -> bool:
        """Return whether rows fill a file."""
        return bool(self._due(everything=False))

    def rows_published(self) -> dict[str, int]:
        """Return the rows in final files, by kind."""
        return self._database.note(_PUBLISHED, dict[str, int]) or {}

    def _due(self, *, everything: bool) -> list[_Folder]:
        folders = [_Folder(*row) for row in self._database.read(statements.MEASURE_FOLDERS)]
        waiting_bytes, due = sum(folder.size_bytes for folder in folders), []
        for folder in folders:
            is_full = folder.size_bytes >= self._config.file_bytes
            if everything or is_full or waiting_bytes > _MAX_WAITING_BYTES:
                due.append(folder)
                waiting_bytes -= folder.size_bytes
        return due

    def _groups(self, folder: _Folder, *, everything: bool) -> Iterator[list[int]]:
        """Group a folder's chunks into files; the last one may be small."""
        group: list[int] = []
        size = 0
        chunks = self._database.read(statements.LIST_CHUNKS, folder.folder, folder.kind)
        for identity, size_bytes in list(chunks):
            group.append(identity)
            size += size_bytes
            if size >= self._config.file_bytes:
                yield group
                group, size = [], 0
        if group and (everything or folder.size_bytes < self._config.file_bytes):
            yield group

    def _publish_file(self, folder: _Folder, chunks: Sequence[int]) -> None:
        number, path = self._begin_file(folder, chunks)
        temporary_path = self._temporary_path(path)
        entry = self._write_file(temporary_path, path, folder.kind, chunks)
        self._database.write(statements.MARK_FILE_WRITTEN, msgspec.json.encode(entry), number)
        self._database.checkpoint()
        storage.publish_new(temporary_path, self._destination.path(path))
        self._record_placed(number, folder.kind, entry)

    def _begin_file(self, folder: _Folder, chunks: Sequence[int]) -> tuple[int, str]:
        """Choose a new name, and record it before the file exists."""
        with self._database.transaction():
            number = (self._database.note("last_file", int) or 0) + 1
            self._database.keep_note("last_file", number)
            extension = self._formats[folder.kind].extension
            name = f"{self._config.run}-{self._database.identity}-{number:06d}.{extension}"
            path = f"{folder.folder}/{name}"
            listed = json.dumps(list(chunks))
            self._database.write(statements.ADD_FILE, number, path, folder.kind, listed)
        return number, path

    def _write_file(
        self, temporary_path: str, path: str, kind: str, chunks: Sequence[int]
    ) -> FileEntry:
        rows, size_bytes, times_us = 0, 0, []
        problem = f"cannot write {temporary_path}"
        with storage.create(temporary_path) as stream:
            for content, chunk_rows, first_us, last_us in self._contents(kind, chunks):
                with storage.describing_errors(problem):
                    stream.write(content)
                    stream.flush()
                size_bytes += len(content)
                rows += chunk_rows
                times_us += [each for each in (first_us, last_us) if each is not None]
        return FileEntry(
            path=path,
            rows=rows,
            bytes=size_bytes,
            first_event_us=min(times_us, default=None),
            last_event_us=max(times_us, default=None),
            checksum=storage.checksum(temporary_path),
        )

    def _contents(
        self, kind: str, chunks: Sequence[int]
    ) -> Iterator[tuple[bytes, int, int | None, int | None]]:
        row_format = self._formats[kind]
        yield row_format.header, 0, None, None
        for identity in chunks:
            content, policy, rows, first_us, last_us = self._database.read_chunk(identity)
            # The settings in force when something leaves decide how much text it has.
            yield row_format.restrict(content, policy), rows, first_us, last_us

    def _record_placed(self, number: int, kind: str, entry: FileEntry) -> None:
        """Delete the rows of a file that is there, and record its manifest line."""
        with self._database.transaction():
            self._database.write(statements.MARK_FILE_PLACED, number)
            self._database.write(statements.DELETE_PLACED_CHUNKS, number)
            published = self.rows_published()
            published[kind] = published.get(kind, 0) + entry.rows
            self._database.keep_note(_PUBLISHED, published)

    def _list_placed(self) -> None:
        """Write the manifest of the files that are in none yet."""
        placed = list(self._database.read(statements.LIST_PLACED_FILES))
        if not placed:
            return
        entries = [msgspec.json.decode(entry, type=FileEntry) for _, entry in placed]
        name = f"{self._database.identity}-{placed[0][0]:06d}"
        write_manifest_of(entries, self._destination, name)
        self._database.write(statements.DELETE_LISTED_FILES, placed[-1][0])

    def _temporary_path(self, path: str) -> str:
        """Return a hidden path beside the target, or in the work folder for a bucket."""
        folder, _, name = path.rpartition("/")
        if storage.is_local(self._destination.root):
            return self._destination.path(f"{folder}/.{name}.unpublished")
        return str(Path(self._database.folder, f"{name}.unpublished"))
