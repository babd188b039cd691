"""ReadSubscription: read the messages of a Pub/Sub subscription."""

import uuid
from collections.abc import Iterator

import apache_beam as beam
from apache_beam.io import ReadFromPubSub
from apache_beam.io.gcp.pubsub import PubsubMessage
from apache_beam.pvalue import DoOutputsTuple, PBegin
from apache_beam.typehints.decorators import no_annotations
from apache_beam.utils.timestamp import Timestamp

from groundwatch.pipeline.settings.config import Config
from groundwatch.schemas.message import Message
from groundwatch.schemas.quantities import to_us
from groundwatch.transforms.deduplicate import KeepFirst, in_state
from groundwatch.transforms.fill_bundles import FillBundles
from groundwatch.transforms.runtime import counters
from groundwatch.transforms.runtime.failures import FAILURES, MESSAGES, TaggedFailure


class ReadSubscription(beam.PTransform):
    """Read a subscription's messages, each at the time at which it was published.

    ParseAnswers reads an event time in an attribute: a message with a bad one, on which Beam's
    reader raises, would be redelivered without end.

    Input: the pipeline's root.
    Output: two PCollections, unbounded: `messages` holds the Message of each, `failures` nothing.
    Failures: none; a message without an answer fails in ParseAnswers.
    Delivery: Dataflow acknowledges what its first stage has committed, and drops redelivered
      messages. It drops messages with the same attribute `id_label` within ten minutes.
    """

    def __init__(self, subscription: str, id_label: str | None = None) -> None:
        super().__init__()
        self.subscription = subscription
        self.id_label = id_label

    most_answers = None

    def grouping(self, config: Config) -> tuple[KeepFirst, FillBundles]:
        """Remember record ids in the job's state, and fill bundles, which often hold one answer."""
        return in_state(config.seen_for_s), FillBundles(config.check.max_in_flight)

    @no_annotations  # Beam knows several outputs by their tags only
    def expand(self, root: PBegin) -> DoOutputsTuple:
        pull = ReadFromPubSub(
            subscription=self.subscription, id_label=self.id_label, with_attributes=True
        )
        to_message = beam.FlatMap(_to_message).with_outputs(FAILURES, main=MESSAGES)
        return root | "Pull" >> pull | "ToMessage" >> to_message


def _to_message(
    pulled: PubsubMessage, timestamp: Timestamp = beam.DoFn.TimestampParam
) -> Iterator[Message | TaggedFailure]:
    counters.MESSAGES_READ.inc()
    yield Message(
        payload=pulled.data,
        attributes=dict(pulled.attributes or {}),
        # A runner without message ids must not give all messages the same place.
        place=pulled.message_id or uuid.uuid4().hex,
        publish_time_us=to_us(pulled.publish_time) if pulled.publish_time else timestamp.micros,
    )
