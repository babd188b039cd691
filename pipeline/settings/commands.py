"""The settings of each command: its own, and the groups that it takes."""

from collections.abc import Iterator
from typing import Annotated

from pipeline.settings import kinds
from pipeline.settings.checker import CheckerSettings, RetryPolicySettings
from pipeline.settings.definition import Note, Settings, Without
from pipeline.settings.job import InputFormatSettings, JobSettings, VerdictSettings
from pipeline.settings.worker import (
    ConnectionSettings,
    StreamingJobSettings,
    SubscriptionSettings,
    WorkerSettings,
)

_NOT_OF_A_WORKER = Without(
    "workers segment_messages resume forget_replies max_calls max_cost max_attempts"
    " retry_timeout_s give_up_after_s"
)
_NOT_OF_A_STREAM = Without(
    "work_folder segment_messages resume forget_replies max_calls max_cost price_per_1k_chars"
    " give_up_after_s"
)


class ArchiveSettings(Settings, frozen=True, kw_only=True):
    """How archives are read.

    salvage: Also read the records of a damaged archive before the damage, which no checksum
      confirms, and tag them SALVAGED. The archive is a failure all the same.
    """

    salvage: kinds.Switch = False


class InputSettings(Settings, frozen=True, kw_only=True):
    """Which archives are read.

    input: Archives: paths or globs, local or gs://; JSON lines (plain, .gz, .zst) or Avro.
    """

    input: tuple[kinds.Archive, ...]


class BackfillSettings(Settings, frozen=True, kw_only=True):
    """The settings of `backfill`."""

    input: InputSettings
    archives: ArchiveSettings
    job: JobSettings


class FailureSettings(Settings, frozen=True, kw_only=True):
    """Which failures are replayed.

    failures: Failures of an earlier run: paths or globs, local or gs://.
    failure_subscription: Replay the failures of this subscription to a failure topic.
    idle_s: Time without a message after which the subscription counts as empty.
    """

    failures: tuple[kinds.Location, ...] = ()
    failure_subscription: kinds.SubscriptionName | None = None
    idle_s: kinds.Seconds = 5.0

    def problems(self) -> Iterator[str]:
        """Name the settings that contradict each other."""
        if not (self.failures or self.failure_subscription):
            yield "--failures is missing: pass it, or --failure_subscription"
        if self.failures and self.failure_subscription:
            yield "--failures and --failure_subscription name two inputs: pass one of them"


class ReplaySettings(Settings, frozen=True, kw_only=True):
    """The settings of `replay`."""

    failures: FailureSettings
    server: ConnectionSettings
    archives: ArchiveSettings
    job: JobSettings


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
    archives: ArchiveSettings
    estimate: EstimationSettings
    job: Annotated[JobSettings, Without("output")]


class WatchSettings(Settings, frozen=True, kw_only=True):
    """The settings of `watch` on this machine."""

    pubsub: SubscriptionSettings
    server: ConnectionSettings
    worker: WorkerSettings
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
    archives: ArchiveSettings
    format: InputFormatSettings
    verdicts: Annotated[VerdictSettings, Without("drift_threshold move_reason")]
    checker: CheckerSettings
    retries: RetryPolicySettings


class ReportSettings(Settings, frozen=True, kw_only=True):
    """The settings of `report`.

    folder: Output folder of a run.
    report_output: File for the page. Default: DIR/report.html.
    what_if: Print what other thresholds would find, from the stored scores.
    gold: Labels as JSON lines that name an answer (record_id, name or id) and say "hallucinated" or
      "grounded" (true or false).
    low_grounded_threshold: Threshold of the support score in the run. Default: 0.6.
    claim_threshold: Threshold of a claim's score in the run. Default: 0.4.
    price_per_1k_chars: Price of 1,000 checked characters, to report the cost.
    """

    folder: Annotated[kinds.Location, Note(is_positional=True)]
    report_output: Annotated[kinds.Location | None, Note(flag="output")] = None
    what_if: kinds.Switch = False
    gold: tuple[kinds.Location, ...] = ()
    low_grounded_threshold: kinds.Fraction | None = None
    claim_threshold: kinds.Fraction | None = None
    price_per_1k_chars: kinds.Positive | None = None


class StatusSettings(Settings, frozen=True, kw_only=True):
    """The settings of `status`.

    folder: The --output or --work_folder of a worker.
    verify: Also compare the ledger with the rows and record ids in the output's files.
    status_output: With --verify, where DIR is a --work_folder: the worker's --output.
    """

    folder: Annotated[kinds.Location, Note(is_positional=True)]
    verify: kinds.Switch = False
    status_output: Annotated[kinds.Location | None, Note(flag="output")] = None


class VerifySettings(Settings, frozen=True, kw_only=True):
    """The settings of `verify`.

    folder: An output folder, local or gs://.
    work_folders: Work folders of workers that are not below DIR.
    """

    folder: Annotated[kinds.Location, Note(is_positional=True)]
    work_folders: Annotated[tuple[kinds.Text, ...], Note(flag="work_folder")] = ()


class ServeCheckerSettings(Settings, frozen=True, kw_only=True):
    """The settings of `serve-checker`.

    serve_port: TCP port; 0 takes a free one.
    serve_host: Address to listen on.
    scorer: Folder of an ONNX entailment model (model.onnx, tokenizer.json, config.json) that scores
      claims. Needs groundwatch[scorer].
    """

    serve_port: Annotated[kinds.Port, Note(flag="port")] = 8080
    serve_host: Annotated[kinds.Text, Note(flag="host")] = "127.0.0.1"
    scorer: kinds.ModelFolder | None = None
