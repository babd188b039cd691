"""Publish part files as final files, and list these in a manifest."""

import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from pipeline import storage
from pipeline.settings.config import Config, Destination
from pipeline.sinks.part_files import Part
from pipeline.sinks.row_formats import RowFormat, row_formats
from schemas.file_entry import FileEntry, file_entry_from_json, file_entry_to_json
from schemas.quantities import MEGABYTE

_by_folder = attrgetter("folder")


def publish_parts(config: Config, parts: Iterable[Part]) -> dict[str, int]:
    """Join a run's parts, in the segments' order, and publish them; count the published rows."""
    destination = config.destination
    ordered = sorted(parts, key=_by_folder)
    rows = {}
    for row_format in row_formats(config):
        # Joined on disk even for a bucket, since an object is uploaded from one file.
        joined_path = storage.join(str(config.work_folder), f"joined.{row_format.extension}")
        entries = []
        of_kind = (part for part in ordered if part.kind == row_format.kind)
        for folder, grouped in groupby(of_kind, key=_by_folder):
            for shard, group in enumerate(group_by_size(grouped, destination.file_bytes)):
                path = destination.file_path(folder, shard, row_format.extension)
                joined = join_parts(group, row_format, joined_path)
                entries.append(publish_part(joined, path, destination))
        write_manifest(entries, destination, row_format)
        rows[row_format.kind] = check_manifest(destination, row_format)
    return rows


def publish_part(
    part: Part, path: str, destination: Destination, *, is_new: bool = False
) -> FileEntry:
    """Publish a part below the output folder; if it `is_new`, it must not replace another file."""
    publish = storage.publish_new if is_new else storage.publish
    publish(part.path, destination.path(path))
    return file_entry(part, path)


def join_parts(parts: Sequence[Part], row_format: RowFormat, path: str) -> Part:
    """Write one header, followed by the rows of parts of one run, kind and folder as they are."""
    with storage.describing_errors(f"cannot write {path}"), storage.create(path) as joined:
        row_format.open(joined).flush()  # the header
        for part in parts:
            problem = f"cannot read {part.path}"
            with storage.describing_errors(problem), storage.read(part.path) as stream:
                row_format.skip_header(stream)
                shutil.copyfileobj(stream, joined, MEGABYTE)
        size = joined.tell()
    firsts = [part.first_event_us for part in parts if part.first_event_us is not None]
    lasts = [part.last_event_us for part in parts if part.last_event_us is not None]
    return Part(
        path=path,
        kind=row_format.kind,
        folder=parts[0].folder,
        rows=sum(part.rows for part in parts),
        size_bytes=size,
        first_event_us=min(firsts, default=None),
        last_event_us=max(lasts, default=None),
    )


def group_by_size(parts: Iterable[Part], file_bytes: int) -> Iterator[list[Part]]:
    """Group parts into files of about so many bytes, in their order."""
    group: list[Part] = []
    size = 0
    for part in parts:
        group.append(part)
        size += part.size_bytes
        if size >= file_bytes:
            yield group
            group, size = [], 0
    if group:
        yield group


def file_entry(part: Part, path: str) -> FileEntry:
    """Describe a part that is published under a path relative to the output folder."""
    range_us = {"first_event_us": part.first_event_us, "last_event_us": part.last_event_us}
    return FileEntry(path=path, rows=part.rows, bytes=part.size_bytes, **range_us)


def read_manifest(destination: Destination, kind: str) -> list[FileEntry]:
    """Read the list of a finished run's files of one kind."""
    return read_manifest_file(destination.path(f"manifest/{destination.run}-{kind}.jsonl"))


def read_manifest_file(path: str) -> list[FileEntry]:
    """Read a list of files; OSError if it is none."""
    try:
        return [file_entry_from_json(line) for line in storage.read_whole(path).splitlines()]
    except ValueError:
        raise OSError(f"{path} is not a manifest of groundwatch") from None


def write_manifest(
    entries: Iterable[FileEntry], destination: Destination, row_format: RowFormat
) -> None:
    """Write the manifest of a kind, and remove files of the run that it does not list."""
    listed = list(entries)
    write_manifest_of(listed, destination, row_format.kind)
    written = {destination.path(entry.path) for entry in listed}
    own = re.compile(rf"(?s).*/{re.escape(destination.run)}-batch-0-\d+\.{row_format.extension}")
    found = storage.find_below(destination.path(row_format.kind))
    storage.remove([path for path in found if own.fullmatch(path) and path not in written])


def write_manifest_of(entries: Iterable[FileEntry], destination: Destination, name: str) -> None:
    """Write a manifest under a name within the run."""
    ordered = sorted(entries, key=attrgetter("path"))
    content = b"".join(file_entry_to_json(entry) + b"\n" for entry in ordered)
    path = f"manifest/{destination.run}-{name}.jsonl"
    storage.write_whole(destination.path(path), content, destination.temporary_path(path))


def check_manifest(destination: Destination, row_format: RowFormat) -> int:
    """Count the rows of the listed files; OSError if a file differs from the manifest."""
    entries = read_manifest(destination, row_format.kind)
    for entry in entries:
        path = destination.path(entry.path)
        size = storage.size(path)
        if size != entry.bytes:
            raise OSError(f"{path} has {size} bytes where {entry.bytes} were written")
        # An object appears whole or not at all, and reading it would cost a download.
        if storage.is_local(path):
            problem = f"cannot count the rows of {path}"
            with storage.describing_errors(problem), storage.read(path) as stream:
                found = row_format.count_rows(stream)
            if found != entry.rows:
                raise OSError(f"{path} has {found} rows where {entry.rows} were written")
    return sum(entry.rows for entry in entries)
