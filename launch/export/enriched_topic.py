"""Publish enriched records to a topic that has their Avro schema."""

from collections.abc import Sequence

from launch.export.target import Target, TargetMisconfigured, TargetUnavailable
from launch.pubsub.pubsub_errors import Refused, Unpublished
from launch.pubsub.topic import Topic
from pipeline.sinks.topic_messages import TopicMessage


class EnrichedTopic(Target[TopicMessage]):
    """Publish messages that hold a record each."""

    name = "enriched_topic"

    def __init__(self, topic: Topic) -> None:
        self._topic = topic

    def send(self, rows: Sequence[TopicMessage]) -> None:
        """Publish the messages."""
        try:
            self._topic.publish(rows)
        except Unpublished as error:
            raise TargetUnavailable(str(error)) from None
        except Refused as error:
            raise TargetMisconfigured(str(error)) from None

    def close(self) -> None:
        """Disconnect."""
        self._topic.close()
