"""WriteWindows: write the rows of a stream to files that appear whole, however late the rows are.

Beam's own sinks lose rows of a stream: they overwrite files, or drop late rows.
"""

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.transforms import trigger
from apache_beam.transforms.window import FixedWindows, GlobalWindows, IntervalWindow
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.windowed_value import PaneInfo

from groundwatch.pipeline.settings.config import Destination
from groundwatch.schemas import Record
from groundwatch.schemas.failure import Failure
from groundwatch.transforms.runtime import counters
from .folder_writer import Part, part_writer
from .publication import publish_part, write_manifest_of
from .row_formats import RowFormat

# The longest retention of Pub/Sub, so that no message is dropped as too late. Source:
# https://cloud.google.com/pubsub/docs/subscription-properties, "Message retention duration"
ALLOWED_LATENESS_S = 31 * 24 * 3600


class Windows(Record, frozen=True, kw_only=True):
    """How the rows of a stream become files: windows of publish time, spread over shards."""

    width_s: int
    shards: int


def into_windows(windows: Windows) -> beam.WindowInto:
    """Window rows by publish time; none is dropped, or waits for longer than a window's width."""
    every_width = trigger.AfterProcessingTime(windows.width_s)
    return beam.WindowInto(
        FixedWindows(windows.width_s),
        trigger=trigger.AfterWatermark(early=every_width, late=every_width),
        accumulation_mode=trigger.AccumulationMode.DISCARDING,
        allowed_lateness=ALLOWED_LATENESS_S,
    )


_Place = tuple[str, int]  # The folder and the shard of a row
_HEX_DIGITS = 8  # The digits of a record id that spread rows evenly over the shards


class WriteWindows(beam.PTransform):
    """Write several collections of a stream's rows of one kind to the same folders.

    Each pane of the rows of a window, folder and shard becomes a temporary file. Its name passes a
    checkpoint before the file gets its final name, so that no file replaces another.

    Input: a tuple of PCollections of the format's rows, unbounded.
    Output: nothing.
    Failures: an OSError fails the bundle, which the runner tries again.
    Delivery: exactly once in the files, if no earlier job had the run id. A retried bundle leaves
      temporary files that are never published.
    """

    def __init__(self, destination: Destination, windows: Windows, row_format: RowFormat) -> None:
        super().__init__()
        self.destination = destination
        self.windows = windows
        self.row_format = row_format

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        named = {"row_format": self.row_format, "shards": self.windows.shards}
        placed = beam.typehints.Tuple[_Place, inputs[0].element_type]
        # A Reshuffle would keep the windows, and Beam's local streaming runner drops late elements.
        out_of_windows = beam.WindowInto(
            GlobalWindows(),
            trigger=trigger.Repeatedly(trigger.AfterCount(1)),
            accumulation_mode=trigger.AccumulationMode.DISCARDING,
        )
        _ = (
            inputs
            | "JoinRows" >> beam.Flatten()
            | "PlaceRows" >> beam.Map(_place_row, **named).with_output_types(placed)
            | "IntoWindows" >> into_windows(self.windows)
            | "GroupRows" >> beam.GroupByKey()
            | "WritePane" >> beam.FlatMap(_write_pane, destination=self.destination, **named)
            | "LeaveWindows" >> out_of_windows
            | "KeepNames" >> beam.Reshuffle()
            | "PublishPart" >> beam.Map(_publish_part, destination=self.destination)
        )
        return PDone(inputs[0].pipeline)


def _place_row(row: Any, row_format: RowFormat, shards: int) -> tuple[_Place, Any]:
    # A message that was not parsed, or an alert of rates, has no id.
    if row.record_id:
        number = int(row.record_id[:_HEX_DIGITS], 16)
    else:
        name = row.message.answer_place if isinstance(row, Failure) else row.engine or ""
        number = zlib.crc32(name.encode())
    return (row_format.folder(row), number % shards), row


def _write_pane(
    grouped: tuple[_Place, Iterable[Any]],
    window: IntervalWindow = beam.DoFn.WindowParam,
    pane: PaneInfo = beam.DoFn.PaneInfoParam,
    *,
    destination: Destination,
    row_format: RowFormat,
    shards: int,
) -> Iterator[tuple[str, Part]]:
    """Write a pane's rows as they come; yield each file, if there are rows, with its final name."""
    (folder, shard), rows = grouped
    start = f"{window.start.to_utc_datetime():%Y%m%dT%H%M%SZ}"
    name = {"extension": row_format.extension, "window": start, "pane": pane.index}
    writer = part_writer(destination, row_format)
    parts = chain(chain.from_iterable(map(writer.write, rows)), writer.close())
    for number, part in enumerate(parts):
        yield destination.file_path(folder, shard + number * shards, **name), part


def _publish_part(named: tuple[str, Part], destination: Destination) -> None:
    path, part = named
    entry = publish_part(part, path, destination)
    name = path.replace("/", "-").replace(f"-{destination.run}-", "-")
    write_manifest_of([entry], destination, name)
    counters.written(part.kind).inc(part.rows)
