"""KeepRows: write the results of a batch to small files in its folder."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import apache_beam as beam
import msgspec
from apache_beam.pvalue import PCollection, PDone
from apache_beam.typehints.decorators import no_annotations

from pipeline.sources.read_batch import BatchHandle
from transforms.persistence.private_files import create_file


class KeepRows(beam.PTransform):
    """Write rows, which must be few, to a file of the batch's results, named as its field.

    Each of `converts` makes such rows of all input rows; without any, these are kept themselves.

    Input: a tuple of PCollections, bounded.
    Output: nothing.
    Failures: an OSError fails the bundle.
    Delivery: each row once, if the batch succeeds.
    """

    def __init__(self, batches: BatchHandle, name: str, *converts: beam.PTransform) -> None:
        super().__init__()
        self.keep = KeepRow(batches, name)
        self.converts = converts

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        """Apply the step."""
        # One by one: a Flatten of rows holds them in memory on the local runner.
        for number, (rows, convert) in enumerate(product(inputs, self.converts or (None,))):
            kept = rows | f"Convert{number}" >> convert if convert else rows
            _ = kept | f"KeepRows{number}" >> beam.ParDo(self.keep)
        return PDone(inputs[0].pipeline)


class KeepRow(beam.DoFn):
    """Append the rows of a bundle to a file of the batch's results; the output is empty."""

    def __init__(self, batches: BatchHandle, name: str) -> None:
        self._batches = batches
        self._name = name

    def start_bundle(self) -> None:
        """Begin without rows."""
        self._rows: list[Any] = []

    def process(self, row: Any) -> Iterator[Any]:
        """Take a row."""
        self._rows.append(row)
        return iter(())

    def finish_bundle(self) -> None:
        """Write the rows."""
        if self._rows:
            path = Path(self._batches.batch.folder, f"{self._name}.rows")
            with create_file(path, "ab") as stream:
                stream.write(msgspec.json.Encoder().encode_lines(self._rows))
