"""Collect the rows of a batch in this process: the last steps of a pipeline on one machine."""

from collections.abc import Callable, Iterator
from typing import Any

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone
from apache_beam.typehints.decorators import no_annotations

from groundwatch.pipeline.sources.read_batch import BatchHandle
from .folder_writer import chunk_writer
from .row_formats import RowFormat


class Collect(beam.PTransform):
    """Collect rows in the batch that the process holds, under the name of a field of `Outcome`.

    Input: a tuple of PCollections, bounded.
    Output: nothing.
    Failures: none of its own.
    Delivery: each row once, if the batch succeeds.

    Args:
      rows: collects them.
    """

    def __init__(self, rows: "CollectRows") -> None:
        super().__init__()
        self.collect = beam.ParDo(rows)

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        # One by one: a Flatten of rows holds them in memory on the local runner.
        for number, rows in enumerate(inputs):
            _ = rows | f"Collect{number}" >> self.collect
        return PDone(inputs[0].pipeline)


class CollectRows(beam.DoFn):
    """Add the rows of a bundle to the batch that the process holds.

    Args:
      batches: holds the batch.
      name: of the field.
      convert: converts each row; None to collect it as it is.
      row_format: encodes the rows as chunks, which are collected instead.
    """

    def __init__(
        self,
        batches: BatchHandle,
        name: str,
        convert: Callable[[Any], Any] | None = None,
        row_format: RowFormat | None = None,
    ) -> None:
        self._batches, self._name = batches, name
        self._convert, self._format = convert, row_format

    def start_bundle(self) -> None:
        self._collected = self._batches.batch.collected[self._name]
        self._writer = chunk_writer(self._format) if self._format else None

    def process(self, row: Any) -> Iterator[Any]:
        """Collect a row; the output is empty."""
        if self._writer:
            self._collected += self._writer.write(row)
        else:
            self._collected.append(self._convert(row) if self._convert else row)
        return iter(())

    def finish_bundle(self) -> None:
        if self._writer:
            self._collected += self._writer.close()
