"""Publish files under their final names, and list them in manifests."""

import re
from collections.abc import Iterable, Iterator
from operator import attrgetter

from groundwatch.pipeline import storage
from groundwatch.pipeline.settings.config import Destination
from groundwatch.schemas.file_entry import FileEntry, file_entry_from_json, file_entry_to_json
from .folder_writer import Part
from .row_formats import RowFormat

MANIFEST = "manifest"


def publish_part(part: Part, path: str, destination: Destination) -> FileEntry:
    """Publish a part below the output folder, and replace an earlier file of the same run."""
    target = destination.path(path)
    storage.publish(part.path, target)
    return FileEntry(
        path=path,
        rows=part.rows,
        bytes=part.size_bytes,
        first_event_us=part.first_event_us,
        last_event_us=part.last_event_us,
        checksum=storage.checksum(target),
    )


def read_manifest(destination: Destination, name: str, kind: str) -> list[FileEntry]:
    """Read the list of a run's files of one kind; `name` is the run's (see `Summary.name`)."""
    paths = manifests_of(destination, name)
    entries = (entry for path in paths for entry in read_manifest_file(path))
    return [entry for entry in entries if entry.path.startswith(f"{kind}/")]


def manifests_of(destination: Destination, name: str) -> Iterator[str]:
    """Find the manifests of a run."""
    return _find(destination, MANIFEST, rf"{re.escape(name)}-[a-z0-9]+\.jsonl")


def files_named_by(destination: Destination, name: str, kind: str) -> Iterator[str]:
    """Find the files of a run of the local engine by its name, and what it had begun to write.

    Their paths are relative to the output folder.
    """
    found = _find(destination, kind, rf"[.]?{re.escape(name)}-\d+[.][a-z]+([.]unpublished)?")
    return (path.removeprefix(destination.path("")) for path in found)


def _find(destination: Destination, folder: str, names: str) -> Iterator[str]:
    """Find the files below a folder of the output whose names match a regular expression."""
    found = storage.find_below(destination.path(folder))
    return (path for path in found if re.fullmatch(names, path.rpartition("/")[2]))


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
    own = rf"{re.escape(destination.run)}-batch-0-\d+\.{row_format.extension}"
    found = _find(destination, row_format.kind, own)
    storage.remove([path for path in found if path not in written])


def write_manifest_of(entries: Iterable[FileEntry], destination: Destination, name: str) -> None:
    """Write a manifest under a name within the run."""
    ordered = sorted(entries, key=attrgetter("path"))
    content = b"".join(file_entry_to_json(entry) + b"\n" for entry in ordered)
    path = f"{MANIFEST}/{destination.run}-{name}.jsonl"
    storage.write_whole(destination.path(path), content, destination.temporary_path(path))


def check_manifest(destination: Destination, row_format: RowFormat) -> int:
    """Count the rows of a run's files of a kind; OSError if one differs from the manifest."""
    entries = read_manifest(destination, destination.run, row_format.kind)
    for entry in entries:
        path = destination.path(entry.path)
        if storage.checksum(path) != entry.checksum:
            raise OSError(f"{path} has other content than was written")
    return sum(entry.rows for entry in entries)
