"""The records of an output folder, as far as they are read back; every field may be missing."""

from groundwatch.schemas import Record
from groundwatch.schemas.summary import Replayed
from groundwatch.transforms.rules.thresholds import Thresholds


class RateState(Record, frozen=True, kw_only=True):
    """The state of a rate alert; named as in `alert.avsc`."""

    signal: str = ""
    state: str = ""
    share: float = 0.0
    burn_rate: float = 0.0
    answers: int = 0


class AlertLine(Record, frozen=True, kw_only=True):
    """A line of the alerts; named as in `alert.avsc`."""

    kind: str = ""
    severity: str = ""
    engine: str | None = None
    event_time: str | None = None
    rate: RateState | None = None


class FailureLine(Record, frozen=True, kw_only=True):
    """A line of the failures; named as in `failure.avsc`."""

    record_id: str | None = None
    source: str = ""
    step: str = ""
    error_class: str = ""
    error: str = ""
    retryable: bool = False


class ListedRun(Record, frozen=True, kw_only=True):
    """The fields of a run in `summary.json`."""

    replayed: Replayed | None = None


class RunSummary(Record, frozen=True, kw_only=True):
    """The fields of `summary.json` in the report; None where the summary lacks one."""

    checker: str | None = None
    read: int | None = None
    enriched: int | None = None
    failures: int | None = None
    duplicates: int | None = None
    sampled_out: int | None = None
    cost: float | None = None
    characters: int | None = None
    closes: bool | None = None
    thresholds: Thresholds | None = None
    runs: tuple[ListedRun, ...] = ()
