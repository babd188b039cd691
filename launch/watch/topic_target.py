"""Publish alerts, failures or enriched records to a topic."""

from collections.abc import Callable, Sequence

from groundwatch.launch.engine.pubsub.pubsub_errors import Refused, Unpublished
from groundwatch.launch.engine.pubsub.topic import Topic
from groundwatch.launch.results.export.target import (
    ExportedRow,
    Target,
    TargetMisconfigured,
    TargetUnavailable,
)
from groundwatch.pipeline.sinks.topic_messages import TopicMessage


class TopicTarget(Target[ExportedRow]):
    """Publish each row as a message, those with the same ordering key in order."""

    def __init__(
        self, name: str, topic: Topic, encode: Callable[[ExportedRow], TopicMessage]
    ) -> None:
        self.name = name
        self._topic = topic
        self._encode: Callable[[ExportedRow], TopicMessage] = encode

    def group_of(self, row: ExportedRow) -> str:
        """Return the ordering key: a request holds messages of one."""
        return self._encode(row).ordering_key

    def send(self, rows: Sequence[ExportedRow]) -> None:
        try:
            self._topic.publish(map(self._encode, rows))
        except (Refused, Unpublished) as error:
            is_refused = isinstance(error, Refused)
            raised = (TargetMisconfigured if is_refused else TargetUnavailable)(str(error))
            raised.stored = error.stored
            raise raised from None

    def close(self) -> None:
        self._topic.close()
