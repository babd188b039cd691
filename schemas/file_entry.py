"""Entries of the manifest: one line for each output file."""

import msgspec

from schemas import Record
from schemas.quantities import to_rfc3339


class FileEntry(Record, frozen=True, kw_only=True):
    """A complete output file.

    Attributes:
      path: relative to the output folder.
      rows, bytes: their number.
      first_event_us, last_event_us: the range of event times, microseconds since 1970 UTC; None
        if no row has one.
    """

    path: str
    rows: int
    bytes: int
    first_event_us: int | None = None
    last_event_us: int | None = None


def file_entry_to_json(entry: FileEntry) -> bytes:
    """Write an entry as one JSON object, without a line end."""
    return msgspec.json.encode(
        {
            "path": entry.path,
            "rows": entry.rows,
            "bytes": entry.bytes,
            "first_event_time": to_rfc3339(entry.first_event_us),
            "last_event_time": to_rfc3339(entry.last_event_us),
        }
    )


def file_entry_from_json(line: bytes) -> FileEntry:
    """Read an entry, without its range of event times, which no reader needs.

    Raises:
      ValueError: the line is not an entry.
    """
    return msgspec.json.decode(line, type=FileEntry)
