"""Entries of the manifest: one line for each output file."""

import msgspec

from . import Record
from .quantities import to_rfc3339


class FileEntry(Record, frozen=True, kw_only=True):
    """A complete output file; its path is relative to the output folder.

    The range of event times is in microseconds since 1970 UTC, None if no row has a time. The
    checksum is the CRC32C of the file's bytes in base64; None in a manifest of version 1.
    """

    path: str
    rows: int
    bytes: int
    first_event_us: int | None = None
    last_event_us: int | None = None
    checksum: str | None = None


def file_entry_to_json(entry: FileEntry) -> bytes:
    """Write an entry as one JSON object, without a line end."""
    first, last = to_rfc3339(entry.first_event_us), to_rfc3339(entry.last_event_us)
    fields = {"path": entry.path, "rows": entry.rows, "bytes": entry.bytes}
    times = {"first_event_time": first, "last_event_time": last}
    return msgspec.json.encode({**fields, "checksum": entry.checksum, **times})


def file_entry_from_json(line: bytes) -> FileEntry:
    """Read an entry without its times, which no reader needs; raise ValueError if it is none."""
    return msgspec.json.decode(line, type=FileEntry)
