"""WriteFiles: rows into files that appear whole, each once, whatever happens on the way.

Beam's own sinks lose rows where folders or late data come in (apache/beam#21313, #39993).
"""

import re
import uuid
from collections.abc import Iterable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection
from apache_beam.transforms.combiners import ToList
from apache_beam.transforms.window import GlobalWindow
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.timestamp import MIN_TIMESTAMP
from apache_beam.utils.windowed_value import WindowedValue

from pipeline import storage
from pipeline.destination import Destination
from pipeline.open_part import OpenPart, Part
from pipeline.row_files import RowFormat
from schemas.file_entry import FileEntry, file_entry_from_json, file_entry_to_json

_MOST_OPEN = 256
_PART_BYTES = 128 * 1024 * 1024


class WriteFiles(beam.PTransform):
    """Write rows to files, several collections of one kind into the same folders.

    Rows go to temporary files where they arise, and only the names of these are shuffled; then
    each is renamed to its final name, which follows from the run and the file's number alone.

    Input: a tuple of bounded PCollections of the format's rows.
    Output: PCollection[FileEntry], one for each file, after it is there under its name.
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
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PCollection[FileEntry]:
        """Apply the step."""
        # A Flatten of the rows would hold them all in memory on the local runner.
        written = [
            rows
            | f"WriteParts{number}" >> beam.ParDo(_WritePart(self.destination, self.row_format))
            for number, rows in enumerate(inputs)
        ]
        # (folder, Part)
        parts = written | "JoinParts" >> beam.Flatten()
        entries = (
            parts
            | "ByFolder" >> beam.GroupByKey()
            | "PublishParts" >> beam.ParDo(_PublishParts(self.destination, self.row_format))
        )
        manifest = entries | "ListFiles" >> ToList()
        _ = manifest | "WriteManifest" >> beam.Map(
            _write_manifest, destination=self.destination, row_format=self.row_format
        )
        return entries


class _WritePart(beam.DoFn):
    """Appends rows to a temporary file for each folder; the longest unused is closed first."""

    def __init__(self, destination: Destination, row_format: RowFormat) -> None:
        self._destination = destination
        self._format = row_format

    def start_bundle(self) -> None:
        self._open: dict[str, OpenPart] = {}

    def process(self, row: Any) -> Iterator[tuple[str, Part]]:
        folder = self._format.folder(row)
        part = self._open.pop(folder, None) or self._begin()
        self._open[folder] = part
        part.write(row, self._format.event_time_us(row))
        if part.exceeds(_PART_BYTES):
            yield folder, self._open.pop(folder).close()
        elif len(self._open) > _MOST_OPEN:
            longest_unused = next(iter(self._open))
            yield longest_unused, self._open.pop(longest_unused).close()

    def finish_bundle(self) -> Iterator[WindowedValue]:
        for folder, part in self._open.items():
            yield WindowedValue((folder, part.close()), MIN_TIMESTAMP, (GlobalWindow(),))

    def _begin(self) -> OpenPart:
        name = f"{self._format.kind}-{uuid.uuid4().hex}.{self._format.extension}"
        return OpenPart(self._destination.temporary_path(name), self._format)


class _PublishParts(beam.DoFn):
    """Renames the parts of a folder; their order, and so their names, survive a retry."""

    def __init__(self, destination: Destination, row_format: RowFormat) -> None:
        self._destination = destination
        self._format = row_format

    def process(self, grouped: tuple[str, Iterable[Part]]) -> Iterator[FileEntry]:
        folder, parts = grouped
        for shard, part in enumerate(sorted(parts, key=_temporary_path)):
            path = f"{folder}/{self._destination.run}-batch-0-{shard:05d}.{self._format.extension}"
            storage.publish(part.temporary_path, self._destination.path(path))
            yield FileEntry(
                path=path,
                rows=part.rows,
                bytes=part.bytes,
                first_event_us=part.first_event_us,
                last_event_us=part.last_event_us,
            )


def _temporary_path(part: Part) -> str:
    return part.temporary_path


def read_manifest(destination: Destination, kind: str) -> list[FileEntry]:
    """Read which files of a kind a finished run wrote.

    Args:
      destination: output folder and run.
      kind: ``enriched``, ``alerts`` or ``failures``.

    Raises:
      OSError: the run has not written its manifest.
    """
    content = storage.read_whole(destination.path(_manifest_path(destination, kind)))
    return [file_entry_from_json(line) for line in content.splitlines()]


def _manifest_path(destination: Destination, kind: str) -> str:
    return f"manifest/{destination.run}-{kind}.jsonl"


def _write_manifest(
    entries: list[FileEntry], destination: Destination, row_format: RowFormat
) -> None:
    """Say which files the run wrote, and remove those of an earlier try that it did not."""
    ordered = sorted(entries, key=_path)
    content = b"".join(file_entry_to_json(entry) + b"\n" for entry in ordered)
    path = _manifest_path(destination, row_format.kind)
    storage.write_whole(destination.path(path), content, destination.temporary_path(path))
    written = {destination.path(entry.path) for entry in entries}
    own = re.compile(
        rf".*/{re.escape(destination.run)}-batch-0-\d+\.{row_format.extension}", re.DOTALL
    )
    found = storage.find_below(destination.path(row_format.kind))
    storage.remove([path for path in found if own.fullmatch(path) and path not in written])


def _path(entry: FileEntry) -> str:
    return entry.path
