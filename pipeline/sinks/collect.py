"""Collect the rows of a batch in this process: the last steps of a pipeline on one machine."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.typehints.decorators import no_annotations

from pipeline.sinks.chunks import ChunkWriter
from pipeline.sinks.row_formats import RowFormat
from pipeline.sources.read_batch import BatchHandle


class Collect(beam.PTransform):
    """Collect rows in the batch that the process holds, under the name of a field of `Outcome`.

    Each of `converts` makes such rows of all input rows; without any, these are collected.

    Input: a tuple of PCollections, bounded.
    Output: nothing.
    Failures: none of its own.
    Delivery: each row once, if the batch succeeds.
    """

    def __init__(self, batches: BatchHandle, name: str, *converts: beam.PTransform) -> None:
        super().__init__()
        self.collect = beam.ParDo(CollectRow(batches, name))
        self.converts = converts

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        """Apply the step."""
        # One by one: a Flatten of rows holds them in memory on the local runner.
        for number, (rows, convert) in enumerate(product(inputs, self.converts or (None,))):
            converted = rows | f"Convert{number}" >> convert if convert else rows
            _ = converted | f"Collect{number}" >> self.collect
        return PDone(inputs[0].pipeline)


class CollectRow(beam.DoFn):
    """Add the rows of a bundle to the batch that the process holds; the output is empty."""

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
        """Add the rows."""
        self._batches.batch.collected[self._name] += self._rows


class EncodeRows(beam.DoFn):
    """Encode the rows of a bundle as chunks, in the batch that the process holds."""

    def __init__(self, batches: BatchHandle, row_format: RowFormat) -> None:
        self._batches = batches
        self._format = row_format

    def start_bundle(self) -> None:
        """Begin without rows."""
        self._writer = ChunkWriter(self._format)
        self._chunks = self._batches.batch.collected["chunks"]

    def process(self, row: Any) -> Iterator[Any]:
        """Encode a row."""
        self._chunks += self._writer.write(row)
        return iter(())

    def finish_bundle(self) -> None:
        """Finish the chunks."""
        self._chunks += self._writer.close()
