"""WriteWindows: a stream's rows into files that appear whole, each once, however late they come.

Beam's own sinks lose rows of a stream: they overwrite files, or leave out what is late.
"""

import zlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.transforms.trigger import (
    AccumulationMode,
    AfterCount,
    AfterProcessingTime,
    AfterWatermark,
    Repeatedly,
)
from apache_beam.transforms.window import FixedWindows, GlobalWindows, IntervalWindow
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.windowed_value import PaneInfo

from pipeline import storage
from pipeline.sinks.destination import Destination, Windows
from pipeline.sinks.manifest import file_entry, write_manifest_of
from pipeline.sinks.part_files import OpenPart, Part, open_part
from pipeline.sinks.row_formats import RowFormat
from schemas.alert import Alert
from schemas.failure import Failure
from transforms.runtime import counters

ALLOWED_LATENESS_S = 31 * 24 * 3600
"""As long as Pub/Sub keeps any message, so that none is ever too late, and so left out.

Source: https://cloud.google.com/pubsub/docs/subscription-properties, "Message retention duration"
"""


def into_windows(windows: Windows) -> beam.WindowInto:
    """Gather by publish time: what comes late makes panes of its own, and nothing is left out."""
    now_and_then = AfterProcessingTime(windows.width_s)
    return beam.WindowInto(
        FixedWindows(windows.width_s),
        trigger=AfterWatermark(early=now_and_then, late=now_and_then),
        accumulation_mode=AccumulationMode.DISCARDING,
        allowed_lateness=ALLOWED_LATENESS_S,
    )


def out_of_windows() -> beam.WindowInto:
    """Let each element go its own way, where no window matters any more.

    A Reshuffle would keep the windows, and Beam's local streaming runner then drops what is late.
    """
    return beam.WindowInto(
        GlobalWindows(),
        trigger=Repeatedly(AfterCount(1)),
        accumulation_mode=AccumulationMode.DISCARDING,
    )


def window_name(window: IntervalWindow) -> str:
    """Name a window by its beginning, such as ``20260302T080500Z``."""
    start_s = window.start.seconds()
    return datetime.fromtimestamp(start_s, UTC).strftime("%Y%m%dT%H%M%SZ")


_Place = tuple[str, int]
"""The folder and the shard of a row."""

_HEX_DIGITS = 8
"""Of a record id; as many as make shards of one size."""


class WriteWindows(beam.PTransform):
    """Write a stream's rows, several collections of one kind into the same folders.

    The rows of a window, folder and shard are gathered. Each pane of them goes to a temporary file
    of a name of its own, which passes a checkpoint before the file gets its final name. So no file
    ever replaces another, whatever is done twice on the way, and however late.

    Input: a tuple of PCollections of the format's rows, unbounded.
    Output: nothing.
    Failures: an OSError fails the bundle, which the runner tries again.
    Delivery: exactly once in the files. A retried bundle leaves temporary files that nobody names.

    Args:
      destination: output folder, and a run id that no earlier job has had.
      windows: how rows become files.
      row_format: folders, names and bytes of the files.
    """

    def __init__(self, destination: Destination, windows: Windows, row_format: RowFormat) -> None:
        super().__init__()
        self.destination = destination
        self.windows = windows
        self.row_format = row_format

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        """Apply the step."""
        _ = (
            inputs
            | "JoinRows" >> beam.Flatten()
            | "PlaceRows" >> self._placing(inputs[0].element_type)
            | "IntoWindows" >> into_windows(self.windows)
            | "GatherRows" >> beam.GroupByKey()
            | "WritePane"
            >> beam.ParDo(_WritePane(self.destination, self.row_format, self.windows.shards))
            | "LeaveWindows" >> out_of_windows()
            | "KeepNames" >> beam.Reshuffle()
            | "PublishPart" >> beam.Map(_publish_part, destination=self.destination)
        )
        return PDone(inputs[0].pipeline)

    def _placing(self, row_type: Any) -> beam.ParDo:
        shards = self.windows.shards
        place = beam.Map(_place_row, row_format=self.row_format, shards=shards)
        return place.with_output_types(beam.typehints.Tuple[_Place, row_type])


def _place_row(row: Any, row_format: RowFormat, shards: int) -> tuple[_Place, Any]:
    # A message that was not understood, or an alert of rates, has no id.
    number = int(row.record_id[:_HEX_DIGITS], 16) if row.record_id else _number_of(row)
    return (row_format.folder(row), number % shards), row


def _number_of(row: Failure | Alert) -> int:
    named = row.message.answer_place if isinstance(row, Failure) else row.engine or ""
    return zlib.crc32(named.encode())


class _WritePane(beam.DoFn):
    """Writes a pane's rows, and tells which name the file is to get."""

    def __init__(self, destination: Destination, row_format: RowFormat, shards: int) -> None:
        self._destination = destination
        self._format = row_format
        self._shards = shards

    def process(
        self,
        gathered: tuple[_Place, Iterable[Any]],
        window: IntervalWindow = beam.DoFn.WindowParam,
        pane: PaneInfo = beam.DoFn.PaneInfoParam,
    ) -> Iterator[tuple[str, Part]]:
        (folder, shard), rows = gathered
        for number, part in enumerate(self._write(folder, rows)):
            path = self._destination.file_path(
                folder,
                shard + number * self._shards,
                self._format.extension,
                window=window_name(window),
                pane=pane.index,
            )
            yield path, part

    def _write(self, folder: str, rows: Iterable[Any]) -> Iterator[Part]:
        """Write rows as they come; a pane that only tells that the window is over has none."""
        part: OpenPart | None = None
        for row in rows:
            part = part or open_part(self._destination.temporary_folder, folder, self._format)
            part.write(row)
            if part.exceeds(self._destination.file_bytes):
                yield part.close()
                part = None
        if part is not None:
            yield part.close()


def _publish_part(named: tuple[str, Part], destination: Destination) -> None:
    path, part = named
    storage.publish(part.path, destination.path(path))
    name = path.replace("/", "-").replace(f"-{destination.run}-", "-")
    write_manifest_of([file_entry(part, path)], destination, name)
    counters.written(part.kind).inc(part.rows)
