"""Detect checkers that cannot be used: away, or refusing the credentials or the quota."""

from collections.abc import Iterable

from msgspec.structs import replace

from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert, AlertKind, CheckerIncident, OutageCause, Severity
from groundwatch.schemas.quantities import SECOND_US


class CheckerStatus(Record, frozen=True, kw_only=True):
    """How the calls to a checker end.

    Attributes:
      checker: its name or address.
      has_succeeded: whether a call of this process has succeeded, and the later ones have, too.
      failing_since_us: when the first of the calls failed since the last success; None for none.
      cause: why the last of them failed.
      problem: what its error says.
      is_refused: whether the checker refuses the worker's first calls, which ends it.
    """

    checker: str
    has_succeeded: bool = False
    failing_since_us: int | None = None
    cause: OutageCause = OutageCause.AWAY
    problem: str = ""
    is_refused: bool = False


class OutageRule(Record, frozen=True, kw_only=True):
    """When failing calls are worth an alert: after so long without a success."""

    after_us: int = 120 * SECOND_US


def detect_outages(
    incidents: Iterable[CheckerIncident],
    statuses: Iterable[CheckerStatus],
    rule: OutageRule,
    *,
    waiting: int,
    now_us: int,
) -> tuple[list[Alert], tuple[CheckerIncident, ...]]:
    """Return alerts for checkers that are away or reply again, and the incidents that are open.

    A worker that has just started knows nothing of its checker: an incident stays open until a call
    succeeds, or closes as unknown once another checker is used. `waiting` messages are not done: an
    outage that holds up none of them is not known to be one, since nothing calls the checker.
    """
    alerts: list[Alert] = []
    is_open: list[CheckerIncident] = []
    before = {incident.checker: incident for incident in incidents}
    for status in statuses:
        incident = before.pop(status.checker, None)
        since_us = status.failing_since_us
        if incident is None:
            is_long = since_us is not None and now_us - since_us >= rule.after_us
            if since_us is None or not (status.is_refused or (is_long and waiting)):
                continue
            incident = CheckerIncident(
                state="open",
                checker=status.checker,
                cause=status.cause,
                waiting=waiting,
                first_failed_at_us=since_us,
                opened_at_us=now_us,
            )
            alerts.append(_alert(incident, Severity.CRITICAL, now_us))
        elif since_us is None and status.has_succeeded:
            alerts.append(_closed(incident, "closed", waiting, now_us))
            continue
        is_open.append(incident)
    alerts += [_closed(each, "closed_unknown", waiting, now_us) for each in before.values()]
    return alerts, tuple(is_open)


def _closed(incident: CheckerIncident, state: str, waiting: int, now_us: int) -> Alert:
    return _alert(replace(incident, state=state, waiting=waiting), Severity.INFO, now_us)


def _alert(incident: CheckerIncident, severity: Severity, now_us: int) -> Alert:
    return Alert(kind=AlertKind.CHECKER, event_time_us=now_us, severity=severity, checker=incident)
