"""Report what a worker does: lines on a terminal, or JSON in a log."""

import logging
import time
from collections.abc import Callable, Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text

from groundwatch.launch.cli.terminal.figures import accounts_line, answer_ids, counted, printable
from groundwatch.launch.cli.terminal.progress import ENDS, read_gauges
from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.schemas.alert import Alert
from groundwatch.schemas.summary import Summary

_TERMINAL_EVERY_S = 1.0
_LOG_EVERY_S = 60.0
_LOGGED_FIELDS = (
    *("kind", "engine", "verdict", "verdict_reason", "record_id", "answer_name", "session"),
    *("support_score", "min_claim_score", "trace_id", "span_id", "record_url"),
)
_log = logging.getLogger(__name__)


class LogReporter:
    """Log a line when the worker starts and ends, and a heartbeat a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = self._last = read_gauges()
        self._reported_at_s = clock()

    def report_start(self, name: str, output: str, checker: str) -> None:
        _log.info("watching %s with the checker %s; records go to %s", name, checker, output)

    def report_alerts(self, alerts: Iterable[Alert]) -> None:
        """Report alerts that were raised, without their texts."""
        for alert in alerts:
            # The line is the template, so that no alert counts as a repeated line.
            line, _, _ = alert_line(alert).partition("\n")
            fields = {name: getattr(alert, name) for name in _LOGGED_FIELDS}
            given = {name: value for name, value in fields.items() if value is not None}
            _log.log(getattr(logging, alert.severity.upper()), line, extra=given)

    def report_progress(self, stats: SubscriptionStats, deferred: int) -> None:
        """Report how far the worker is, if it is time; `deferred` messages are not pulled again."""
        passed_s = self._clock() - self._reported_at_s
        if passed_s < _LOG_EVERY_S:
            return
        self._reported_at_s = self._clock()
        now = read_gauges()
        done = now["done"] - self._last["done"]
        self._last = now
        _log.info(
            "%d messages in the last %.0f s, %d outstanding",
            done,
            passed_s,
            stats.outstanding,
            extra={
                "messages_per_s": round(done / passed_s, 2),
                "messages": now["done"] - self._start["done"],
                "outstanding": stats.outstanding,
                "deferred": deferred,
                "oldest_age_s": round(stats.oldest_unacked_age_s, 1),
            },
        )

    def report_end(self, summary: Summary) -> None:
        _log.info("%s: %s", counted(summary.read, "message"), accounts_line(summary))


class TerminalReporter(LogReporter):
    """Write a line for each alert, and one a second while something happens."""

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._stream = stream
        self._console = Console(file=stream)

    def report_start(self, name: str, output: str, checker: str) -> None:
        self._write(
            f"Watching {name}, checker {checker}; records go to {output}. Ctrl-C drains and ends."
        )

    def report_alerts(self, alerts: Iterable[Alert]) -> None:
        for alert in alerts:
            self._write(f"      {alert_line(alert)}")

    def report_progress(self, stats: SubscriptionStats, deferred: int) -> None:  # noqa: ARG002 - of the base
        """Write how many answers have which verdict, if that has changed."""
        if self._clock() - self._reported_at_s < _TERMINAL_EVERY_S:
            return
        self._reported_at_s = self._clock()
        self._write_verdicts(deferred)

    def report_end(self, summary: Summary) -> None:
        """Write the last verdicts, and the counts of all messages and alerts."""
        self._write_verdicts(0)
        self._write(f"\n{counted(summary.read, 'message')}: {accounts_line(summary)}.")
        self._write(f"{counted(summary.alerts, 'alert')}.")

    def _write_verdicts(self, deferred: int) -> None:
        now = read_gauges()
        if now["done"] == self._last["done"]:
            return
        self._last = now
        more = f"; checks that take longer: {deferred:,}" if deferred else ""
        since = now - self._start
        ends = ", ".join(f"{name.lower()} {since[name]:,}" for name in ENDS if since[name])
        line = Text(f"{counted(since['done'], 'message'):>14}: {ends}{more}")
        if self._console.is_terminal:
            line.truncate(self._console.width, overflow="ellipsis")
        self._write(line.plain)

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


def alert_line(alert: Alert) -> str:
    """Write an alert as a line; a second one has its worst claim if the alert includes texts."""
    incident, checker = alert.incident, alert.checker
    parts = (
        alert.severity.upper(),
        alert.kind,
        alert.verdict or (alert.rate.signal if alert.rate else ""),
        incident.state if incident else "",
        checker.cause if checker else "",
        checker.checker if checker else alert.engine or "no engine",
        answer_ids(alert.record_id, alert.answer_name),
    )
    score = "" if alert.min_claim_score is None else f", worst claim {alert.min_claim_score:.2f}"
    claim = alert.worst_claim and alert.worst_claim.text
    text = f"\n        {printable(claim)}" if claim else ""
    return f"ALERT {printable(' '.join(filter(None, parts)))}{score}{text}"
