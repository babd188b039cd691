"""FillBundles: give the check bundles that are worth a pipelined call."""

from collections.abc import Iterable, Iterator

import apache_beam as beam
from apache_beam.pvalue import PCollection
from apache_beam.transforms.util import GroupIntoBatches
from apache_beam.transforms.window import TimestampedValue
from apache_beam.utils.timestamp import Timestamp

from schemas.checked_answer import RoutedAnswer
from transforms.record_coder import RecordCoder

BUFFERED_FOR_S = 1.0
"""What an answer may wait for others; the whole of an alert's delay where few come."""

_ANY_KEY = b""
_CODER = RecordCoder(RoutedAnswer)


class FillBundles(beam.PTransform):
    """Gather a stream's answers, so that those of a bundle are asked about together.

    A streaming runner makes a bundle of what one key has at the moment, often a single answer;
    then a worker would have no more calls under way than threads.

    Input: PCollection[RoutedAnswer], unbounded, in the global window.
    Output: PCollection[RoutedAnswer], the same, each at the time at which it was published.
    Failures: none.
    Delivery: each answer once; the runner keeps those that wait for others.

    Args:
      size: how many answers at most are gathered.
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size

    def expand(self, routed: PCollection[RoutedAnswer]) -> PCollection[RoutedAnswer]:
        """Apply the step."""
        batching = GroupIntoBatches.WithShardedKey(self.size, BUFFERED_FOR_S)
        return (
            routed
            | "Pack" >> beam.Map(_pack)
            | "Gather" >> batching
            | "Unpack" >> beam.FlatMap(_unpack)
        )


def _pack(
    routed: RoutedAnswer, timestamp: Timestamp = beam.DoFn.TimestampParam
) -> tuple[bytes, tuple[int, bytes]]:
    # As bytes, since Beam's own step would keep the records pickled.
    return _ANY_KEY, (timestamp.micros, _CODER.encode(routed))


def _unpack(batch: tuple[object, Iterable[tuple[int, bytes]]]) -> Iterator[RoutedAnswer]:
    for micros, encoded in batch[1]:
        yield TimestampedValue(_CODER.decode(encoded), Timestamp(micros=micros))
