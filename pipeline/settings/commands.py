"""The settings of each command: its own, and the groups that it takes."""

from collections.abc import Iterator
from typing import Annotated

from pipeline.settings.checker import CheckerSettings, RetryPolicySettings
from pipeline.settings.definition import Note, Settings, Without
from pipeline.settings.job import InputFormatSettings, JobSettings, VerdictSettings
from pipeline.settings.kinds import (
    Archive,
    Count,
    Fraction,
    Location,
    Milliseconds,
    ModelFolder,
    OutputFolder,
    Port,
    Positive,
    Seconds,
    SubscriptionName,
    Switch,
    Text,
)
from pipeline.settings.worker import (
    ConnectionSettings,
    StreamingJobSettings,
    SubscriptionSettings,
    WorkerSettings,
)

_LABELS = (
    "Labels as JSON lines that name an answer (record_id, name or id) and say"
    ' "hallucinated" or "grounded" (true or false).'
)
_NOT_OF_A_WORKER = Without(
    keys=frozenset(
        {
            "workers",
            "segment_messages",
            "resume",
            "forget_replies",
            "max_calls",
            "max_cost",
            "max_attempts",
            "retry_timeout_s",
            "give_up_after_s",
        }
    )
)
_NOT_OF_A_STREAM = Without(
    keys=frozenset(
        {
            "work_folder",
            "segment_messages",
            "resume",
            "forget_replies",
            "max_calls",
            "max_cost",
            "price_per_1k_chars",
            "give_up_after_s",
        }
    )
)


class ArchiveSettings(Settings, frozen=True, kw_only=True):
    """How archives are read."""

    salvage: Annotated[
        Switch,
        "Also read the records of a damaged archive before the damage, which no checksum confirms,"
        " and tag them SALVAGED. The archive is a failure all the same.",
    ] = False


class InputSettings(Settings, frozen=True, kw_only=True):
    """Which archives are read."""

    input: Annotated[
        tuple[Archive, ...],
        "Archives: paths or globs, local or gs://; JSON lines (plain, .gz, .zst) or Avro.",
    ]


class BackfillSettings(Settings, frozen=True, kw_only=True):
    """The settings of `backfill`."""

    input: InputSettings
    archives: ArchiveSettings
    job: JobSettings


class FailureSettings(Settings, frozen=True, kw_only=True):
    """Which failures are replayed."""

    failures: Annotated[
        tuple[Location, ...], "Failures of an earlier run: paths or globs, local or gs://."
    ] = ()
    failure_subscription: Annotated[
        SubscriptionName | None, "Replay the failures of this subscription to a failure topic."
    ] = None
    idle_s: Annotated[
        Seconds, "Time without a message after which the subscription counts as empty."
    ] = 5.0

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
    """How a backfill is estimated."""

    output: Annotated[
        OutputFolder | None,
        "Output folder of the backfill, to write estimate.json to. The backfill's summary compares"
        " itself with it.",
    ] = None
    estimate_from: Annotated[
        Count | None,
        "Estimate from a random sample of so many messages, with a 95 % interval; use 1,000 or"
        " more.",
        Note(default="all messages"),
    ] = None
    assumed_latency_ms: Annotated[
        Milliseconds, "Assumed latency of a call; Google's service aims at less than 500."
    ] = 500.0


class EstimateSettings(Settings, frozen=True, kw_only=True):
    """The settings of `estimate`: those of a backfill, without a required output, and its own."""

    input: InputSettings
    archives: ArchiveSettings
    estimate: EstimationSettings
    job: Annotated[JobSettings, Without(keys=frozenset({"output"}))]


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
    """The settings of `watch --demo`."""

    demo: Annotated[
        Switch,
        "Watch the sample answers, twenty a second; needs no cloud.",
        Note(is_argument=True),
    ] = False
    watch_demo_output: Annotated[OutputFolder, "Output folder.", Note(flag="output")] = (
        "out/watch-demo"
    )


class DemoSettings(Settings, frozen=True, kw_only=True):
    """The settings of `demo`."""

    demo_output: Annotated[OutputFolder, "Output folder.", Note(flag="output")] = "out/demo"


class EvaluationSettings(Settings, frozen=True, kw_only=True):
    """What is evaluated."""

    answers: Annotated[
        tuple[Location, ...],
        "Answers in any input format, or enriched records: paths or globs, local or gs://.",
    ]
    gold: Annotated[
        tuple[Location, ...],
        f'{_LABELS} "spans" lists what is not supported: [[start_byte, end_byte, kind]].',
        Note(default="the lines of --answers"),
    ] = ()
    evaluation_output: Annotated[
        Location | None, "File for all results, as JSON.", Note(flag="output")
    ] = None
    resamples: Annotated[Count, "Bootstrap samples for the 95 % intervals."] = 1_000


class EvaluateSettings(Settings, frozen=True, kw_only=True):
    """The settings of `evaluate`."""

    evaluation: EvaluationSettings
    archives: ArchiveSettings
    format: InputFormatSettings
    verdicts: Annotated[
        VerdictSettings, Without(keys=frozenset({"drift_threshold", "move_reason"}))
    ]
    checker: CheckerSettings
    retries: RetryPolicySettings


class ReportSettings(Settings, frozen=True, kw_only=True):
    """The settings of `report`."""

    folder: Annotated[Location, "Output folder of a run.", Note(is_positional=True)]
    report_output: Annotated[
        Location | None,
        "File for the page.",
        Note(flag="output", default="DIR/report.html"),
    ] = None
    what_if: Annotated[
        Switch, "Print what other thresholds would find, from the stored scores."
    ] = False
    gold: Annotated[tuple[Location, ...], _LABELS] = ()
    low_grounded_threshold: Annotated[
        Fraction | None, "Threshold of the support score in the run.", Note(default="0.6")
    ] = None
    claim_threshold: Annotated[
        Fraction | None, "Threshold of a claim's score in the run.", Note(default="0.4")
    ] = None
    price_per_1k_chars: Annotated[
        Positive | None, "Price of 1,000 checked characters, to report the cost."
    ] = None


class StatusSettings(Settings, frozen=True, kw_only=True):
    """The settings of `status`."""

    folder: Annotated[
        Location, "The --output or --work_folder of a worker.", Note(is_positional=True)
    ]
    verify: Annotated[
        Switch, "Also compare the ledger with the rows and record ids in the output's files."
    ] = False
    status_output: Annotated[
        Location | None,
        "With --verify, where DIR is a --work_folder: the worker's --output.",
        Note(flag="output"),
    ] = None


class VerifySettings(Settings, frozen=True, kw_only=True):
    """The settings of `verify`."""

    folder: Annotated[Location, "An output folder, local or gs://.", Note(is_positional=True)]
    work_folders: Annotated[
        tuple[Text, ...],
        "Work folders of workers that are not below DIR.",
        Note(flag="work_folder"),
    ] = ()


class ServeCheckerSettings(Settings, frozen=True, kw_only=True):
    """The settings of `serve-checker`."""

    serve_port: Annotated[Port, "TCP port; 0 takes a free one.", Note(flag="port")] = 8080
    serve_host: Annotated[Text, "Address to listen on.", Note(flag="host")] = "127.0.0.1"
    scorer: Annotated[
        ModelFolder | None,
        "Folder of an ONNX entailment model (model.onnx, tokenizer.json, config.json) that scores"
        " claims. Needs groundwatch[scorer].",
    ] = None
