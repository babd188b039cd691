"""FillBundles: batch the answers of a stream, so that many are checked at the same time."""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import PCollection
from apache_beam.transforms.util import GroupIntoBatches
from apache_beam.transforms.window import TimestampedValue
from apache_beam.utils.timestamp import Timestamp

from groundwatch.schemas.checked_answer import CheckedAnswer
from .runtime.record_coder import RecordCoder

BUFFERED_FOR_S = 1.0
"""Longest wait of an answer for others; with little traffic, most of an alert's delay."""

_ANY_KEY = b""
_CODER = RecordCoder(CheckedAnswer)


class FillBundles(beam.PTransform):
    """Batch the answers of a stream, so that the answers of a bundle are checked together.

    Bundles of a streaming runner often hold a single answer. A worker would then have only as many
    calls in flight as it has threads.

    Input: PCollection[CheckedAnswer], unbounded, in the global window.
    Output: PCollection[CheckedAnswer], the same answers at their timestamps.
    Failures: none.
    Delivery: each answer once; waiting answers are in the runner's state.

    Args:
      size: most answers in a batch.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def expand(self, routed: PCollection[CheckedAnswer]) -> PCollection[CheckedAnswer]:
        batching = GroupIntoBatches.WithShardedKey(self.size, BUFFERED_FOR_S)
        return (
            routed
            | "Pack" >> beam.Map(_pack)
            | "Gather" >> batching
            | "Unpack" >> beam.FlatMap(_unpack)
        )


def _pack(
    routed: CheckedAnswer, timestamp: Timestamp = beam.DoFn.TimestampParam
) -> tuple[bytes, tuple[int, bytes]]:
    # GroupIntoBatches would pickle the records.
    return _ANY_KEY, (timestamp.micros, _CODER.encode(routed))


def _unpack(batch: tuple[object, Iterable[tuple[int, bytes]]]) -> Iterator[CheckedAnswer]:
    for micros, encoded in batch[1]:
        yield TimestampedValue(_CODER.decode(encoded), Timestamp(micros=micros))
