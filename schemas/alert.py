"""Alerts for the person on call; `alert.avsc` describes the fields."""

from enum import StrEnum

import msgspec

from . import Record
from .quantities import with_rfc3339_times


class AlertKind(StrEnum):
    """The subject of an alert."""

    ANSWER = "answer"
    RATE = "rate"
    NO_DATA = "no_data"
    LEDGER = "ledger"
    CHECKER = "checker"


class OutageCause(StrEnum):
    """Why a checker cannot be used: no reply, or it refuses the credentials or the quota."""

    AWAY = "away"
    CREDENTIALS = "credentials"
    QUOTA = "quota"


class Severity(StrEnum):
    """How urgent an alert is."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class WorstClaim(Record, frozen=True, kw_only=True):
    """The span of the least supported claim; its text only with ``--alert_text``."""

    start: int
    end: int
    score: float
    text: str | None = None


class RateIncident(Record, frozen=True, kw_only=True):
    """An incident: the share of bad answers of an engine exceeds its error budget.

    `revisions` names those of a checker that has several in the window: they may be why the share
    has changed. `audited` is None in all alerts since 2.2.0.
    """

    signal: str
    state: str
    share: float
    burn_rate: float
    answers: int
    opened_at_us: int
    audited: int | None = None
    revisions: tuple[str, ...] = ()


class NoDataIncident(Record, frozen=True, kw_only=True):
    """An incident: no answers from an engine, or a subscription, that had steady traffic."""

    state: str
    answers_before: int
    last_answer_at_us: int
    opened_at_us: int


class CheckerIncident(Record, frozen=True, kw_only=True):
    """An incident: a checker cannot be used, and so many messages are `waiting` for it."""

    state: str
    checker: str
    cause: OutageCause
    waiting: int
    first_failed_at_us: int
    opened_at_us: int


class Alert(Record, frozen=True, kw_only=True):
    """One alert; the fields of an answer are None or empty for other kinds."""

    kind: AlertKind
    record_id: str | None = None
    answer_name: str | None = None
    engine: str | None = None
    session: str | None = None
    verdict: str | None = None
    verdict_reason: str | None = None
    tags: tuple[str, ...] = ()
    support_score: float | None = None
    min_claim_score: float | None = None
    worst_claim: WorstClaim | None = None
    event_time_us: int | None = None
    severity: Severity
    answer_text: str | None = None
    rate: RateIncident | None = None
    no_data: NoDataIncident | None = None
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    record_url: str | None = None
    checker: CheckerIncident | None = None

    @property
    def incident(self) -> RateIncident | NoDataIncident | CheckerIncident | None:
        return self.rate or self.no_data or self.checker


def alert_to_json(alert: Alert) -> bytes:
    """Write an alert as one JSON object with all fields of `alert.avsc`; times are RFC 3339."""
    return msgspec.json.encode(with_rfc3339_times(alert))
