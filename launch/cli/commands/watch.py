"""Check answers from Pub/Sub continuously, and alert.

`--demo` shows it on sample answers. `--runner DataflowRunner` starts a streaming job instead:
`groundwatch watch --runner DataflowRunner --help` lists its flags.
"""

from typing import Annotated

from groundwatch.launch.cli.result_settings import ResultSettings, WebhookSettings
from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import JobSettings
from groundwatch.schemas.quantities import SECOND_US
from groundwatch.transforms.grounding.settings import RetrySettings
from groundwatch.transforms.persistence.seen_ids import SEEN_FOR_S
from groundwatch.transforms.rules.checker_outages import OutageRule
from groundwatch.transforms.rules.no_data import NoDataRule
from . import Command

_NO_DATA = NoDataRule()
_OUTAGES = OutageRule()
_NOT_OF_A_WORKER = Note(
    without=(
        "workers forget_replies again fail_above max_calls max_cost max_attempts retry_timeout_s"
    )
)
_NOT_OF_A_STREAM = Note(
    without="work_folder forget_replies again fail_above max_calls max_cost price_per_1k_chars"
)


class SubscriptionSettings(Settings, frozen=True, kw_only=True):
    """What is read from Pub/Sub, and what is published to it.

    subscription: Subscription to read.
    alert_topic: Topic for alerts. Default: files of the output.
    failure_topic: Topic for failures. Default: files of the output.
    enriched_topic: Topic with the Avro schema of enriched records, to which each is also published,
      such as for a BigQuery subscription (launch/deploy/bigquery).
    file_age_s: Publish an output file after this time.
    """

    subscription: kinds.SubscriptionName
    alert_topic: kinds.TopicName | None = None
    failure_topic: kinds.TopicName | None = None
    enriched_topic: kinds.TopicName | None = None
    file_age_s: kinds.Seconds = 300.0


class ConnectionSettings(Settings, frozen=True, kw_only=True):
    """Which Pub/Sub server is called.

    pubsub_address: Address of a Pub/Sub server without encryption, such as an emulator. Default:
      PUBSUB_EMULATOR_HOST, else Google's.
    """

    pubsub_address: kinds.ServerAddress | None = None


class WorkerSettings(Settings, frozen=True, kw_only=True):
    """How the worker batches, deduplicates, drains and reports its health.

    dedupe_h: How long a record id is kept to drop duplicates.
    drain_s: Time to drain after SIGTERM or SIGINT.
    max_answer_attempts: Attempts to check an answer while the checker replies to others. While it
      replies to none, all answers wait.
    alert_ordering: Publish the alerts of one engine with an ordering key.
    no_data_after_s: Alert after this time without an answer from an engine that had steady traffic,
      or from the whole subscription.
    checker_alert_s: Alert when a checker has been away for this time, or has refused the
      credentials or the quota.
    health_address: Serve /healthz, /livez and /metrics here; a port alone is on 127.0.0.1. Default:
      not served.
    """

    dedupe_h: kinds.Hours = 24.0
    drain_s: kinds.Seconds = 25.0
    max_answer_attempts: kinds.Count = RetrySettings().max_answer_attempts
    alert_ordering: kinds.Switch = False
    no_data_after_s: kinds.Seconds = _NO_DATA.after_us / SECOND_US
    checker_alert_s: kinds.Seconds = _OUTAGES.after_us / SECOND_US
    health_address: kinds.ListeningAddress | None = None

    @property
    def no_data(self) -> NoDataRule:
        """The rule that detects engines without traffic."""
        return NoDataRule(after_us=round(self.no_data_after_s * SECOND_US))

    @property
    def outages(self) -> OutageRule:
        """The rule that detects checkers that cannot be used."""
        return OutageRule(after_us=round(self.checker_alert_s * SECOND_US))

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
    """

    dedupe_h: kinds.Hours = SEEN_FOR_S / 3600
    id_label: kinds.Text | None = None


class WatchSettings(Settings, frozen=True, kw_only=True):
    """The settings of `watch` on this machine."""

    pubsub: SubscriptionSettings
    server: ConnectionSettings
    worker: WorkerSettings
    results: ResultSettings
    webhooks: WebhookSettings
    job: Annotated[JobSettings, _NOT_OF_A_WORKER]


class WatchStreamSettings(Settings, frozen=True, kw_only=True):
    """The settings of `watch` on Dataflow."""

    pubsub: SubscriptionSettings
    stream: StreamingJobSettings
    job: Annotated[JobSettings, _NOT_OF_A_STREAM]


class WatchDemoSettings(Settings, frozen=True, kw_only=True):
    """The settings of `watch --demo`.

    demo: Watch the sample answers, twenty a second; needs no cloud.
    watch_demo_output: Output folder.
    """

    demo: Annotated[kinds.Switch, Note(is_argument=True)] = False
    watch_demo_output: Annotated[kinds.OutputFolder, Note(flag="output")] = "out/watch-demo"


_DEMO = Command(
    help="Watch the sample answers, without a cloud.",
    settings=WatchDemoSettings,
    examples=("--demo", "--demo --output out/watched"),
    run="groundwatch.launch.watch.start_watch:watch_demo",
)
_STREAM = Command(
    help="Check answers from Pub/Sub continuously, and alert, as a streaming job on Dataflow.",
    settings=WatchStreamSettings,
    examples=(
        "--runner DataflowRunner --subscription projects/P/subscriptions/S --output gs://B/live",
        "--runner DataflowRunner --help-all",
    ),
    run="groundwatch.launch.deploy.dataflow.start_stream:watch_stream",
)
COMMAND = Command(
    settings=WatchSettings,
    examples=(
        "--demo",
        "--subscription projects/P/subscriptions/S --output out/live --health_address 8080",
    ),
    run="groundwatch.launch.watch.start_watch:watch_subscription",
    variants=(("--runner", _STREAM), ("--demo", _DEMO)),
)
