"""Check answers from Pub/Sub or by HTTP continuously, and alert.

`--demo` shows it on sample answers. `--runner DataflowRunner` starts a streaming job instead:
`groundwatch watch --runner DataflowRunner --help` lists its flags.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import JobSettings
from groundwatch.schemas.quantities import SECOND_US
from groundwatch.transforms.grounding.settings import RetrySettings
from groundwatch.transforms.persistence.seen_ids import SEEN_FOR_S
from groundwatch.transforms.rules.checker_outages import OutageRule
from groundwatch.transforms.rules.no_data import NoDataRule
from groundwatch.transforms.runtime.network_environment import is_loopback
from . import Command

_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]{0,99}"
RESULT_TARGETS = ("langfuse", "mlflow", "opentelemetry", "phoenix")
"""The tools that results are sent to."""

WEBHOOKS = ("google_chat", "json", "pagerduty", "slack")
"""The channels that alerts are sent to."""

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


def _parse_webhook(text: str) -> tuple[str, str]:
    kind, _, variable = text.partition(":")
    if kind not in WEBHOOKS or not re.fullmatch(_VARIABLE, variable):
        raise ValueError(
            "must be KIND:VARIABLE, such as slack:SLACK_WEBHOOK: the kind is one of"
            f" {', '.join(WEBHOOKS)}, and the secret is in that environment variable, or in the"
            " file that VARIABLE_FILE names"
        )
    return kind, variable


def _parse_variable(text: str) -> str:
    if not re.fullmatch(_VARIABLE, text):
        raise ValueError("must be the name of an environment variable, and not the key itself")
    return text


def _parse_target(text: str) -> tuple[str, str | None]:
    name, _, url = text.partition("=")
    if name not in RESULT_TARGETS:
        raise ValueError(f"must be one of {', '.join(RESULT_TARGETS)}, or TOOL=URL")
    if url:
        kinds.URL.parse(url)
    return name, url or None


ResultTarget = Annotated[
    tuple[str, str | None],
    kinds.ValueKind(_parse_target, "TOOL[=URL]", range=f"one of {', '.join(RESULT_TARGETS)}"),
]
Variable = Annotated[str, kinds.ValueKind(_parse_variable, "VARIABLE", is_secret=True)]
Webhook = Annotated[
    tuple[str, str], kinds.ValueKind(_parse_webhook, "KIND:VARIABLE", is_secret=True)
]


def _repeated(flag: str, names: Iterable[str]) -> Iterator[str]:
    for name, number in Counter(names).items():
        if number > 1:
            yield f"--{flag} names {name} twice: pass it once"


class SubscriptionSettings(Settings, frozen=True, kw_only=True):
    """Where answers come from.

    subscription: Subscription to read.
    """

    subscription: kinds.SubscriptionName


class SourceSettings(Settings, frozen=True, kw_only=True):
    """Where answers come from.

    subscription: Subscription to read, instead of or beside --listen.
    listen: Receive answers by HTTP here: messages, pushes of Pub/Sub, exports of OpenTelemetry; a
      port alone is on 127.0.0.1. Default: not received.
    listen_key: Environment variable with the key of senders; VARIABLE_FILE may name a file with it.
      Without one only this machine may send.
    push_audience: Audience of a push subscription's tokens, which are verified.
    push_account: Service account that these tokens must be of. Default: any.
    """

    subscription: kinds.SubscriptionName | None = None
    listen: kinds.ListeningAddress | None = None
    listen_key: Annotated[Variable | None, Note(needs="listen")] = None
    push_audience: Annotated[kinds.Text | None, Note(needs="listen")] = None
    push_account: Annotated[kinds.Text | None, Note(needs="push_audience")] = None

    @property
    def name(self) -> str:
        """The subscription, or else where answers are received."""
        host, port = self.listen or ("", 0)
        return self.subscription or f"http://{host}:{port}"

    def problems(self) -> Iterator[str]:
        if not self.subscription and not self.listen:
            yield "--subscription is missing, or --listen, which receives answers by HTTP"
        if self.listen and not (self.listen_key or self.push_audience):
            host, port = self.listen
            if not is_loopback(host):
                yield (
                    f"--listen {host}:{port}: anybody could send answers: name the variable of a"
                    f" key by --listen_key, or listen on 127.0.0.1:{port}"
                )


class TopicsSettings(Settings, frozen=True, kw_only=True):
    """What is published to Pub/Sub, and when files are.

    alert_topic: Topic for alerts. Default: files of the output.
    failure_topic: Topic for failures. Default: files of the output.
    enriched_topic: Topic with the Avro schema of enriched records, to which each is also published.
    file_age_s: Publish an output file after this time.
    """

    alert_topic: kinds.TopicName | None = None
    failure_topic: kinds.TopicName | None = None
    enriched_topic: kinds.TopicName | None = None
    file_age_s: kinds.Seconds = 300.0


class ConnectionSettings(Settings, frozen=True, kw_only=True):
    """Which Pub/Sub server is called.

    pubsub_address: Address of a Pub/Sub server without encryption. Default: PUBSUB_EMULATOR_HOST,
      else Google's.
    """

    pubsub_address: kinds.ServerAddress | None = None


class WorkerSettings(Settings, frozen=True, kw_only=True):
    """How the worker checks, deduplicates, drains and reports its health.

    workers: Processes that check by words, beside the worker's own. Default: the number of
      processors, fewer with little memory, none on a single one. A model runs on threads instead.
    dedupe_h: How long a record id is kept to drop duplicates.
    drain_s: Time to drain after SIGTERM.
    max_answer_attempts: Attempts to check an answer while the checker replies to others.
    alert_ordering: Publish the alerts of one engine with an ordering key.
    no_data_after_s: Alert after this time without an answer from an engine that had steady traffic,
      or from the whole subscription.
    checker_alert_s: Alert when a checker has been away, or has refused the credentials or the
      quota, for this time.
    health_address: Serve /healthz, /livez and /metrics here; a port alone is on 127.0.0.1. Default:
      not served.
    """

    workers: Annotated[kinds.Count | None, Note(needs="scorer=none escalate")] = None
    dedupe_h: kinds.Hours = 24.0
    drain_s: kinds.Seconds = 25.0
    max_answer_attempts: kinds.Count = RetrySettings().max_answer_attempts
    alert_ordering: Annotated[kinds.Switch, Note(needs="alert_topic")] = False
    no_data_after_s: kinds.Seconds = _NO_DATA.after_us / SECOND_US
    checker_alert_s: kinds.Seconds = _OUTAGES.after_us / SECOND_US
    health_address: kinds.ListeningAddress | None = None

    @property
    def no_data(self) -> NoDataRule:
        return NoDataRule(after_us=round(self.no_data_after_s * SECOND_US))

    @property
    def outages(self) -> OutageRule:
        return OutageRule(after_us=round(self.checker_alert_s * SECOND_US))

    @property
    def retries(self) -> RetrySettings:
        """The attempts for an answer; OutagePolicy.HOLD, the worker's, reads no other limit."""
        return RetrySettings(max_answer_attempts=self.max_answer_attempts)


class ResultSettings(Settings, frozen=True, kw_only=True):
    """Which other tools receive the result of each answer; docs/results.md describes them.

    results_to: Tool that receives the verdict and the scores of each answer, and its address: by
      default that of the tool's environment variables, which also have the keys.
    """

    results_to: tuple[ResultTarget, ...] = ()

    def problems(self) -> Iterator[str]:
        return _repeated("results_to", (name for name, _ in self.results_to))


class WebhookSettings(Settings, frozen=True, kw_only=True):
    """Which people's channels receive alerts; docs/monitoring.md describes them.

    alert_webhook: Channel that also receives the alerts: slack, google_chat, pagerduty or json, and
      the environment variable with its secret, such as slack:SLACK_WEBHOOK; VARIABLE_FILE may name
      a file with it.
    test_alert: Open and close a test incident in each channel, then end.
    """

    alert_webhook: tuple[Webhook, ...] = ()
    test_alert: Annotated[kinds.Switch, Note(is_argument=True)] = False

    def problems(self) -> Iterator[str]:
        yield from _repeated("alert_webhook", map(":".join, self.alert_webhook))
        if self.test_alert and not self.alert_webhook:
            yield "--test_alert: no channel to test: name it by --alert_webhook"


class StreamingJobSettings(Settings, frozen=True, kw_only=True):
    """How a streaming job on Dataflow deduplicates and writes.

    dedupe_h: How long a record id is kept to drop duplicates.
    id_label: Attribute that identifies a message. Dataflow drops messages with the same value
      within ten minutes, uncounted.
    """

    dedupe_h: kinds.Hours = SEEN_FOR_S / 3600
    id_label: kinds.Text | None = None


class WatchSettings(Settings, frozen=True, kw_only=True):
    """The settings of `watch` on this machine."""

    source: SourceSettings
    pubsub: TopicsSettings
    server: ConnectionSettings
    worker: WorkerSettings
    results: ResultSettings
    webhooks: WebhookSettings
    job: Annotated[JobSettings, _NOT_OF_A_WORKER]


class WatchStreamSettings(Settings, frozen=True, kw_only=True):
    """The settings of `watch` on Dataflow."""

    source: SubscriptionSettings
    pubsub: TopicsSettings
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
        "--listen 8090 --output out/live",
    ),
    run="groundwatch.launch.watch.start_watch:watch_subscription",
    variants=(("--runner", _STREAM), ("--demo", _DEMO)),
)
