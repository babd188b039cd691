"""What a run is told, checked and frozen before it begins."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.check_config import check_settings_from
from pipeline.sinks.destination import FILE_BYTES, Destination
from schemas import Record
from schemas.quantities import MEGABYTE
from schemas.verdict import Verdict
from transforms.grounding.settings import CheckSettings
from transforms.persistence.seen_ids import SEEN_FOR_S
from transforms.rules.alerting import AlertRule
from transforms.rules.burn_rate import RateRule
from transforms.rules.redaction import TextMode
from transforms.rules.sampling import SamplingRule
from transforms.rules.tagging import Thresholds

SEGMENT_MESSAGES = 10_000
"""A killed run has at most so many to read again, and each segment costs a part of a second."""

_CLOSING_SHARE = 0.5
"""An episode closes at half the rate that opens one, so that it does not flicker."""


class Config(Record, frozen=True, kw_only=True):
    """Everything the main page needs.

    Attributes:
      inputs: the archives' files, local or gs://; none for a subscription.
      output: the output folder, local or gs://.
      run: the run's id, part of every output file's name.
      source: a hash of what the input is called; a run of the same id and another source is
        refused, since it would replace files of other answers.
      replays: whether the inputs are failures of an earlier run.
      salvage: whether records of a damaged archive that no checksum confirms count.
      input_format: a source format's name, None to recognise each message.
      facts_from_steps: whether what the generator found on its way counts among the facts.
      work_folder: a local folder for what an unfinished run keeps; None where the work is done
        on many machines.
      segment_messages: how many messages one process works off, and then keeps for good.
      file_bytes: a file that has grown so long is followed by another.
      seen_for_s: seconds for which a stream remembers a record id.
      sampling: which answers are looked at.
      moved_reasons: reasons that lead to another verdict than the table's.
      check, thresholds, alerts, rates: the settings of the steps.
      text: how much of the texts the enriched records keep.
      failure_payload: whether failures keep the original bytes.
    """

    inputs: tuple[str, ...]
    output: str
    run: str
    source: str | None = None
    replays: bool = False
    salvage: bool = False
    input_format: str | None = None
    facts_from_steps: bool = False
    work_folder: str | None = None
    segment_messages: int = SEGMENT_MESSAGES
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

    @property
    def destination(self) -> Destination:
        """Where the run's files go."""
        return Destination(root=self.output, run=self.run, file_bytes=self.file_bytes)

    @property
    def lock(self) -> str:
        """The lock of all that the run writes, which lies with the output."""
        return self.destination.path(f".groundwatch-{self.run}.lock")

    @property
    def seen_ids(self) -> str | None:
        """The file of the record ids that the run has seen."""
        return f"{self.work_folder}/seen.sqlite" if self.work_folder else None


def config_from(
    values: Mapping[str, Any],
    inputs: Sequence[str],
    run: str,
    work_folder: str | None,
    workers: int,
    *,
    replays: bool,
    source: str | None = None,
) -> Config:
    """Sort the values of the options into a configuration.

    Args:
      values: by option name, read and valid.
      inputs: the files that ``--input`` matched.
      run: the run's id.
      work_folder: a local folder for what an unfinished run keeps, None on many machines.
      workers: how many processes at most share the work.
      replays: whether the inputs are failures of an earlier run.
      source: a hash of what the input is called.
    """
    return Config(
        inputs=tuple(inputs),
        output=values["output"],
        run=run,
        source=source,
        replays=replays,
        salvage=values["salvage"],
        input_format=values["input_format"],
        facts_from_steps=values["facts_from_steps"],
        work_folder=work_folder,
        segment_messages=values["segment_messages"],
        file_bytes=values["target_file_mb"] * MEGABYTE,
        sampling=sampling_from(values),
        moved_reasons=dict(values["move_reason"]),
        check=check_settings_from(values, workers, work_folder),
        thresholds=_thresholds(values),
        alerts=_alert_rule(values),
        rates=rate_rule_from(values),
        text=TextMode(values["text"]),
        failure_payload=values["failure_payload"] == "full",
    )


def text_problems(values: Mapping[str, Any]) -> Iterator[str]:
    """Say what is wrong with the options that decide which texts are written.

    Args:
      values: by option name, each valid by itself.
    """
    if values["alert_text"] and values["text"] != TextMode.FULL:
        yield (
            f"--alert_text: puts answers into alerts, and --text {values['text']} keeps them out of"
            " all files; pass one of them"
        )


def sampling_from(values: Mapping[str, Any]) -> SamplingRule:
    """Sort the shares of ``--sample`` by engine; of several for the same the last counts.

    Args:
      values: by option name, read and valid.
    """
    engine_rates = dict(values["sample"])
    share = engine_rates.pop(None, SamplingRule().rate)
    return SamplingRule(rate=share, engine_rates=engine_rates)


def rate_rule_from(values: Mapping[str, Any]) -> RateRule:
    """Sort the options of rates into their rule.

    Args:
      values: by option name, read and valid.
    """
    return RateRule(
        budget=values["rate_budget"],
        burn_rate=values["rate_burn"],
        closing_burn_rate=values["rate_burn"] * _CLOSING_SHARE,
        min_answers=values["rate_min_answers"],
        reason_rise=values["reason_rise"],
        closing_reason_rise=values["reason_rise"] * _CLOSING_SHARE,
        min_reason_answers=values["reason_min_answers"],
    )


def _thresholds(values: Mapping[str, Any]) -> Thresholds:
    return Thresholds(
        low_grounded=values["low_grounded_threshold"],
        claim=values["claim_threshold"],
        drift=values["drift_threshold"],
    )


def _alert_rule(values: Mapping[str, Any]) -> AlertRule:
    return AlertRule(
        verdicts=frozenset(map(Verdict, values["alert_verdicts"])),
        tags=frozenset(values["alert_tags"]),
        with_text=values["alert_text"],
    )
