"""What a worker says while it works, on a terminal and in a log."""

import io
import json
import logging
import os
import pty
import signal
import sys
from contextlib import closing
from typing import Any

import pytest

from groundwatch.launch.cli.json_log import JsonLogHandler
from groundwatch.launch.engine.pubsub.outstanding import SubscriptionStats
from groundwatch.launch.watch import reporter
from groundwatch.launch.watch.reporter import LogReporter, TerminalReporter, alert_line
from groundwatch.schemas.alert import (
    Alert,
    AlertKind,
    NoDataIncident,
    RateIncident,
    Severity,
    WorstClaim,
)
from groundwatch.schemas.verdict import Verdict
from groundwatch.transforms.runtime import counters
from tests.schemas.test_summary import a_summary
from tests.support.archives import an_envelope, an_unsupported_envelope
from tests.support.builders import NOON_US, RECORD_ID, an_outage
from tests.support.clocks import ManualClock
from tests.support.commands import GROUNDWATCH, ChildProcess
from tests.support.waiting import wait_until
from tests.support.watched import SUBSCRIPTION, Watched

STARTED = ("projects/p/subscriptions/s", "out", "local")
WATCHING = (
    "Watching projects/p/subscriptions/s, checker local; records go to out. Ctrl-C drains and ends."
)
BACKLOG = (SubscriptionStats(processing=2, waiting=1, oldest_unacked_age_s=2.04), 1)


def an_alert(**fields: Any) -> Alert:
    given = {"kind": AlertKind.ANSWER, "severity": Severity.WARNING, "record_id": RECORD_ID}
    return Alert(**given | fields)


INCIDENT = RateIncident(
    signal="low_grounded", state="open", share=0.5, burn_rate=5.0, answers=20, opened_at_us=NOON_US
)
SILENCE = NoDataIncident(
    state="closed", answers_before=40, last_answer_at_us=NOON_US, opened_at_us=NOON_US
)


@pytest.mark.parametrize(
    ("alert", "line"),
    [
        (
            an_alert(
                verdict="LOW_GROUNDED",
                engine="shop",
                min_claim_score=0.174,
                answer_name="b/a-\x1b1",
            ),
            f"ALERT WARNING answer LOW_GROUNDED shop {RECORD_ID[:12]} (a- 1), worst claim 0.17",
        ),
        (
            an_alert(
                verdict="LOW_GROUNDED",
                worst_claim=WorstClaim(start=0, end=9, score=0.1, text="Lamps\x1b[2Jfly."),
            ),
            f"ALERT WARNING answer LOW_GROUNDED no engine {RECORD_ID[:12]}\n        Lamps [2Jfly.",
        ),
        (
            an_alert(kind=AlertKind.RATE, record_id=None, engine="shop", rate=INCIDENT),
            "ALERT WARNING rate low_grounded open shop",
        ),
        (
            an_alert(kind=AlertKind.NO_DATA, record_id=None, no_data=SILENCE),
            "ALERT WARNING no_data closed no engine",
        ),
        (
            an_alert(kind=AlertKind.CHECKER, record_id=None, checker=an_outage()),
            "ALERT WARNING checker open quota discoveryengine",
        ),
    ],
)
def test_an_alert_is_a_line(alert: Alert, line: str) -> None:
    assert alert_line(alert) == line


def test_a_terminal_shows_the_start_and_the_verdicts_as_they_change(clock: ManualClock) -> None:
    stream = io.StringIO()
    terminal = TerminalReporter(stream, clock)
    terminal.report_start(*STARTED)
    terminal.report_progress(*BACKLOG)
    for _ in range(3):
        counters.VERDICTS[Verdict.GROUNDED].inc()
        clock.advance(0.5)
        terminal.report_progress(*BACKLOG)
    clock.advance(60)
    terminal.report_progress(*BACKLOG)
    terminal.report_progress(*BACKLOG)
    clock.advance(60)
    terminal.report_progress(*BACKLOG)
    counters.VERDICTS[Verdict.GROUNDED].inc()
    counters.DUPLICATES_SEEN.inc()
    terminal.report_end(a_summary())
    assert stream.getvalue().splitlines()[:4] == [
        WATCHING,
        "    2 messages: grounded 2; checks that take longer: 1",
        "    3 messages: grounded 3; checks that take longer: 1",
        "    5 messages: grounded 4, duplicates 1",
    ]


def test_the_counts_fit_a_terminal(clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = io.StringIO()
    monkeypatch.setattr(stream, "isatty", lambda: True)
    terminal = TerminalReporter(stream, clock)
    for verdict in Verdict:
        counters.VERDICTS[verdict].inc(1_000)
    terminal.report_end(a_summary())
    assert stream.getvalue().splitlines()[0] == "7,000 messages: grounded 1,000, low_gro…"


def test_a_log_has_a_heartbeat_a_minute(
    clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, reporter.__name__)
    log = LogReporter(clock)
    log.report_start(*STARTED)
    for _ in range(3):
        counters.VERDICTS[Verdict.GROUNDED].inc(60)
        for _ in range(6):
            clock.advance(10)
            log.report_progress(*BACKLOG)
    assert caplog.messages == [
        "watching projects/p/subscriptions/s with the checker local; records go to out",
        *["60 messages in the last 60 s, 3 outstanding"] * 3,
    ]
    heartbeat = vars(caplog.records[-1])
    assert {name: heartbeat[name] for name in ("messages", "messages_per_s", "deferred")} == {
        "messages": 180,
        "messages_per_s": 1.0,
        "deferred": 1,
    }
    assert heartbeat["oldest_age_s"] == 2.0


def test_a_log_has_each_alert_as_a_line_without_its_texts() -> None:
    stream = io.StringIO()
    logging.getLogger(reporter.__name__).setLevel(logging.INFO)
    handler = JsonLogHandler(stream)
    logging.getLogger(reporter.__name__).addHandler(handler)
    claim = WorstClaim(start=0, end=9, score=0.1, text="Lamps fly.")
    fields = {"verdict": "LOW_GROUNDED", "engine": "50%s", "worst_claim": claim}
    answers = [an_alert(record_id=f"r{number}", **fields) for number in range(20)]
    incident = an_alert(kind=AlertKind.RATE, severity=Severity.CRITICAL, rate=INCIDENT)
    LogReporter().report_alerts([*answers, incident])
    logging.getLogger(reporter.__name__).removeHandler(handler)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [line.get("record_id") for line in lines] == [*(f"r{at}" for at in range(20)), RECORD_ID]
    assert lines[0]["message"] == "ALERT WARNING answer LOW_GROUNDED 50%s r0"
    assert lines[0]["engine"] == "50%s"
    assert [line["severity"] for line in lines[-2:]] == ["WARNING", "CRITICAL"]
    assert "Lamps" not in stream.getvalue()


def test_watch_speaks_on_a_terminal_from_the_start_to_the_end(watched: Watched) -> None:
    watched.publish(*map(an_envelope, range(30)), an_unsupported_envelope(30))
    command = [
        sys.executable,
        *GROUNDWATCH,
        "watch",
        *("--subscription", SUBSCRIPTION, "--output", str(watched.output)),
        *("--pubsub_address", watched.server.address),
    ]
    terminal, its_end = pty.openpty()
    with (
        closing(os.fdopen(terminal, "rb", buffering=0)) as stream,
        ChildProcess(command, stderr=its_end) as process,
    ):
        os.close(its_end)
        wait_until(lambda: not watched.outstanding, 60.0)
        process.send_signal(signal.SIGINT)
        lines = _read(stream).decode().splitlines()
        assert process.wait(60) == 0
    assert lines.pop() == f"groundwatch report {watched.output} makes a page of these answers."
    assert lines[0].startswith(f"Watching {SUBSCRIPTION}, checker local+small; records go to")
    assert any("ALERT CRITICAL answer LOW_GROUNDED shop" in line for line in lines)
    assert "31 messages: 31 enriched, 0 failures, 0 duplicates: every message" in lines[-2]
    assert not any(line.startswith("{") for line in lines)


def _read(stream: Any) -> bytes:
    """Read to the end, which a terminal shows by an error."""
    read = b""
    try:
        while chunk := stream.read(4096):
            read += chunk
    except OSError:
        pass
    return read
