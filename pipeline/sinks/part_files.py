"""Write part files, which are published later, alone or joined."""

import uuid
from typing import Any

from pipeline import storage
from pipeline.sinks.row_formats import RowFormat
from schemas import Record
from transforms.persistence.seen_ids import record_key


class Part(Record, frozen=True, kw_only=True, rename={"size_bytes": "bytes"}):
    """A finished file of one kind of rows that is not published yet.

    Attributes:
      path: of the file.
      kind: of its rows: ``enriched``, ``alerts`` or ``failures``.
      folder: the output folder that its rows belong to, relative to the output's root.
      rows, size_bytes: their number; `size_bytes` is stored as `bytes`, as in version 1.
      first_event_us, last_event_us: the range of event times, None if no row has one.
      keys: of its records, 16 bytes each, in their order; empty where they are not needed.
    """

    path: str
    kind: str
    folder: str
    rows: int
    size_bytes: int
    first_event_us: int | None
    last_event_us: int | None
    keys: bytes = b""


_ROWS_BETWEEN_CHECKS = 64


class OpenPart:
    """Write rows to a file.

    Args:
      path: where to write it.
      folder: the output folder that its rows belong to, relative to the output's root.
      row_format: the format of its rows.
      with_keys: whether to note the key of each row, which must be enriched answers.

    Raises:
      OSError: it cannot be written; the methods raise it, too.
    """

    def __init__(
        self, path: str, folder: str, row_format: RowFormat, *, with_keys: bool = False
    ) -> None:
        self._path = path
        self._format = row_format
        self._folder = folder
        self._problem = f"cannot write {path}"
        with storage.describing_errors(self._problem):
            self._stream = storage.create(path)
            self._file = row_format.open(self._stream)
        self._rows = 0
        self._keys = bytearray() if with_keys else None
        self._first_event_us: int | None = None
        self._last_event_us: int | None = None

    def exceeds(self, most_bytes: int) -> bool:
        """Tell whether the file is longer than a size; the answer may lag by some rows."""
        # A system call for every row would be too slow.
        is_due = self._rows % _ROWS_BETWEEN_CHECKS == 0
        return is_due and self._stream.tell() > most_bytes

    def write(self, row: Any) -> None:
        """Add a row."""
        with storage.describing_errors(self._problem):
            self._file.write(row)
        self._rows += 1
        if self._keys is not None:
            self._keys += record_key(row.record_id)
        event_time_us = self._format.event_time_us(row)
        if event_time_us is not None:
            first_us, last_us = self._first_event_us, self._last_event_us
            self._first_event_us = (
                event_time_us if first_us is None else min(event_time_us, first_us)
            )
            self._last_event_us = event_time_us if last_us is None else max(event_time_us, last_us)

    def close(self) -> Part:
        """Finish the file."""
        with storage.describing_errors(self._problem):
            self._file.finish()
            size = self._stream.tell()
            self._stream.close()
        return Part(
            path=self._path,
            kind=self._format.kind,
            folder=self._folder,
            rows=self._rows,
            size_bytes=size,
            first_event_us=self._first_event_us,
            last_event_us=self._last_event_us,
            keys=bytes(self._keys or b""),
        )


def open_part(
    temporary_folder: str, folder: str, row_format: RowFormat, *, with_keys: bool = False
) -> OpenPart:
    """Start a part under a unique name.

    Args:
      temporary_folder: where to write it.
      folder: the output folder that its rows belong to, relative to the output's root.
      row_format: the format of its rows.
      with_keys: as of `OpenPart`.

    Raises:
      OSError: it cannot be written.
    """
    name = f"{row_format.kind}-{uuid.uuid4().hex}.{row_format.extension}"
    path = storage.join(temporary_folder, name)
    return OpenPart(path, folder, row_format, with_keys=with_keys)
