"""KeepInBatch: leave rows to whoever runs this process's batches."""

from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.typehints.decorators import no_annotations

from pipeline.sources.read_batch import Kept, batch_under_way


class KeepInBatch(beam.PTransform):
    """Keep rows with the batch they belong to, in memory.

    Input: a tuple of PCollections of one kind of rows, bounded and few.
    Output: nothing.
    Failures: none.
    Delivery: each row once; a batch that is run again begins with empty lists.

    Args:
      batch: the key of this process's batches.
      kept: which of the batch's lists takes them.
    """

    def __init__(self, batch: str, kept: Kept) -> None:
        super().__init__()
        self.batch = batch
        self.kept = kept

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        """Apply the step."""
        for number, rows in enumerate(inputs):
            _ = rows | f"KeepRows{number}" >> beam.Map(_keep, batch=self.batch, kept=self.kept)
        return PDone(inputs[0].pipeline)


def _keep(row: Any, batch: str, kept: Kept) -> None:
    getattr(batch_under_way(batch), kept).append(row)
