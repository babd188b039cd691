"""WriteFiles, WriteParts: write rows to files that appear whole, each row once.

Beam's own sinks lose rows where folders or late data come in (apache/beam#21313, #39993).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.transforms.combiners import ToList
from apache_beam.transforms.window import GlobalWindow
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.timestamp import MIN_TIMESTAMP
from apache_beam.utils.windowed_value import WindowedValue

from pipeline.sinks.batch_results import KeepRows
from pipeline.sinks.destination import Destination
from pipeline.sinks.part_files import OpenPart, Part, open_part
from pipeline.sinks.publication import publish_part, write_manifest
from pipeline.sinks.row_formats import RowFormat
from pipeline.sources.read_batch import BatchHandle
from schemas.file_entry import FileEntry

_MOST_OPEN = 512
"""More than the dates of a year, and less than the files a process may open by default."""


class WritePart(beam.DoFn):
    """Append rows to a file for each folder; the longest unused is closed first.

    Args:
      row_format: folders and bytes of the files.
      folder: returns the folder of the part files.
      file_bytes: a longer file is followed by another.
      with_keys: whether to note the key of each row, which must be an enriched answer.
    """

    def __init__(
        self,
        row_format: RowFormat,
        folder: Callable[[], str],
        file_bytes: int,
        *,
        with_keys: bool = False,
    ) -> None:
        self._format = row_format
        self._folder = folder
        self._file_bytes = file_bytes
        self._with_keys = with_keys

    def start_bundle(self) -> None:
        """Begin without a file."""
        self._open: dict[str, OpenPart] = {}

    def process(self, row: Any) -> Iterator[Part]:
        """Add a row; yields a file that is finished by it."""
        folder = self._format.folder(row)
        part = self._open.pop(folder, None) or open_part(
            self._folder(), folder, self._format, with_keys=self._with_keys
        )
        self._open[folder] = part
        part.write(row)
        if part.exceeds(self._file_bytes):
            yield self._open.pop(folder).close()
        elif len(self._open) > _MOST_OPEN:
            yield self._open.pop(next(iter(self._open))).close()

    def finish_bundle(self) -> Iterator[WindowedValue]:
        """Finish the files that are open."""
        for part in self._open.values():
            yield WindowedValue(part.close(), MIN_TIMESTAMP, (GlobalWindow(),))


def _write_each(inputs: Sequence[PCollection[Any]], write: WritePart) -> list[PCollection[Part]]:
    """Write collections one by one: a Flatten of rows holds them in memory on the local runner."""
    return [rows | f"WriteParts{number}" >> beam.ParDo(write) for number, rows in enumerate(inputs)]


class WriteParts(beam.PTransform):
    """Write rows to part files, and list these in the results of the batch.

    Input: a tuple of PCollections of the format's rows, bounded.
    Output: nothing.
    Failures: an OSError fails the bundle.
    Delivery: each row once, if the batch succeeds.

    Args:
      batches: leads to the batch's folder.
      row_format: folders and bytes of the files.
      file_bytes: a longer file is followed by another.
      with_keys: whether to note the keys of enriched records.
    """

    def __init__(
        self,
        batches: BatchHandle,
        row_format: RowFormat,
        file_bytes: int,
        *,
        with_keys: bool = False,
    ) -> None:
        super().__init__()
        self.batches = batches
        self.row_format = row_format
        self.file_bytes = file_bytes
        self.with_keys = with_keys

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        """Apply the step."""
        write = WritePart(
            self.row_format, self.batches.folder, self.file_bytes, with_keys=self.with_keys
        )
        return tuple(_write_each(inputs, write)) | "ListParts" >> KeepRows(self.batches, "parts")


class WriteFiles(beam.PTransform):
    """Write rows to final files, several collections of one kind into the same folders.

    Rows go to temporary files where they arise, and only the names of these are shuffled; then
    each is renamed to its final name, which follows from the run and the file's number alone.

    Input: a tuple of PCollections of the format's rows, bounded.
    Output: nothing.
    Failures: an OSError fails the bundle: a run succeeds only when all files are there.
    Delivery: exactly once in the files. A retried bundle leaves temporary files that are never
      published; a rerun under the same run id replaces the files of the earlier run.

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
        folder = partial(str, self.destination.temporary_folder)
        entries = (
            _write_each(inputs, WritePart(self.row_format, folder, self.destination.file_bytes))
            | "JoinParts" >> beam.Flatten()
            | "ByFolder" >> beam.GroupBy(_folder)
            | "PublishParts" >> beam.ParDo(_PublishParts(self.destination, self.row_format))
        )
        manifest = entries | "ListFiles" >> ToList()
        _ = manifest | "WriteManifest" >> beam.Map(
            write_manifest, destination=self.destination, row_format=self.row_format
        )
        return PDone(inputs[0].pipeline)


class _PublishParts(beam.DoFn):
    """Renames the parts of a folder; their order, and so their names, survive a retry."""

    def __init__(self, destination: Destination, row_format: RowFormat) -> None:
        self._destination = destination
        self._format = row_format

    def process(self, grouped: tuple[str, Iterable[Part]]) -> Iterator[FileEntry]:
        folder, parts = grouped
        for shard, part in enumerate(sorted(parts, key=_path)):
            path = self._destination.file_path(folder, shard, self._format.extension)
            yield publish_part(part, path, self._destination)


def _folder(part: Part) -> str:
    return part.folder


def _path(part: Part) -> str:
    return part.path
