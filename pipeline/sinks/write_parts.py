"""WriteParts: write rows to part files of a batch."""

from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.typehints.decorators import no_annotations

from pipeline.sinks.batch_results import KeepRows
from pipeline.sinks.row_formats import RowFormat
from pipeline.sinks.write_files import WritePart, write_parts
from pipeline.sources.read_batch import BatchHandle


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
    """

    def __init__(self, batches: BatchHandle, row_format: RowFormat, file_bytes: int) -> None:
        super().__init__()
        self.batches = batches
        self.write = WritePart(row_format, batches.folder, file_bytes)

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        """Apply the step."""
        return write_parts(inputs, self.write) | "ListParts" >> KeepRows(self.batches, "parts")
