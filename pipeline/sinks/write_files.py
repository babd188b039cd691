"""WriteFiles: rows into files that appear whole, each once, whatever happens on the way.

Beam's own sinks lose rows where folders or late data come in (apache/beam#21313, #39993).
"""

import time
from collections.abc import Iterable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.transforms.combiners import ToList
from apache_beam.transforms.window import GlobalWindow
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.timestamp import MIN_TIMESTAMP
from apache_beam.utils.windowed_value import WindowedValue

from pipeline import storage
from pipeline.sinks.batch_results import KeepInBatch
from pipeline.sinks.destination import Destination
from pipeline.sinks.manifest import file_entry, write_manifest
from pipeline.sinks.part_files import OpenPart, Part, open_part
from pipeline.sinks.row_formats import RowFormat
from pipeline.sinks.write_windows import WriteWindows
from schemas.file_entry import FileEntry

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


class WriteFiles(beam.PTransform):
    """Write rows to files, several collections of one kind into the same folders.

    Rows go to temporary files where they arise, and only the names of these are shuffled; then
    each is renamed to its final name, which follows from the run and the file's number alone.
    Where the pipeline runs batch by batch, the files are left to whoever puts the batches
    together. The rows of a stream are left to `WriteWindows`.

    Input: a tuple of PCollections of the format's rows, bounded or not.
    Output: nothing.
    Failures: an OSError fails the bundle: a run is never done when a file is not there.
    Delivery: exactly once in the files. A retried bundle leaves temporary files that nobody
      names; a rerun under the same run id replaces the files of the run before.

    Args:
      destination: output folder and run.
      row_format: folders, names and bytes of the files.
    """

    def __init__(self, destination: Destination, row_format: RowFormat) -> None:
        super().__init__()
        self.destination = destination
        self.row_format = row_format

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        """Apply the step."""
        if not inputs[0].is_bounded:
            return inputs | "WriteWindows" >> WriteWindows(self.destination, self.row_format)
        # A Flatten of the rows would hold them all in memory on the local runner.
        written = [
            rows | f"WriteParts{number}" >> beam.ParDo(WritePart(self.destination, self.row_format))
            for number, rows in enumerate(inputs)
        ]
        batch = self.destination.batch
        if batch is None:
            self._publish(written)
        else:
            _ = tuple(written) | "KeepParts" >> KeepInBatch(batch, "parts")
        return PDone(inputs[0].pipeline)

    def _publish(self, written: list[PCollection[Part]]) -> None:
        entries = (
            written
            | "JoinParts" >> beam.Flatten()
            | "ByFolder" >> beam.GroupBy(_folder)
            | "PublishParts" >> beam.ParDo(_PublishParts(self.destination, self.row_format))
        )
        manifest = entries | "ListFiles" >> ToList()
        _ = manifest | "WriteManifest" >> beam.Map(
            write_manifest, destination=self.destination, row_format=self.row_format
        )


class _PublishParts(beam.DoFn):
    """Renames the parts of a folder; their order, and so their names, survive a retry."""

    def __init__(self, destination: Destination, row_format: RowFormat) -> None:
        self._destination = destination
        self._format = row_format

    def process(self, grouped: tuple[str, Iterable[Part]]) -> Iterator[FileEntry]:
        folder, parts = grouped
        for shard, part in enumerate(sorted(parts, key=_path)):
            path = self._destination.file_path(folder, shard, self._format.extension)
            storage.publish(part.path, self._destination.path(path))
            yield file_entry(part, path)


def _folder(part: Part) -> str:
    return part.folder


def _path(part: Part) -> str:
    return part.path
