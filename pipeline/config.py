"""What a run is told, checked and frozen before it begins."""

from schemas.record import Record
from schemas.verdict import Verdict
from transforms.grounding.settings import CheckSettings
from transforms.rules.alerting import AlertRule
from transforms.rules.burn_rate import RateRule
from transforms.rules.redaction import TextMode
from transforms.rules.tagging import Thresholds


class Config(Record, frozen=True, kw_only=True):
    """Everything the main page needs.

    Attributes:
      inputs: the archives' files, local or gs://, at least one.
      output: the output folder, local or gs://.
      run: the run's id, part of every output file's name.
      input_format: a source format's name, None to recognise each message.
      facts_from_steps: whether what the generator found on its way counts among the facts.
      in_one_process: whether one process does all the work.
      moved_reasons: reasons that lead to another verdict than the table's.
      check, thresholds, alerts, rates: the settings of the steps.
      text: how much of the texts the enriched records keep.
      failure_payload: whether failures keep the original bytes.
    """

    inputs: tuple[str, ...]
    output: str
    run: str
    input_format: str | None = None
    facts_from_steps: bool = False
    in_one_process: bool = True
    moved_reasons: dict[str, Verdict] = {}
    check: CheckSettings = CheckSettings()
    thresholds: Thresholds = Thresholds()
    alerts: AlertRule = AlertRule()
    rates: RateRule = RateRule()
    text: TextMode = TextMode.FULL
    failure_payload: bool = True
