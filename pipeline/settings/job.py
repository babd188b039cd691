"""The settings that backfills, replays, the worker and streaming jobs have in common."""

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Annotated, Literal

from groundwatch.schemas.message import ParseOptions
from groundwatch.schemas.quantities import MEGABYTE
from groundwatch.schemas.verdict import Tag, Verdict
from groundwatch.transforms.rules.alerting import AlertRule
from groundwatch.transforms.rules.rate_incidents import RateRule
from groundwatch.transforms.rules.redaction import TextMode
from groundwatch.transforms.rules.sampling import SamplingRule
from groundwatch.transforms.rules.thresholds import GivenThresholds, Thresholds
from groundwatch.transforms.runtime.errors import type_name
from . import kinds
from .checker import CheckerSettings, CostSettings, RetryPolicySettings
from .definition import Note, Settings
from .load import load_argument

_RATES = RateRule()
_CLOSING_RATIO = 0.5  # An incident closes at half the rate that opens it, so that it does not flap
FILE_BYTES = 128 * MEGABYTE


class InputFormatSettings(Settings, frozen=True, kw_only=True):
    """How messages are parsed.

    input_format: Format of every message. Default: detected from each message's fields.
    map: Path of a field in the message, in JSONPath, such as 'facts=$.documents[*].text'. The
      fields are query, answer, facts, document, id, time, engine, session, trace, span, response,
      finish_reason, refusal and error.
    """

    input_format: kinds.FormatName | None = None
    map: tuple[kinds.MappedField, ...] = ()

    @property
    def options(self) -> ParseOptions:
        return ParseOptions(input_format=self.input_format, own_map=self.map)


class SamplingSettings(Settings, frozen=True, kw_only=True):
    """Which answers are checked.

    sample: Check only a sample of the answers: RATE, from 0 to 1, or ENGINE=RATE for one engine.
      Default: 1.
    """

    sample: tuple[kinds.Sample, ...] = ()

    @property
    def rule(self) -> SamplingRule:
        """The sample rates by engine; the last of several for the same engine counts."""
        rates = dict(self.sample)
        rate = rates.pop(None, SamplingRule().rate)
        return SamplingRule(
            rate=rate, engine_rates={name: each for name, each in rates.items() if name}
        )


class OutputSettings(Settings, frozen=True, kw_only=True):
    """Where results are written, and how much text they keep.

    output: Output folder, local or gs://.
    run_id: Part of every output file's name. A streaming job appends its start time. Default:
      derived from the name of the input.
    target_file_mb: Start a new output file at this size.
    text: How much of answers, queries and facts files keep. The messages of failures follow
      --failure_payload.
    failure_payload: Whether failures keep the original message; replay needs it.
    """

    output: kinds.OutputFolder
    run_id: kinds.RunId | None = None
    target_file_mb: kinds.Megabytes = FILE_BYTES // MEGABYTE
    text: TextMode = TextMode.FULL
    failure_payload: Literal["none", "full"] = "full"


class LocalRunSettings(Settings, frozen=True, kw_only=True):
    """How a run that ends works.

    workers: Processes that share the work. On another runner: the number that --requests_per_minute
      is divided by. Default: the number of processors, fewer for a small archive or little memory;
      1 with another checker than the embedded one, or a model of yours; on another runner, as many
      as it may start.
    work_folder: Local folder for the state of an unfinished run. Default: inside a local --output,
      else in ~/.cache/groundwatch.
    forget_replies: Discard the cached replies of an interrupted run, which are otherwise kept even
      if settings or input change. Their calls still count against --max_calls and --max_cost.
    again: Run a finished run again, and replace its results and those of its replays.
    fail_above: End with exit status 4 if more than this share of the scored answers is LOW_GROUNDED
      or could not be read, or if none was scored.
    """

    workers: kinds.Count | None = None
    work_folder: Annotated[kinds.LocalFolder | None, Note(is_local=True)] = None
    forget_replies: Annotated[kinds.Switch, Note(is_local=True)] = False
    again: Annotated[kinds.Switch, Note(is_local=True)] = False
    fail_above: Annotated[kinds.Fraction | None, Note(is_local=True)] = None


class VerdictSettings(Settings, frozen=True, kw_only=True):
    """How scores and reasons become verdicts.

    low_grounded_threshold: An answer with a lower support score is LOW_GROUNDED: NUMBER, from 0 to
      1, or ENGINE=NUMBER for one engine. Default: 0.6.
    claim_threshold: An answer with a claim that scores lower is LOW_GROUNDED: NUMBER, from 0 to 1,
      or ENGINE=NUMBER for one engine. Default: 0.4.
    move_reason: Map a skip, finish or block reason to another verdict.
    """

    low_grounded_threshold: tuple[kinds.Threshold, ...] = ()
    claim_threshold: tuple[kinds.Threshold, ...] = ()
    move_reason: tuple[kinds.MovedReason, ...] = ()

    @property
    def given_thresholds(self) -> GivenThresholds:
        """The thresholds that are not left at their defaults."""
        given = {"low_grounded": self.low_grounded_threshold, "claim": self.claim_threshold}
        return {name: values for name, values in given.items() if values}

    @property
    def thresholds(self) -> Thresholds:
        return Thresholds().replaced(self.given_thresholds)


class ThresholdSettings(Settings, frozen=True, kw_only=True):
    """The thresholds of verdicts, without which reasons move."""

    verdicts: Annotated[VerdictSettings, Note(without="move_reason")]


_SETTINGS = {"low_grounded": "low_grounded_threshold", "claim": "claim_threshold"}


def read_thresholds(
    given: Thresholds | Mapping[str, object] | str | PathLike[str], name: str
) -> Thresholds:
    """Return thresholds as given, or by their or the settings' names, or from calibrate's file.

    `name` is that of the argument, for messages.

    Raises:
      UsageError: a name, a value or the path is wrong.
      TypeError: it is none of these.
    """
    if isinstance(given, Thresholds):
        load_argument(ThresholdSettings, _by_name(given), name, _SETTINGS)
        return given
    if not isinstance(given, Mapping | str | PathLike):
        raise TypeError(
            f"{name} is {type_name(given)}: pass Thresholds(…), a mapping such as"
            " {'claim': 0.4}, or the path of a file that `calibrate` wrote"
        )
    return load_argument(ThresholdSettings, given, name, _SETTINGS).verdicts.thresholds


def _by_name(thresholds: Thresholds) -> dict[str, object]:
    """Return thresholds by their names, each a list with those of engines."""
    own = thresholds.engines.items()
    return {
        name: [
            getattr(thresholds, name),
            *(f"{engine}={getattr(each, name)}" for engine, each in own),
        ]
        for name in _SETTINGS
    }


class AlertSettings(Settings, frozen=True, kw_only=True):
    """Which answers and rates alert.

    alert_verdicts: Verdicts and tags that alert. Verdicts replace the defaults; tags are added.
    alert_text: Include the answer and its worst claim in the alert.
    record_url: Address of a record in your viewer, for alerts and the report, such as
      https://viewer.example/r/{record_id}; also {trace_id} and {engine}.
    rate_budget: Error budget: the accepted rate of bad answers.
    rate_burn: Burn rate that opens an incident: bad answers as a multiple of the budget, over one
      hour and six.
    """

    alert_verdicts: Annotated[tuple[kinds.VerdictOrTag, ...], Note(earlier="alert_tags")] = tuple(
        sorted(AlertRule().verdicts)
    )
    alert_text: kinds.Switch = False
    record_url: kinds.RecordUrl | None = None
    rate_budget: kinds.Share = _RATES.budget
    rate_burn: kinds.Positive = _RATES.burn_rate

    @property
    def rule(self) -> AlertRule:
        verdicts = frozenset(each for each in self.alert_verdicts if isinstance(each, Verdict))
        return AlertRule(
            verdicts=verdicts or AlertRule().verdicts,
            tags=frozenset(each for each in self.alert_verdicts if isinstance(each, Tag)),
            with_text=self.alert_text,
            record_url=self.record_url,
        )

    @property
    def rates(self) -> RateRule:
        return RateRule(
            budget=self.rate_budget,
            burn_rate=self.rate_burn,
            closing_burn_rate=self.rate_burn * _CLOSING_RATIO,
        )


class JobSettings(Settings, frozen=True, kw_only=True):
    """What every run of the pipeline takes."""

    format: InputFormatSettings
    sampling: SamplingSettings
    output: OutputSettings
    local: LocalRunSettings
    checker: CheckerSettings
    retries: RetryPolicySettings
    costs: CostSettings
    verdicts: VerdictSettings
    alerts: AlertSettings

    def problems(self) -> Iterator[str]:
        yield from super().problems()
        if self.alerts.alert_text and self.output.text != TextMode.FULL:
            yield (
                f"--alert_text puts answers into alerts, and --text {self.output.text} keeps them"
                " out of all files: pass one of them"
            )
