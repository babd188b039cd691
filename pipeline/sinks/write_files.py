"""WriteFiles: write rows to final files that appear whole, each row once.

Beam's own sinks lose rows where folders or late data come in (apache/beam#21313, #39993).
"""

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.transforms.combiners import ToList
from apache_beam.transforms.window import GlobalWindow
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.timestamp import MIN_TIMESTAMP
from apache_beam.utils.windowed_value import WindowedValue

from groundwatch.pipeline.settings.config import Destination
from groundwatch.schemas.file_entry import FileEntry
from .folder_writer import Part, part_writer
from .publication import publish_part, write_manifest
from .row_formats import RowFormat


class WritePart(beam.DoFn):
    """Write the rows of a bundle to part files."""

    def __init__(self, destination: Destination, row_format: RowFormat) -> None:
        self._destination = destination
        self._format = row_format

    def start_bundle(self) -> None:
        self._writer = part_writer(self._destination, self._format)

    def process(self, row: Any) -> Iterator[Part]:
        return self._writer.write(row)

    def finish_bundle(self) -> Iterator[WindowedValue]:
        for part in self._writer.close():
            yield WindowedValue(part, MIN_TIMESTAMP, (GlobalWindow(),))


class WriteFiles(beam.PTransform):
    """Write rows to final files, several collections of one kind into the same folders.

    Rows go to temporary files where they arise, and only the names of these are shuffled. A final
    name follows from the run and the file's number alone.

    Input: a tuple of PCollections of the format's rows, bounded.
    Output: nothing.
    Failures: an OSError fails the bundle: a run succeeds only when all files are there.
    Delivery: exactly once in the files. A retried bundle leaves temporary files that are never
      published; a rerun under the same run id replaces the files of the earlier run.
    """

    def __init__(self, destination: Destination, row_format: RowFormat) -> None:
        super().__init__()
        self.destination = destination
        self.row_format = row_format

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        destination, row_format = self.destination, self.row_format
        write = WritePart(destination, row_format)
        # One by one: a Flatten of rows holds them in memory on the local runner.
        parts = [rows | f"WriteParts{n}" >> beam.ParDo(write) for n, rows in enumerate(inputs)]
        entries = (
            parts
            | "JoinParts" >> beam.Flatten()
            | "ByFolder" >> beam.GroupBy("folder")
            | "PublishParts"
            >> beam.FlatMap(_publish_folder, destination=destination, row_format=row_format)
        )
        manifest = entries | "ListFiles" >> ToList()
        _ = manifest | "WriteManifest" >> beam.Map(
            write_manifest, destination=destination, row_format=row_format
        )
        return PDone(inputs[0].pipeline)


def _publish_folder(
    grouped: tuple[str, Iterable[Part]], destination: Destination, row_format: RowFormat
) -> Iterator[FileEntry]:
    """Rename the parts of a folder; their order, and so their names, survive a retry."""
    folder, parts = grouped
    for shard, part in enumerate(sorted(parts, key=attrgetter("path"))):
        path = destination.file_path(folder, shard, row_format.extension)
        yield publish_part(part, path, destination)
