"""One line of the manifest: an output file and what is in it."""

import msgspec

from schemas import Record
from schemas.quantities import to_rfc3339


class FileEntry(Record, frozen=True, kw_only=True):
    """A file that is there, whole.

    Attributes:
      path: relative to the output folder.
      rows, bytes: how many.
      first_event_us, last_event_us: the range of event times, microseconds since 1970 UTC; None
        where no row has one.
    """

    path: str
    rows: int
    bytes: int
    first_event_us: int | None = None
    last_event_us: int | None = None


def file_entry_to_json(entry: FileEntry) -> bytes:
    """Write an entry as one JSON object, without a line's end."""
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
    """Read an entry back; the range of times is left out, since nobody asks it of an entry.

    Raises:
      ValueError: the line is no entry.
    """
    return msgspec.json.decode(line, type=FileEntry)
