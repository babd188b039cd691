"""A stream's answers on their way into bundles that are worth a check."""

from collections.abc import Iterator

import apache_beam as beam
from apache_beam.testing.util import assert_that, equal_to
from apache_beam.transforms.window import GlobalWindows, TimestampedValue
from apache_beam.utils.timestamp import Timestamp
from apache_beam.utils.windowed_value import WindowedValue

from groundwatch.schemas.checked_answer import CheckedAnswer
from groundwatch.transforms.fill_bundles import FillBundles
from tests.support.builders import an_answer
from tests.support.streams import START_S, a_stream, stream_pipeline, streaming_from


def routed(number: int) -> CheckedAnswer:
    return CheckedAnswer(answer=an_answer(f"Lamp {number} glows."))


def described(
    answer: CheckedAnswer, timestamp: Timestamp = beam.DoFn.TimestampParam
) -> tuple[str, float]:
    return answer.answer.answer_text, float(timestamp) - START_S


def test_every_answer_keeps_its_timestamp() -> None:
    published = [TimestampedValue(routed(number), START_S + number / 8) for number in range(10)]
    # A full batch, and a rest that waits no longer than it may.
    stream = a_stream().add_elements(published).advance_processing_time(2)
    with streaming_from(stream), stream_pipeline() as root:
        filled = root | stream | FillBundles(size=4) | beam.Map(described)
        expected = [(f"Lamp {number} glows.", number / 8) for number in range(10)]
        assert_that(filled, equal_to(expected))


class _BundleSizes(beam.DoFn):
    """How many answers each bundle held."""

    def start_bundle(self) -> None:
        self._size = 0

    def process(self, _: CheckedAnswer) -> None:
        self._size += 1

    def finish_bundle(self) -> Iterator[WindowedValue]:
        if self._size:
            yield GlobalWindows.windowed_value(self._size)


def test_answers_that_come_one_by_one_make_bundles_of_several() -> None:
    stream = a_stream()
    for number in range(4):
        stream = stream.add_elements([TimestampedValue(routed(number), START_S)])
    with streaming_from(stream), stream_pipeline() as root:
        sizes = root | stream | FillBundles(size=2) | beam.ParDo(_BundleSizes())
        assert_that(sizes, equal_to([2, 2]))
