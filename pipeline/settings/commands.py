"""The settings of each command: its own, and the groups that it takes."""

from collections.abc import Iterator
from typing import Annotated

from groundwatch.pipeline.settings import kinds
from groundwatch.pipeline.settings.checker import CheckerSettings, RetryPolicySettings
from groundwatch.pipeline.settings.definition import Note, Settings
from groundwatch.pipeline.settings.job import InputFormatSettings, JobSettings, VerdictSettings
from groundwatch.pipeline.settings.results import ResultSettings, WebhookSettings
from groundwatch.pipeline.sinks.ranking import SHOWN_ANSWERS
from groundwatch.schemas.quantities import SECOND_US
from groundwatch.transforms.grounding.settings import RetrySettings
from groundwatch.transforms.persistence.seen_ids import SEEN_FOR_S
from groundwatch.transforms.rules.no_data import NoDataRule
from groundwatch.transforms.rules.tagging import GivenThresholds

_NO_DATA = NoDataRule()
_MOST_SHOWN_ANSWERS = 10_000
_OF_ONE_FOLDER = (
    *("fail_above", "low_grounded_threshold", "claim_threshold", "price_per_1k_chars"),
)
_NOT_OF_A_WORKER = Note(
    without="workers forget_replies fail_above max_calls max_cost max_attempts retry_timeout_s"
)
_NOT_OF_A_STREAM = Note(
    without="work_folder forget_replies fail_above max_calls max_cost price_per_1k_chars"
)


class InputSettings(Settings, frozen=True, kw_only=True):
    """Which archives are read.

    input: Archives: paths, globs or folders, local or gs://; JSON lines or CSV (plain, .gz, .zst),
      Avro or Parquet. `backfill` reads JSON lines from standard input for -.
    """

    input: tuple[kinds.Location, ...]


class SubscriptionSettings(Settings, frozen=True, kw_only=True):
    """What is read from Pub/Sub, and what is published to it.

    subscription: Subscription to read.
    alert_topic: Topic for alerts. Default: files of the output.
    failure_topic: Topic for failures. Default: files of the output.
    enriched_topic: Topic with the Avro schema of enriched records, to which each is also published,
      such as for a BigQuery subscription (launch/bigquery).
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
    health_address: Serve /healthz, /livez and /metrics here; a port alone is on 127.0.0.1. Default:
      not served.
    """

    dedupe_h: kinds.Hours = 24.0
    drain_s: kinds.Seconds = 25.0
    max_answer_attempts: kinds.Count = RetrySettings().max_answer_attempts
    alert_ordering: kinds.Switch = False
    no_data_after_s: kinds.Seconds = _NO_DATA.after_us / SECOND_US
    health_address: kinds.ListeningAddress | None = None

    @property
    def no_data(self) -> NoDataRule:
        """The rule that detects engines without traffic."""
        return NoDataRule(after_us=round(self.no_data_after_s * SECOND_US))

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


class BackfillSettings(Settings, frozen=True, kw_only=True):
    """The settings of `backfill`."""

    input: InputSettings
    job: Annotated[JobSettings, Note(without="api_version")]


class FailureSettings(Settings, frozen=True, kw_only=True):
    """Which failures are replayed.

    failures: Failures of an earlier run: paths or globs, local or gs://; or the subscription of a
      failure topic, projects/P/subscriptions/S.
    """

    failures: tuple[kinds.Location, ...]

    @property
    def subscription(self) -> str | None:
        """The subscription that holds the failures, unless files do."""
        return next(filter(kinds.is_subscription, self.failures), None)

    def problems(self) -> Iterator[str]:
        """Refuse a subscription beside another input."""
        if self.subscription and len(self.failures) > 1:
            yield f"--failures {self.subscription}: a subscription is replayed alone"


class ReplaySettings(Settings, frozen=True, kw_only=True):
    """The settings of `replay`."""

    failures: FailureSettings
    server: ConnectionSettings
    job: Annotated[JobSettings, Note(without="api_version alert_tags")]


class EstimationSettings(Settings, frozen=True, kw_only=True):
    """How a backfill is estimated.

    output: Output folder of the backfill, to write estimate.json to. The backfill's summary
      compares itself with it.
    estimate_from: Estimate from a random sample of so many messages, with a 95 % interval; use
      1,000 or more. Default: all messages.
    assumed_latency_ms: Assumed latency of a call; Google's service aims at less than 500.
    """

    output: kinds.OutputFolder | None = None
    estimate_from: kinds.Count | None = None
    assumed_latency_ms: kinds.Milliseconds = 500.0


class EstimateSettings(Settings, frozen=True, kw_only=True):
    """The settings of `estimate`: those of a backfill, without a required output, and its own."""

    input: InputSettings
    estimate: EstimationSettings
    job: Annotated[JobSettings, Note(without="output api_version alert_tags fail_above")]


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


class DemoSettings(Settings, frozen=True, kw_only=True):
    """The settings of `demo`.

    demo_output: Output folder.
    """

    demo_output: Annotated[kinds.OutputFolder, Note(flag="output")] = "out/demo"


class EvaluationSettings(Settings, frozen=True, kw_only=True):
    """What is evaluated.

    answers: Answers in any input format, or enriched records: paths or globs, local or gs://.
    gold: Labels as JSON lines that name an answer (record_id, name or id) and say "hallucinated" or
      "grounded" (true or false). "spans" lists what is not supported: [[start_byte, end_byte,
      kind]]. Default: the lines of --answers.
    evaluation_output: File for all results, as JSON.
    resamples: Bootstrap samples for the 95 % intervals.
    """

    answers: tuple[kinds.Location, ...]
    gold: tuple[kinds.Location, ...] = ()
    evaluation_output: Annotated[kinds.Location | None, Note(flag="output")] = None
    resamples: kinds.Count = 1_000


class EvaluateSettings(Settings, frozen=True, kw_only=True):
    """The settings of `evaluate`."""

    evaluation: EvaluationSettings
    format: InputFormatSettings
    verdicts: Annotated[VerdictSettings, Note(without="move_reason")]
    checker: CheckerSettings
    retries: RetryPolicySettings


class CalibrateSettings(EvaluateSettings, frozen=True, kw_only=True):
    """The settings of `calibrate`.

    precision: Wanted precision of LOW_GROUNDED, for the highest recall that it allows.
    recall: Wanted recall of LOW_GROUNDED, for the highest precision that it allows.
    engine: Only use the answers of this engine.
    calibration_output: File for the thresholds, as YAML for --config.
    """

    evaluation: Annotated[EvaluationSettings, Note(without="evaluation_output")]
    verdicts: Annotated[
        VerdictSettings,
        Note(without="move_reason low_grounded_threshold claim_threshold"),
    ]
    precision: Annotated[kinds.Fraction | None, Note(is_argument=True)] = None
    recall: Annotated[kinds.Fraction | None, Note(is_argument=True)] = None
    engine: Annotated[kinds.Text | None, Note(is_argument=True)] = None
    calibration_output: Annotated[kinds.Location | None, Note(flag="output")] = None

    def problems(self) -> Iterator[str]:
        if (self.precision is None) == (self.recall is None):
            yield "the goal is missing: pass either --precision or --recall"


class ReportSettings(Settings, frozen=True, kw_only=True):
    """The settings of `report`.

    folder: Output folder of a run.
    other_folder: Another output folder, to compare with DIR.
    report_output: File for the page. Default: DIR/report.html, or OTHER_DIR/comparison.html.
    shown_answers: How many answers are shown, the worst first.
    low_grounded_threshold: Threshold of the support score: a number from 0 to 1 for all engines, or
      ENGINE=NUMBER for one; repeat the flag for several. Default: that of the run.
    claim_threshold: Threshold of a claim's score, likewise. Default: that of the run.
    price_per_1k_chars: Price of 1,000 checked characters, to report the cost.
    record_url: Template of the address of a record in your viewer, such as
      https://viewer.example/r/{record_id}.
    fail_above: End with exit status 4 if more than this share of the scored answers is
      LOW_GROUNDED.
    """

    folder: Annotated[kinds.Location, Note(positional="DIR")]
    other_folder: Annotated[kinds.Location | None, Note(positional="OTHER_DIR")] = None
    report_output: Annotated[kinds.Location | None, Note(flag="output")] = None
    shown_answers: Annotated[kinds.Count, Note(flag="answers")] = SHOWN_ANSWERS
    low_grounded_threshold: tuple[kinds.Threshold, ...] = ()
    claim_threshold: tuple[kinds.Threshold, ...] = ()
    price_per_1k_chars: kinds.Positive | None = None
    record_url: kinds.RecordUrl | None = None
    fail_above: kinds.Fraction | None = None

    @property
    def given_thresholds(self) -> GivenThresholds:
        """The thresholds that replace those of the run."""
        return {"low_grounded": self.low_grounded_threshold, "claim": self.claim_threshold}

    def problems(self) -> Iterator[str]:
        """Name the settings that do not apply to a comparison, and too many answers."""
        if self.shown_answers > _MOST_SHOWN_ANSWERS:
            most = f"at most {_MOST_SHOWN_ANSWERS:,} fit on a page"
            yield f"--answers {self.shown_answers} is too high: {most}"
        for name in _OF_ONE_FOLDER if self.other_folder else ():
            if getattr(self, name) not in (None, ()):
                yield f"--{name} does not apply to two folders: pass one folder, or leave it out"


class GivenAnswerSettings(Settings, frozen=True, kw_only=True):
    """Which answer is checked.

    answer: The answer's text; - reads it from standard input.
    fact: A source text. Repeat the flag for several.
    fact_file: Files of source texts, one text each.
    query: The question.
    json: Print the record as JSON.
    """

    answer: Annotated[kinds.Text, Note(is_argument=True)]
    fact: Annotated[tuple[kinds.Text, ...], Note(is_argument=True)] = ()
    fact_file: Annotated[tuple[kinds.LocalFile, ...], Note(is_argument=True)] = ()
    query: Annotated[kinds.Text | None, Note(is_argument=True)] = None
    json: Annotated[kinds.Switch, Note(is_argument=True)] = False

    def problems(self) -> Iterator[str]:
        if not (self.fact or self.fact_file):
            yield "--fact is missing: pass the source texts with --fact or --fact_file"


class CheckCommandSettings(Settings, frozen=True, kw_only=True):
    """The settings of `check`."""

    given: GivenAnswerSettings
    verdicts: Annotated[VerdictSettings, Note(without="move_reason")]
    checker: CheckerSettings
    retries: RetryPolicySettings


class ShowSettings(Settings, frozen=True, kw_only=True):
    """The settings of `show`.

    record: The record id, its first characters, or the answer's name.
    folder: An output folder, local or gs://.
    json: Print the record as JSON.
    """

    record: Annotated[kinds.Text, Note(positional="ID")]
    folder: Annotated[kinds.Location, Note(positional="DIR")] = "out/demo"
    json: Annotated[kinds.Switch, Note(is_argument=True)] = False


class ReviewSettings(Settings, frozen=True, kw_only=True):
    """The settings of `review`.

    folders: Output folders, local or gs://.
    labels: Files of labels, JSON lines. The first one is written, and need not exist.
    labeller: Who labels. Default: the user of this computer.
    review_port: TCP port; 0 takes a free one.
    review_host: Address to listen on. Whoever knows the page's address can read and label.
    open: Open the page in the browser.
    record_url: Template of the address of a record in your viewer, such as
      https://viewer.example/r/{record_id}.
    """

    folders: Annotated[tuple[kinds.Location, ...], Note(positional="DIR")]
    labels: tuple[kinds.Location, ...] = ("labels.jsonl",)
    labeller: kinds.Text | None = None
    review_port: Annotated[kinds.Port, Note(flag="port")] = 8765
    review_host: Annotated[kinds.Text, Note(flag="host")] = "127.0.0.1"
    open: Annotated[kinds.Switch, Note(is_argument=True)] = False
    record_url: kinds.RecordUrl | None = None


class InspectSettings(Settings, frozen=True, kw_only=True):
    """The settings of `inspect`.

    file: Path or glob of the messages, or a folder of them, local or gs://.
    messages: How many messages are shown.
    """

    file: Annotated[kinds.Location, Note(positional="FILE")]
    messages: Annotated[kinds.Count, Note(is_argument=True)] = 3
    format: InputFormatSettings


class VerifySettings(Settings, frozen=True, kw_only=True):
    """The settings of `verify`.

    folder: An output folder, local or gs://.
    work_folders: Work folders of workers that are not below DIR.
    """

    folder: Annotated[kinds.Location, Note(positional="DIR")]
    work_folders: Annotated[tuple[kinds.LocalFolder, ...], Note(flag="work_folder")] = ()


class ServeCheckerSettings(Settings, frozen=True, kw_only=True):
    """The settings of `serve-checker`.

    serve_port: TCP port; 0 takes a free one.
    serve_host: Address to listen on.
    scorer: Folder of an ONNX classifier of pairs or tokens (model.onnx, tokenizer.json,
      config.json) that scores claims. Needs groundwatch[scorer].
    judge: Address of an OpenAI-compatible API, such as https://api.openai.com/v1, whose language
      model scores claims. The key is OPENAI_API_KEY in the environment.
    judge_model: Name of the judge's model.
    """

    serve_port: Annotated[kinds.Port, Note(flag="port")] = 8080
    serve_host: Annotated[kinds.Text, Note(flag="host")] = "127.0.0.1"
    scorer: kinds.ModelFolder | None = None
    judge: kinds.Url | None = None
    judge_model: kinds.Text | None = None

    def problems(self) -> Iterator[str]:
        """Require one scorer, and both settings of a judge."""
        if (self.judge is None) != (self.judge_model is None):
            yield "--judge and --judge_model belong together: pass both"
        if self.judge and self.scorer:
            yield "--judge and --scorer both score claims: pass one"
