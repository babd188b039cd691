"""Report what a worker does: lines on a terminal, or JSON in a log."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TextIO

from launch.report.terminal_summary import accounts_line
from launch.terminal.figures import counted
from launch.terminal.gauges import Gauges, read_gauges
from schemas import Record
from schemas.alert import Alert
from schemas.summary import Summary
from schemas.verdict import Verdict

_SHORT_ID = 12
_TERMINAL_EVERY_S = 1.0
_LOG_EVERY_S = 60.0
_log = logging.getLogger(__name__)


class Started(Record, frozen=True, kw_only=True):
    """What a worker began with.

    Attributes:
      subscription: its full name.
      output: the output folder.
      checker: who checks.
      health: the address of its pages, None for none.
    """

    subscription: str
    output: str
    checker: str
    health: str | None = None


class Backlog(Record, frozen=True, kw_only=True):
    """What a worker has not finished.

    Attributes:
      outstanding: messages that it has pulled and not acknowledged.
      pending: those of them that wait for a check in the background, or for another attempt.
      oldest_age_s: since the oldest outstanding message was published; 0.0 for none.
    """

    outstanding: int
    pending: int
    oldest_age_s: float


class Reporter:
    """Report nothing: the base of the other reporters."""

    def report_start(self, started: Started) -> None:
        """Report that the worker begins to read."""

    def report_alerts(self, alerts: Iterable[Alert]) -> None:
        """Report alerts that were raised."""

    def report_progress(self, backlog: Backlog) -> None:
        """Report how far the worker is, if it is time."""

    def report_end(self, summary: Summary) -> None:
        """Report what came of all messages."""


class TerminalReporter(Reporter):
    """Write a line for each alert, and one a second while something happens.

    Args:
      stream: a terminal.
      clock: seconds, monotonic.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._start = self._last = read_gauges()
        self._reported_at_s = clock()

    def report_start(self, started: Started) -> None:
        """Write what is watched, and how to end it."""
        health = f"; health and metrics on {started.health}" if started.health else ""
        self._write(
            f"Watching {started.subscription}, checker {started.checker}; records go to"
            f" {started.output}{health}. Ctrl-C drains and ends."
        )

    def report_alerts(self, alerts: Iterable[Alert]) -> None:
        """Write a line for each."""
        for alert in alerts:
            self._write(f"      {alert_line(alert)}")

    def report_progress(self, backlog: Backlog) -> None:
        """Write how many answers have which verdict, if that has changed."""
        if self._clock() - self._reported_at_s < _TERMINAL_EVERY_S:
            return
        self._reported_at_s = self._clock()
        now = read_gauges()
        if now.done == self._last.done:
            return
        self._last = now
        pending = f"; checks that take longer: {backlog.pending:,}" if backlog.pending else ""
        self._write(f"{now.done - self._start.done:5,} answers: {tally(now, self._start)}{pending}")

    def report_end(self, summary: Summary) -> None:
        """Write the counts of all messages, and where the records are."""
        self._write(f"\n{counted(summary.read, 'message')}: {accounts_line(summary)}.")
        self._write(f"{counted(summary.alerts, 'alert')}.")

    def _write(self, line: str) -> None:
        self._stream.write(f"{line}\n")
        self._stream.flush()


class LogReporter(Reporter):
    """Write a line when the worker starts and ends, and a heartbeat a minute.

    Args:
      clock: seconds, monotonic.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = self._last = read_gauges()
        self._reported_at_s = clock()

    def report_start(self, started: Started) -> None:
        """Log what is watched."""
        _log.info(
            "watching %s with the checker %s; records go to %s",
            started.subscription,
            started.checker,
            started.output,
        )

    def report_progress(self, backlog: Backlog) -> None:
        """Log the heartbeat."""
        passed_s = self._clock() - self._reported_at_s
        if passed_s < _LOG_EVERY_S:
            return
        self._reported_at_s = self._clock()
        now = read_gauges()
        done = now.done - self._last.done
        self._last = now
        _log.info(
            "%d messages in the last %.0f s, %d outstanding",
            done,
            passed_s,
            backlog.outstanding,
            extra={
                "messages_per_s": round(done / passed_s, 2),
                "messages": now.done - self._start.done,
                "outstanding": backlog.outstanding,
                "pending": backlog.pending,
                "oldest_age_s": round(backlog.oldest_age_s, 1),
            },
        )

    def report_end(self, summary: Summary) -> None:
        """Log the counts of all messages."""
        _log.info("%s: %s", counted(summary.read, "message"), accounts_line(summary))


def tally(now: Gauges, start: Gauges) -> str:
    """Write how many answers have which verdict, those that there are."""
    counts = zip(Verdict, now.verdicts, start.verdicts, strict=True)
    found = {verdict: after - before for verdict, after, before in counts}
    return ", ".join(_named(found)) or "none checked yet"


def alert_line(alert: Alert) -> str:
    """Write an alert as a line, without a word of its answer."""
    incident = alert.rate or alert.no_data
    about = alert.verdict or (alert.rate.signal if alert.rate else "")
    score = "" if alert.min_claim_score is None else f", worst claim {alert.min_claim_score:.2f}"
    parts = (
        alert.severity.upper(),
        alert.kind,
        about,
        incident.state if incident else "",
        alert.engine or "no engine",
        (alert.record_id or "")[:_SHORT_ID],
    )
    return f"ALERT {' '.join(filter(None, parts))}{score}"


def _named(counts: Mapping[Verdict, int]) -> Iterable[str]:
    return (f"{verdict.lower()} {count:,}" for verdict, count in counts.items() if count)
