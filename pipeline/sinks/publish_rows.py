"""PublishRows: publish alerts and failures to a topic."""

from collections.abc import Callable
from typing import Any

import apache_beam as beam
from apache_beam.io import WriteToPubSub
from apache_beam.io.gcp.pubsub import PubsubMessage
from apache_beam.pvalue import PCollection, PDone
from apache_beam.typehints.decorators import no_annotations

from groundwatch.transforms.runtime import counters
from .topic_messages import TopicMessage


class PublishRows(beam.PTransform):
    """Publish rows, several collections of one kind to one topic.

    Input: a tuple of PCollections of rows, bounded or not.
    Output: nothing.
    Failures: none of single messages, which are shortened to the limits before. A topic that
      refuses them fails the bundle, which the runner retries.
    Delivery: at least once; a retried bundle publishes again.
    """

    def __init__(self, topic: str, kind: str, encode: Callable[[Any], TopicMessage]) -> None:
        super().__init__()
        self.topic = topic
        self.to_message = beam.Map(_to_message, kind=kind, encode=encode)

    @no_annotations  # Beam does not know a tuple of collections as input
    def expand(self, inputs: tuple[PCollection[Any], ...]) -> PDone:
        return (
            inputs
            | "JoinRows" >> beam.Flatten()
            | "ToMessage" >> self.to_message
            | "Publish" >> WriteToPubSub(self.topic, with_attributes=True)
        )


def _to_message(row: Any, kind: str, encode: Callable[[Any], TopicMessage]) -> PubsubMessage:
    message = encode(row)
    counters.written(kind).inc()
    return PubsubMessage(message.data, message.attributes)
