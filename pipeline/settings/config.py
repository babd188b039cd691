"""The configuration of a pipeline, derived from the settings of a job."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from groundwatch.pipeline import storage
from groundwatch.schemas import Record
from groundwatch.schemas.message import ParseOptions
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.grounding.settings import CheckSettings, OutagePolicy, RetrySettings
from groundwatch.transforms.persistence.seen_ids import SEEN_FOR_S
from groundwatch.transforms.rules.alerting import AlertRule
from groundwatch.transforms.rules.rate_incidents import RateRule
from groundwatch.transforms.rules.redaction import TextMode
from groundwatch.transforms.rules.sampling import SamplingRule
from groundwatch.transforms.rules.thresholds import Thresholds
from .checker import DATABASE
from .definition import accepted_settings
from .job import FILE_BYTES, JobSettings

_OF_ONE_RUN = frozenset(
    {
        *("output", "run_id", "target_file_mb", "workers", "work_folder", "forget_replies"),
        *("again", "fail_above", "max_calls", "max_cost"),
    }
)
"""Settings of a job that a replay of its failures does not take over."""


class Destination(Record, frozen=True, kw_only=True):
    """The output folder and the id of a run, which is part of the name of all of its files.

    A file longer than `file_bytes` is followed by another.
    """

    root: str
    run: str
    file_bytes: int = FILE_BYTES

    def path(self, relative: str) -> str:
        return storage.join(self.root, relative)

    def file_path(
        self, folder: str, shard: int, extension: str, window: str = "batch", pane: int = 0
    ) -> str:
        """Return the final path of one of the run's files, relative to the output folder."""
        return f"{folder}/{self.run}-{window}-{pane}-{shard:05d}.{extension}"

    @property
    def temporary_folder(self) -> str:
        """The folder of files that are not published yet."""
        return self.path(f".groundwatch-{self.run}")

    def temporary_path(self, name: str) -> str:
        return storage.join(self.temporary_folder, name)


class Config(Record, frozen=True, kw_only=True):
    """What a pipeline does, apart from where it reads and writes.

    Attributes:
      inputs: the archives' files, local or gs://; none for a subscription.
      source: a hash of the input's name. A run with the same id and another source is refused,
        since it would replace files of other answers.
      work_folder: a local folder for the state of an unfinished run, None on many machines.
      price_per_1k_chars: price of 1,000 checked characters, None if it is not known.
      beam_arguments: options of Beam, such as its runner.
      seen_for_s: seconds for which a stream remembers a record id.
      keeps_results: whether a worker sends results to other tools.
      publishes_enriched: whether a worker publishes enriched records to a topic.
      settings: the texts of the settings that a replay of the run's failures takes over, by key.
    """

    inputs: tuple[str, ...] = ()
    output: str
    run: str
    source: str | None = None
    replays: bool = False
    parsing: ParseOptions = ParseOptions()
    work_folder: str | None = None
    file_bytes: int = FILE_BYTES
    seen_for_s: int = SEEN_FOR_S
    sampling: SamplingRule = SamplingRule()
    moved_reasons: dict[str, Verdict] = {}
    check: CheckSettings = CheckSettings()
    thresholds: Thresholds = Thresholds()
    alerts: AlertRule = AlertRule()
    rates: RateRule = RateRule()
    text: TextMode = TextMode.FULL
    failure_payload: bool = True
    price_per_1k_chars: float | None = None
    beam_arguments: tuple[str, ...] = ()
    keeps_results: bool = False
    publishes_enriched: bool = False
    settings: dict[str, tuple[str, ...]] = {}

    @property
    def destination(self) -> Destination:
        return Destination(root=self.output, run=self.run, file_bytes=self.file_bytes)

    @property
    def lock(self) -> str:
        return self.destination.path(f".groundwatch-{self.run}.lock")

    @property
    def database(self) -> str | None:
        return f"{self.work_folder}/{DATABASE}" if self.work_folder else None

    @property
    def is_endless(self) -> bool:
        """Whether answers come from a subscription."""
        return not self.inputs


def settings_to_note(given: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Choose what a run notes of the settings that it is given, for replays of its failures."""
    keys = {field.key for field in accepted_settings(JobSettings)} - _OF_ONE_RUN
    return {key: texts for key, texts in given.items() if key in keys}


def job_config(
    job: JobSettings,
    *,
    run: str,
    given: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    workers: int = 1,
    work_folder: str | None = None,
    reply_folder: str | None = None,
    retries: RetrySettings | None = None,
    outage: OutagePolicy = OutagePolicy.FAIL,
    replays: bool = False,
    **fields: Any,
) -> Config:
    """Derive a pipeline's configuration from the settings of a job and from how it is run.

    `workers` processes at most share the quota, and the processors of this machine where there is a
    local `work_folder`; other machines run a process for each of theirs. A local `reply_folder`
    keeps paid replies until the run ends. `given` are the texts of all settings, by key. The other
    arguments are fields of `Config`, or replace settings of its `check`.
    """
    return Config(
        output=job.output.output,
        run=run,
        replays=replays,
        work_folder=work_folder,
        parsing=job.format.options,
        file_bytes=job.output.target_file_mb * MEGABYTE,
        sampling=job.sampling.rule,
        moved_reasons=dict(job.verdicts.move_reason),
        check=job.checker.check(
            workers=workers,
            is_here=work_folder is not None,
            retries=retries or job.retries.policy,
            budget=job.costs.budget,
            reply_folder=reply_folder,
            outage=outage,
            # What a replay has resolved is no failure any more: nothing could pay for the rest.
            defers_over_budget=replays,
            thresholds=job.verdicts.thresholds,
        ),
        thresholds=job.verdicts.thresholds,
        alerts=job.alerts.rule,
        rates=job.alerts.rates,
        text=job.output.text,
        failure_payload=job.output.failure_payload == "full",
        price_per_1k_chars=job.costs.price_per_1k_chars,
        settings=settings_to_note(given),
        **fields,
    )
