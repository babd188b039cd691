"""Publish part files as final files, and list these in a manifest."""

import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from pipeline import storage
from pipeline.settings.config import Config
from pipeline.sinks.destination import Destination
from pipeline.sinks.part_files import Part
from pipeline.sinks.row_formats import RowFormat, row_formats
from schemas.file_entry import FileEntry, file_entry_from_json, file_entry_to_json
from schemas.quantities import MEGABYTE


def publish_parts(config: Config, parts: Iterable[Part]) -> dict[str, int]:
    """Join the part files of a run, publish them, and verify the published files.

    Args:
      config: the run's settings, with a work folder.
      parts: of all segments, in the segments' order.

    Returns:
      The number of rows by kind, read from the files.

    Raises:
      OSError: a file cannot be written, or differs from the manifest.
    """
    by_kind: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        by_kind[part.kind].append(part)
    return {
        row_format.kind: _publish_kind(config, row_format, by_kind[row_format.kind])
        for row_format in row_formats(config)
    }


def _publish_kind(config: Config, row_format: RowFormat, parts: Iterable[Part]) -> int:
    destination = config.destination
    by_folder: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        by_folder[part.folder].append(part)
    # Joined on disk even for a bucket, since an object is uploaded from one file.
    joined_path = storage.join(str(config.work_folder), f"joined.{row_format.extension}")
    entries = []
    for folder, grouped in by_folder.items():
        for shard, group in enumerate(group_by_size(grouped, destination.file_bytes)):
            path = destination.file_path(folder, shard, row_format.extension)
            joined = join_parts(group, row_format, joined_path)
            entries.append(publish_part(joined, path, destination))
    write_manifest(entries, destination, row_format)
    return check_manifest(destination, row_format)


def publish_part(
    part: Part, path: str, destination: Destination, *, is_new: bool = False
) -> FileEntry:
    """Give a part its final name.

    Args:
      part: the finished file.
      path: its final path, relative to the output folder.
      destination: output folder and run.
      is_new: whether to refuse a name that another file has.

    Returns:
      Its line in the manifest.

    Raises:
      TargetExists: another file has the name.
      OSError: it cannot be published.
    """
    publish = storage.publish_new if is_new else storage.publish
    publish(part.path, destination.path(path))
    return file_entry(part, path)


def join_parts(parts: Sequence[Part], row_format: RowFormat, path: str) -> Part:
    """Write one header, followed by the rows of each part as they are.

    Args:
      parts: at least one, all of one run, kind and folder.
      row_format: the format of their rows.
      path: where to write them.

    Returns:
      The joined part; the others are kept.

    Raises:
      OSError: a part cannot be read, or the joined one cannot be written.
    """
    with storage.describing_errors(f"cannot write {path}"), storage.create(path) as joined:
        joined.write(row_format.header())
        for part in parts:
            with (
                storage.describing_errors(f"cannot read {part.path}"),
                storage.read(part.path) as stream,
            ):
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


class _Sized(Protocol):
    @property
    def size_bytes(self) -> int: ...


SizedPart = TypeVar("SizedPart", bound=_Sized)


def group_by_size(parts: Iterable[SizedPart], file_bytes: int) -> Iterator[list[SizedPart]]:
    """Group parts into files.

    Args:
      parts: of one kind and folder.
      file_bytes: the size at which a file ends; it may be longer by one part.

    Yields:
      The parts of each file, in their order.
    """
    group: list[SizedPart] = []
    size = 0
    for part in parts:
        group.append(part)
        size += part.size_bytes
        if size >= file_bytes:
            yield group
            group, size = [], 0
    if group:
        yield group


def read_manifest(destination: Destination, kind: str) -> list[FileEntry]:
    """Read the list of a finished run's files.

    Args:
      destination: output folder and run.
      kind: ``enriched``, ``alerts`` or ``failures``.

    Raises:
      OSError: the manifest does not exist, or was changed by something else.
    """
    path = destination.path(_manifest_path(destination, kind))
    try:
        return [file_entry_from_json(line) for line in storage.read_whole(path).splitlines()]
    except ValueError:
        raise OSError(f"{path} is not a manifest of groundwatch") from None


def file_entry(part: Part, path: str) -> FileEntry:
    """Describe a published part.

    Args:
      part: the file.
      path: its final path, relative to the output folder.
    """
    return FileEntry(
        path=path,
        rows=part.rows,
        bytes=part.size_bytes,
        first_event_us=part.first_event_us,
        last_event_us=part.last_event_us,
    )


def write_manifest(
    entries: Iterable[FileEntry], destination: Destination, row_format: RowFormat
) -> None:
    """Write the manifest of a kind, and remove files of the run that it does not list.

    Raises:
      OSError: a file cannot be written or removed.
    """
    listed = list(entries)
    write_manifest_of(listed, destination, row_format.kind)
    written = {destination.path(entry.path) for entry in listed}
    own = re.compile(
        rf".*/{re.escape(destination.run)}-batch-0-\d+\.{row_format.extension}", re.DOTALL
    )
    found = storage.find_below(destination.path(row_format.kind))
    storage.remove([path for path in found if own.fullmatch(path) and path not in written])


def write_manifest_of(entries: Iterable[FileEntry], destination: Destination, name: str) -> None:
    """Write a manifest.

    Args:
      entries: the files.
      destination: output folder and run.
      name: of the manifest within the run.

    Raises:
      OSError: it cannot be written.
    """
    ordered = sorted(entries, key=_path)
    content = b"".join(file_entry_to_json(entry) + b"\n" for entry in ordered)
    path = _manifest_path(destination, name)
    storage.write_whole(destination.path(path), content, destination.temporary_path(path))


def check_manifest(destination: Destination, row_format: RowFormat) -> int:
    """Compare the sizes and rows of the listed files with the manifest.

    Returns:
      The number of rows.

    Raises:
      OSError: a file differs from the manifest.
    """
    rows = 0
    for entry in read_manifest(destination, row_format.kind):
        path = destination.path(entry.path)
        size = storage.size(path)
        if size != entry.bytes:
            raise OSError(f"{path} has {size} bytes where {entry.bytes} were written")
        # An object appears whole or not at all, and reading it would cost a download.
        if storage.is_local(path):
            with (
                storage.describing_errors(f"cannot count the rows of {path}"),
                storage.read(path) as stream,
            ):
                found = row_format.count_rows(stream)
            if found != entry.rows:
                raise OSError(f"{path} has {found} rows where {entry.rows} were written")
        rows += entry.rows
    return rows


def _manifest_path(destination: Destination, kind: str) -> str:
    return f"manifest/{destination.run}-{kind}.jsonl"


def _path(entry: FileEntry) -> str:
    return entry.path
