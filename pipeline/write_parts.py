"""WriteParts: rows into files where they arise, under names that nobody else knows."""

import time
from collections.abc import Iterator
from typing import Any

import apache_beam as beam
from apache_beam.transforms.window import GlobalWindow
from apache_beam.utils.timestamp import MIN_TIMESTAMP
from apache_beam.utils.windowed_value import WindowedValue

from pipeline.destination import Destination
from pipeline.open_part import OpenPart, open_part
from pipeline.part import Part
from pipeline.row_files import RowFormat

_MOST_OPEN = 512
"""More than the dates of a year, and less than the files a process may open by default."""


class WritePart(beam.DoFn):
    """Appends rows to a file for each folder; the longest unused is closed first.

    Args:
      destination: output folder and run.
      row_format: folders and bytes of the files.
    """

    def __init__(self, destination: Destination, row_format: RowFormat) -> None:
        self._destination = destination
        self._format = row_format

    def start_bundle(self) -> None:
        """Begin without a file."""
        self._open: dict[str, OpenPart] = {}
        # The worker writes rows as they come.
        self._now_us = time.time_ns() // 1_000 if self._destination.announces else None

    def process(self, row: Any) -> Iterator[Part]:
        """Add a row; yields a file that is finished by it."""
        folder = self._format.folder(row, self._now_us)
        part = self._open.pop(folder, None) or open_part(folder, self._format, self._destination)
        self._open[folder] = part
        part.write(row)
        if part.exceeds(self._destination.file_bytes):
            yield self._open.pop(folder).close()
        elif len(self._open) > _MOST_OPEN:
            yield self._open.pop(next(iter(self._open))).close()

    def finish_bundle(self) -> Iterator[WindowedValue]:
        """Finish the files that are open."""
        for part in self._open.values():
            yield WindowedValue(part.close(), MIN_TIMESTAMP, (GlobalWindow(),))
