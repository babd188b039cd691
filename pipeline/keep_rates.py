"""KeepRates: leave the counts of rates to whoever puts this process's batches together."""

import apache_beam as beam
from apache_beam.pvalue import PCollection, PDone

from pipeline.batch import batch_under_way
from transforms.measure_rates import Keyed


class KeepRates(beam.PTransform):
    """Keep the counts with the batch: rates want all batches at once.

    Input: PCollection[(engine, RateCounts)], bounded.
    Output: nothing.
    Failures: none.

    Args:
      batch: the key of this process's batches.
    """

    def __init__(self, batch: str) -> None:
        super().__init__()
        self.batch = batch

    def expand(self, rates: PCollection[Keyed]) -> PDone:
        """Apply the step."""
        _ = rates | "KeepCounts" >> beam.Map(_keep_counts, batch=self.batch)
        return PDone(rates.pipeline)


def _keep_counts(counts: Keyed, batch: str) -> None:
    batch_under_way(batch).rates.append(counts)
