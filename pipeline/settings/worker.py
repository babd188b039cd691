"""The settings of `watch`: the durable worker on one machine, and the streaming job on Dataflow."""

from typing import Annotated

from pipeline.settings.definition import Note, Settings
from pipeline.settings.kinds import (
    Count,
    Hours,
    ListeningAddress,
    LocalFile,
    Megabytes,
    Seconds,
    SubscriptionName,
    Switch,
    Text,
    TopicName,
)
from schemas.quantities import MEGABYTE, SECOND_US
from transforms.grounding.settings import RetrySettings
from transforms.persistence.seen_ids import SEEN_FOR_S
from transforms.rules.no_data import NoDataRule

_NO_DATA = NoDataRule()
_HOUR_S = 3600


class SubscriptionSettings(Settings, frozen=True, kw_only=True):
    """What is read from Pub/Sub, and what is published to it."""

    subscription: Annotated[SubscriptionName, "Subscription to read."]
    alert_topic: Annotated[
        TopicName | None, "Topic for alerts.", Note(default="files of the output")
    ] = None
    failure_topic: Annotated[
        TopicName | None, "Topic for failures.", Note(default="files of the output")
    ] = None
    file_age_s: Annotated[Seconds, "Publish an output file after this time."] = 300.0


class ConnectionSettings(Settings, frozen=True, kw_only=True):
    """Which Pub/Sub server is called."""

    pubsub_address: Annotated[
        Text | None,
        "HOST:PORT of a Pub/Sub server without encryption, such as an emulator.",
        Note(default="PUBSUB_EMULATOR_HOST, else Google's"),
    ] = None


class WorkerSettings(Settings, frozen=True, kw_only=True):
    """How the worker batches, deduplicates, drains and reports its health."""

    batch_messages: Annotated[Count, "Messages of one batch, at most."] = 1_000
    max_outstanding_messages: Annotated[
        Count,
        "Stop pulling at this number of outstanding messages, the retry queue included.",
        Note(former="held_messages"),
    ] = 4_000
    max_outstanding_mb: Annotated[
        Megabytes,
        "Stop pulling at this size of the outstanding messages.",
        Note(former="held_mb"),
    ] = 64
    dedupe_h: Annotated[Hours, "How long a record id is kept to drop duplicates."] = 24.0
    drain_s: Annotated[Seconds, "Time to drain after SIGTERM or SIGINT."] = 25.0
    max_answer_attempts: Annotated[
        Count,
        "Attempts to check an answer while the checker replies to others. While it replies to none,"
        " all answers wait.",
    ] = RetrySettings().max_answer_attempts
    alert_ordering: Annotated[Switch, "Publish the alerts of one engine with an ordering key."] = (
        False
    )
    no_data_after_s: Annotated[
        Seconds,
        "Alert after this time without an answer from an engine that had steady traffic, or from"
        " the whole subscription.",
    ] = _NO_DATA.after_us / SECOND_US
    no_data_min_answers: Annotated[Count, "Answers an hour from which traffic is steady."] = (
        _NO_DATA.min_answers
    )
    canary: Annotated[
        LocalFile | None,
        "File of known answers that are checked regularly, to detect changes of the checker.",
    ] = None
    canary_every_s: Annotated[Seconds, "Time between two checks of the known answers."] = 3600.0
    health_address: Annotated[
        ListeningAddress | None,
        "Serve /healthz and /metrics here; a port alone is on 127.0.0.1.",
        Note(default="not served"),
    ] = None

    @property
    def max_outstanding_bytes(self) -> int:
        """The size of the outstanding messages, in bytes."""
        return self.max_outstanding_mb * MEGABYTE

    @property
    def no_data(self) -> NoDataRule:
        """The rule that detects engines without traffic."""
        return NoDataRule(
            after_us=round(self.no_data_after_s * SECOND_US), min_answers=self.no_data_min_answers
        )

    @property
    def retries(self) -> RetrySettings:
        """One attempt a call: the retry queue repeats it, and nothing stops the worker."""
        never_s = 1e9
        return RetrySettings(
            max_attempts=1,
            total_s=never_s,
            give_up_after_s=never_s,
            max_answer_attempts=self.max_answer_attempts,
        )


class StreamingJobSettings(Settings, frozen=True, kw_only=True):
    """How a streaming job on Dataflow deduplicates and writes."""

    dedupe_h: Annotated[Hours, "How long a record id is kept to drop duplicates."] = (
        SEEN_FOR_S / _HOUR_S
    )
    id_label: Annotated[
        Text | None,
        "Attribute that identifies a message. Dataflow drops messages with the same value within"
        " ten minutes; they are not counted.",
    ] = None
    shards: Annotated[
        Count, "Files for the records of one window and date; one takes 250 records a second."
    ] = 4

    @property
    def dedupe_s(self) -> int:
        """How long a record id is kept, in seconds."""
        return round(self.dedupe_h * _HOUR_S)
