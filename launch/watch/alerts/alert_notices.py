"""Describe alerts for people: a title, details and a link, and a summary of many."""

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from groundwatch.schemas import Record
from groundwatch.schemas.alert import (
    Alert,
    AlertKind,
    CheckerIncident,
    OutageCause,
    RateIncident,
    Severity,
)
from groundwatch.schemas.quantities import to_datetime, to_rfc3339
from groundwatch.transforms.rules.rate_counts import is_reason_signal
from groundwatch.transforms.rules.spans import without_controls

_MAX_NAME, _MAX_QUOTE, _MAX_URL = 80, 300, 1_500
_MAX_SHOWN, _MAX_ENGINES = 5, 5
_SEVERITIES = (Severity.CRITICAL, Severity.WARNING, Severity.INFO)
_CAUSES = {
    OutageCause.AWAY: "is away",
    OutageCause.CREDENTIALS: "refuses the credentials",
    OutageCause.QUOTA: "refuses for the quota",
}
_NEXT_STEPS = {
    OutageCause.AWAY: "they are checked when it replies",
    OutageCause.CREDENTIALS: "renew the credentials, and start the worker again if it has ended",
    OutageCause.QUOTA: "they are checked when it replies; raise the quota if it lasts",
}
TEST_SIGNAL = "test"
"""The signal of an incident that `--test_alert` opens and closes."""

_CLOSED = "closed"  # begins the state of an incident that gets no further alert


class Notice(Record, frozen=True, kw_only=True):
    """An alert in short, untrusted texts, which have no control characters; `quote` is a claim.

    `command` is a line for a shell that shows more, where an address is absent.
    """

    title: str
    details: str
    quote: str | None = None
    url: str | None = None
    command: str | None = None
    record_id: str | None = None


class NoticeGroup(Record, frozen=True, kw_only=True):
    """Alerts of one message: the worst, and counts of the others; the title is trusted.

    `command` is a line for a shell that shows the others, too.
    """

    title: str
    notices: tuple[Notice, ...]
    others: str | None = None
    command: str | None = None


class AlertPlace(NamedTuple):
    """Where commands find the records of alerts: absolute local paths, or gs://.

    `work_folder` is that of the worker if it is not in the output folder.
    """

    folder: str
    work_folder: str | None = None

    def show(self, record_id: str | None) -> str | None:
        return (
            _command("show", record_id, self.folder, *self._work_folder_flag) if record_id else None
        )

    def report(self) -> str | None:
        return _command("report", self.folder)

    def verify(self) -> str | None:
        return _command("verify", self.folder, *self._work_folder_flag)

    @property
    def _work_folder_flag(self) -> Sequence[str]:
        return ("--work_folder", self.work_folder) if self.work_folder else ()


def _command(*words: str) -> str | None:
    """Return a line that any shell reads as it is pasted; None if a word cannot be in a line."""
    if any(without_controls(word) != word for word in words):
        return None
    return shlex.join(("groundwatch", *words))


def is_closed(alert: Alert) -> bool:
    """Return whether an alert closes an incident."""
    incident = alert.incident
    return incident is not None and incident.state.startswith(_CLOSED)


def describe_alert(alert: Alert, place: AlertPlace | None = None) -> Notice:
    """Describe an alert by its kind; without a place there is no command."""
    if alert.kind is AlertKind.ANSWER:
        return _describe_answer(alert, place)
    if alert.kind is AlertKind.LEDGER:
        return Notice(
            title="The counts do not add up",
            details="groundwatch verify on the output folder says what differs.",
            command=place and place.verify(),
        )
    if alert.checker:
        return _describe_outage(alert.checker)
    if alert.rate:
        return _describe_rate(alert, alert.rate, place)
    details = ""
    if no_data := alert.no_data:
        last, before = to_rfc3339(no_data.last_answer_at_us), no_data.answers_before
        details = f"last answer at {last}, {before:,} answers in the hour before"
        if not is_closed(alert):
            details += "; look whether the chatbot publishes its answers"
    return Notice(title=f"{_state(alert)}: no answers from {_engine(alert)}", details=details)


def describe_group(alerts: Sequence[Alert], place: AlertPlace | None = None) -> NoticeGroup:
    """Describe the worst alerts of a place; count the others by verdict and engine."""
    ranked = sorted(alerts, key=_rank)
    shown, others = ranked[:_MAX_SHOWN], ranked[_MAX_SHOWN:]
    subjects = Counter(map(_subject, alerts))
    counts = ", ".join(f"{subject} {count:,}" for subject, count in subjects.most_common())
    what = f"{len(alerts):,} alerts: {counts}" if len(alerts) > 1 else "".join(subjects)
    return NoticeGroup(
        title=f"groundwatch: {what}",
        notices=tuple(describe_alert(alert, place) for alert in shown),
        others=f"and {len(others):,} more: {_by_engine(others)}" if others else None,
        command=place.report() if others and place else None,
    )


def clean(text: str, max_characters: int = _MAX_NAME) -> str:
    """Shorten an untrusted text to one line, and remove its control characters."""
    line = " ".join(without_controls(text[: 2 * max_characters]).split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}…"


def _describe_answer(alert: Alert, place: AlertPlace | None) -> Notice:
    claim = alert.worst_claim
    time_us = alert.event_time_us
    parts = (
        alert.severity,
        None if time_us is None else f"{to_datetime(time_us):%Y-%m-%d %H:%M} UTC",
        None if alert.support_score is None else f"support score {alert.support_score:.2f}",
        None if claim is None else f"worst claim {claim.score:.2f}",
        clean(alert.verdict_reason or ""),
        clean(", ".join(alert.tags)),
    )
    return Notice(
        title=f"{alert.verdict}, {_engine(alert)}",
        details=", ".join(filter(None, parts)),
        quote=clean(claim.text, _MAX_QUOTE) if claim and claim.text else None,
        url=alert.record_url if len(alert.record_url or "") <= _MAX_URL else None,
        command=place and place.show(alert.record_id),
        record_id=clean(alert.record_id or ""),
    )


def _describe_rate(alert: Alert, rate: RateIncident, place: AlertPlace | None) -> Notice:
    state, engine = _state(alert), _engine(alert)
    if rate.signal == TEST_SIGNAL:
        return Notice(title=f"{state}: a test incident", details="nothing is wrong")
    normal = "earlier" if is_reason_signal(rate.signal) else "accepted"
    share = f"{rate.share:.1%} of {rate.answers:,} answers, {rate.burn_rate:.1f} times"
    details = f"{share} the {normal} rate, since {to_rfc3339(rate.opened_at_us)}"
    if rate.revisions:
        details += f"; checked by several revisions: {clean(', '.join(rate.revisions))}"
    return Notice(
        title=f"{state}: {clean(rate.signal)} rate of {engine}",
        details=details,
        command=None if is_closed(alert) or not place else place.report(),
    )


def _describe_outage(incident: CheckerIncident) -> Notice:
    name, since = clean(incident.checker), to_rfc3339(incident.first_failed_at_us)
    waiting = f"{incident.waiting:,} messages wait"
    if incident.state == "open":
        return Notice(
            title=f"Open: the checker {name} {_CAUSES[incident.cause]}",
            details=(
                f"no call has succeeded since {since}; {waiting}: {_NEXT_STEPS[incident.cause]}"
            ),
        )
    again = "replies again" if incident.state == _CLOSED else "is not used any more"
    return Notice(
        title=f"Closed: the checker {name} {again}",
        details=f"no call had succeeded since {since}; {waiting}",
    )


def _state(alert: Alert) -> str:
    return "Closed" if is_closed(alert) else "Open"


def _engine(alert: Alert) -> str:
    if alert.engine is not None:
        return clean(alert.engine)
    return "no engine" if alert.kind is AlertKind.ANSWER else "the whole subscription"


def _rank(alert: Alert) -> tuple[int, float]:
    score = 1.0 if alert.support_score is None else alert.support_score
    return _SEVERITIES.index(alert.severity), score


def _by_engine(alerts: Sequence[Alert]) -> str:
    engines: dict[str, Counter[str]] = {}
    for alert in alerts:
        engines.setdefault(_subject(alert), Counter())[_engine(alert)] += 1
    return ", ".join(
        f"{subject} {counts.total():,} ({_most_common(counts)})"
        for subject, counts in engines.items()
    )


def _subject(alert: Alert) -> str:
    if alert.verdict:
        return alert.verdict
    is_test = alert.rate is not None and alert.rate.signal == TEST_SIGNAL
    state = f" {'closed' if is_closed(alert) else 'opened'}" if alert.incident else ""
    return f"{TEST_SIGNAL if is_test else alert.kind} incident{state}"


def _most_common(counts: Counter[str]) -> str:
    named = [f"{engine} {count:,}" for engine, count in counts.most_common(_MAX_ENGINES)]
    rest = len(counts) - len(named)
    return ", ".join([*named, f"{rest:,} further engines"] if rest else named)
