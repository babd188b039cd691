"""The manifest: which files a run wrote, and that they are there as it says."""

import re
from collections.abc import Iterable

from pipeline import storage
from pipeline.sinks.destination import Destination
from pipeline.sinks.part_files import Part
from pipeline.sinks.row_formats import RowFormat
from schemas.file_entry import FileEntry, file_entry_from_json, file_entry_to_json


def read_manifest(destination: Destination, kind: str) -> list[FileEntry]:
    """Read which files of a kind a finished run wrote.

    Args:
      destination: output folder and run.
      kind: ``enriched``, ``alerts`` or ``failures``.

    Raises:
      OSError: the run has not written its manifest, or somebody else has changed it.
    """
    path = destination.path(_manifest_path(destination, kind))
    try:
        return [file_entry_from_json(line) for line in storage.read_whole(path).splitlines()]
    except ValueError:
        raise OSError(f"{path} is no manifest that groundwatch wrote") from None


def file_entry(part: Part, path: str) -> FileEntry:
    """Describe a part that has got its final name.

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
    """Say which files the run wrote, and remove those of an earlier try that it did not.

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
    """Write a manifest, whole.

    Args:
      entries: the files.
      destination: output folder and run.
      name: tells apart the manifests of one run.

    Raises:
      OSError: it cannot be written.
    """
    ordered = sorted(entries, key=_path)
    content = b"".join(file_entry_to_json(entry) + b"\n" for entry in ordered)
    path = _manifest_path(destination, name)
    storage.write_whole(destination.path(path), content, destination.temporary_path(path))


def check_manifest(destination: Destination, row_format: RowFormat) -> int:
    """Compare the manifest with the files: each must be there with its rows and bytes.

    Returns:
      How many rows the files hold.

    Raises:
      OSError: a file is not as the manifest says; the first such is named.
    """
    rows = 0
    for entry in read_manifest(destination, row_format.kind):
        path = destination.path(entry.path)
        size = storage.size(path)
        if size != entry.bytes:
            raise OSError(f"{path} has {size} bytes where {entry.bytes} were written")
        # A bucket's files appear whole or not at all, and reading them back would cost a download.
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
