"""A part while it is written."""

import uuid
from typing import Any

from pipeline import storage
from pipeline.destination import Destination
from pipeline.part import Part
from pipeline.row_files import EnrichedFiles, RowFormat
from transforms.persistence.seen_ids import record_key

_ROWS_BETWEEN_LOOKS = 64


class OpenPart:
    """A file that takes rows.

    Args:
      path: where to write it.
      folder: the output folder that its rows belong to, relative to the output's root.
      row_format: how its rows are written.
      with_keys: whether to note the key of each row, which must be enriched answers.

    Raises:
      OSError: it cannot be written, now or later.
    """

    def __init__(
        self, path: str, folder: str, row_format: RowFormat, *, with_keys: bool = False
    ) -> None:
        self._path = path
        self._format = row_format
        self._folder = folder
        self._complaint = f"cannot write {path}"
        with storage.telling(self._complaint):
            self._stream = storage.create(path)
            self._file = row_format.open(self._stream)
        self._rows = 0
        self._keys = bytearray() if with_keys else None
        self._first_event_us: int | None = None
        self._last_event_us: int | None = None

    def exceeds(self, most_bytes: int) -> bool:
        """Tell whether the file has grown beyond a size; it may be some rows late."""
        # To ask the stream costs a call of the system, too much for every row.
        is_time_to_look = self._rows % _ROWS_BETWEEN_LOOKS == 0
        return is_time_to_look and self._stream.tell() > most_bytes

    def write(self, row: Any) -> None:
        """Add a row."""
        with storage.telling(self._complaint):
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
        with storage.telling(self._complaint):
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


def open_part(folder: str, row_format: RowFormat, destination: Destination) -> OpenPart:
    """Begin a part under a name that nobody else knows.

    Args:
      folder: the output folder that its rows belong to, relative to the output's root.
      row_format: how its rows are written.
      destination: of the run.

    Raises:
      OSError: it cannot be written.
    """
    name = f"{row_format.kind}-{uuid.uuid4().hex}.{row_format.extension}"
    with_keys = destination.announces and row_format.kind == EnrichedFiles.kind
    return OpenPart(destination.temporary_path(name), folder, row_format, with_keys=with_keys)
