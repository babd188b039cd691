"""Streams for tests: messages that come when the test says, on Beam's local streaming runner."""

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.io.gcp.pubsub import PubsubMessage, WriteToPubSub
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.pvalue import PCollection, PDone
from apache_beam.testing.test_stream import TestStream
from apache_beam.transforms.util import GroupIntoBatches
from apache_beam.transforms.window import TimestampedValue

from groundwatch.pipeline.sinks import publish_rows
from groundwatch.pipeline.sources import read_subscription
from groundwatch.transforms import deduplicate, fill_bundles

START_S = 1_772_539_200
"""2026-03-03 12:00:00 UTC, when every stream begins."""


def stream_pipeline() -> beam.Pipeline:
    """A streaming pipeline in this process; FnApiRunner knows no time."""
    return beam.Pipeline("BundleBasedDirectRunner", options=PipelineOptions(["--streaming"]))


def a_stream() -> TestStream:
    """A stream without elements; the runner's clock is at its start."""
    return TestStream().advance_processing_time(START_S).advance_watermark_to(START_S)


def pulled(number: int, payload: bytes, published_s: float, **attributes: str) -> TimestampedValue:
    """A message as Beam's reader hands it on, published so many seconds after the start."""
    published = datetime.fromtimestamp(START_S, UTC) + timedelta(seconds=published_s)
    message = PubsubMessage(payload, attributes, f"message-{number}", published)
    return TimestampedValue(message, START_S + published_s)


class Topics:
    """What was published, by topic; in this module, since steps travel by pickling."""

    published: defaultdict[str, list[PubsubMessage]] = defaultdict(list)


class _Publish(beam.PTransform):
    def __init__(self, topic: str, *, with_attributes: bool) -> None:
        super().__init__()
        assert with_attributes
        self.topic = topic

    def expand(self, messages: PCollection[PubsubMessage]) -> PDone:
        _ = messages | "Keep" >> beam.Map(_keep, topic=self.topic)
        return PDone(messages.pipeline)


def _keep(message: PubsubMessage, topic: str) -> None:
    # Raises where Pub/Sub's limits are passed.
    WriteToPubSub.message_to_proto_str(message)
    Topics.published[topic].append(message)


class _Gathering:
    """Beam's own, by the clock of the test as it stands when a stream begins."""

    class WithShardedKey(GroupIntoBatches.WithShardedKey):
        def __init__(self, size: int, buffered_for_s: float) -> None:
            super().__init__(size, buffered_for_s, clock=_start_s)


class _Clock:
    """The module `time` with a clock that does not move."""

    def __init__(self, now_s: float) -> None:
        self._now_s = now_s

    def time(self) -> float:
        return self._now_s


def _start_s() -> float:
    return START_S


@contextmanager
def streaming_from(stream: TestStream, now_s: float = START_S) -> Iterator[dict[str, list[Any]]]:
    """Let subscriptions hold a stream, and topics what is published, while a `with` block lasts.

    Args:
      stream: what comes.
      now_s: what the clock on the wall says.
    """
    Topics.published.clear()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(read_subscription, "ReadFromPubSub", lambda **_: stream)
        patched.setattr(publish_rows, "WriteToPubSub", _Publish)
        patched.setattr(fill_bundles, "GroupIntoBatches", _Gathering)
        patched.setattr(deduplicate, "time", _Clock(now_s))
        yield Topics.published
