"""An alert: what a person on call is told, without a word of the answer unless asked for."""

from enum import StrEnum
from typing import Any

import msgspec

from schemas import Record
from schemas.quantities import to_rfc3339


class AlertKind(StrEnum):
    """What an alert is about."""

    ANSWER = "answer"
    RATE = "rate"
    NO_DATA = "no_data"
    LEDGER = "ledger"


class Severity(StrEnum):
    """How soon a person should look."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class WorstClaim(Record, frozen=True, kw_only=True):
    """Where in the answer the least supported claim stands; text only on request."""

    start: int
    end: int
    score: float
    text: str | None = None


class RateIncident(Record, frozen=True, kw_only=True):
    """A stretch of time in which an engine burnt its error budget too fast.

    Attributes:
      signal: which share is meant: ``canary``, ``low_grounded``, ``policy_skipped``, ``failed``, or
        ``skip_reason:`` and the name of a reason.
      state: ``open`` when the incident begins; ``closed`` when answers show that it is over;
        ``closed_unknown`` when there were none for so long that nothing is known any more.
      share: 0..1, in the fast window at that moment.
      burn_rate: the share over the budgeted share, in the fast window; a reason's budget is its
        share before.
      answers: how many answers the fast window held.
      opened_at_us: when the episode began, microseconds since 1970 UTC.
    """

    signal: str
    state: str
    share: float
    burn_rate: float
    answers: int
    opened_at_us: int


class NoDataIncident(Record, frozen=True, kw_only=True):
    """A stretch of time in which nothing came from an engine that had steady traffic.

    Attributes:
      state: ``open`` when the silence is told, ``closed`` when it ends.
      answers_before: how many answers came in the hour before; of a whole subscription, messages.
      last_answer_at_us: when the last of them came, microseconds since 1970 UTC.
      opened_at_us: when the silence was told, microseconds since 1970 UTC.
    """

    state: str
    answers_before: int
    last_answer_at_us: int
    opened_at_us: int


class Alert(Record, frozen=True, kw_only=True):
    """One alert; field for field `alert.avsc`.

    Attributes:
      kind: what it is about; the fields of an answer are None or empty for other kinds.
      engine: None also where a whole subscription is meant.
      record_id .. min_claim_score: as in the enriched record.
      worst_claim: the claim with the least score among those that required a check.
      event_time_us: the answer's time, or the moment an episode opened or closed.
      severity: how soon to look.
      answer_text: the answer, only with ``--alert_text``.
      rate: the episode, for rate alerts.
      no_data: the silence, for alerts that nothing comes.
    """

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


def alert_to_json(alert: Alert) -> bytes:
    """Write an alert as one JSON object; times are RFC 3339, members of `alert.avsc` all there."""
    members: dict[str, Any] = msgspec.structs.asdict(alert)
    for name in ("rate", "no_data"):
        if members[name] is not None:
            members[name] = _with_written_times(msgspec.structs.asdict(members[name]))
    return msgspec.json.encode(_with_written_times(members))


def _with_written_times(members: dict[str, Any]) -> dict[str, Any]:
    """Write the times among the members, which are named for their unit, as people do."""
    return {
        name.removesuffix("_us"): to_rfc3339(value) if name.endswith("_us") else value
        for name, value in members.items()
    }
