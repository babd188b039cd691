"""The settings of `watch`: the durable worker on one machine, and the streaming job on Dataflow."""

from typing import Annotated

from pipeline.settings import kinds
from pipeline.settings.definition import Note, Settings
from schemas.quantities import MEGABYTE, SECOND_US
from transforms.grounding.settings import RetrySettings
from transforms.persistence.seen_ids import SEEN_FOR_S
from transforms.rules.no_data import NoDataRule

_NO_DATA = NoDataRule()
_HOUR_S = 3600


class SubscriptionSettings(Settings, frozen=True, kw_only=True):
    """What is read from Pub/Sub, and what is published to it.

    subscription: Subscription to read.
    alert_topic: Topic for alerts. Default: files of the output.
    failure_topic: Topic for failures. Default: files of the output.
    file_age_s: Publish an output file after this time.
    """

    subscription: kinds.SubscriptionName
    alert_topic: kinds.TopicName | None = None
    failure_topic: kinds.TopicName | None = None
    file_age_s: kinds.Seconds = 300.0


class ConnectionSettings(Settings, frozen=True, kw_only=True):
    """Which Pub/Sub server is called.

    pubsub_address: HOST:PORT of a Pub/Sub server without encryption, such as an emulator. Default:
      PUBSUB_EMULATOR_HOST, else Google's.
    """

    pubsub_address: kinds.Text | None = None


class WorkerSettings(Settings, frozen=True, kw_only=True):
    """How the worker batches, deduplicates, drains and reports its health.

    batch_messages: Messages of one batch, at most.
    max_outstanding_messages: Stop pulling at this number of outstanding messages, the retry queue
      included.
    max_outstanding_mb: Stop pulling at this size of the outstanding messages.
    dedupe_h: How long a record id is kept to drop duplicates.
    drain_s: Time to drain after SIGTERM or SIGINT.
    max_answer_attempts: Attempts to check an answer while the checker replies to others. While it
      replies to none, all answers wait.
    alert_ordering: Publish the alerts of one engine with an ordering key.
    no_data_after_s: Alert after this time without an answer from an engine that had steady traffic,
      or from the whole subscription.
    no_data_min_answers: Answers an hour from which traffic is steady.
    canary: File of known answers that are checked regularly, to detect changes of the checker.
    canary_every_s: Time between two checks of the known answers.
    health_address: Serve /healthz and /metrics here; a port alone is on 127.0.0.1. Default: not
      served.
    """

    batch_messages: kinds.Count = 1_000
    max_outstanding_messages: Annotated[kinds.Count, Note(former="held_messages")] = 4_000
    max_outstanding_mb: Annotated[kinds.Megabytes, Note(former="held_mb")] = 64
    dedupe_h: kinds.Hours = 24.0
    drain_s: kinds.Seconds = 25.0
    max_answer_attempts: kinds.Count = RetrySettings().max_answer_attempts
    alert_ordering: kinds.Switch = False
    no_data_after_s: kinds.Seconds = _NO_DATA.after_us / SECOND_US
    no_data_min_answers: kinds.Count = _NO_DATA.min_answers
    canary: kinds.LocalFile | None = None
    canary_every_s: kinds.Seconds = 3600.0
    health_address: kinds.ListeningAddress | None = None

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
    """How a streaming job on Dataflow deduplicates and writes.

    dedupe_h: How long a record id is kept to drop duplicates.
    id_label: Attribute that identifies a message. Dataflow drops messages with the same value
      within ten minutes; they are not counted.
    shards: Files for the records of one window and date; one takes 250 records a second.
    """

    dedupe_h: kinds.Hours = SEEN_FOR_S / _HOUR_S
    id_label: kinds.Text | None = None
    shards: kinds.Count = 4

    @property
    def dedupe_s(self) -> int:
        """How long a record id is kept, in seconds."""
        return round(self.dedupe_h * _HOUR_S)
