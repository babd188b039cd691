"""Alerts to people's channels: each service's request, its faults, its rate, and its secret."""

import io
import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from groundwatch.launch.cli.json_log import JsonLogHandler
from groundwatch.launch.cli.main import main
from groundwatch.launch.engine.outbox_rows import Delivered
from groundwatch.launch.targets.target import (
    RowsRefused,
    TargetMisconfigured,
    TargetUnavailable,
    deliver,
)
from groundwatch.launch.watch.alerts.webhooks import AlertWebhook, open_webhooks
from groundwatch.launch.watch.delivery import Delivery, OutboxLimits
from groundwatch.schemas.alert import Alert
from tests.launch.watch.alerts.test_alert_notices import a_rate, an_alert
from tests.launch.watch.alerts.test_webhook_payloads import KEY
from tests.support.clocks import ManualClock
from tests.support.http_messages import Reply
from tests.support.journals import commit_batch, open_journal
from tests.support.results_server import ResultsServer, results_server

SOURCE = "projects/p/subscriptions/s"
HIDDEN = "T00-SECRET"
KINDS = ("slack", "google_chat", "pagerduty", "json")


@pytest.fixture
def server() -> Iterator[ResultsServer]:
    with results_server() as server:
        yield server


@pytest.fixture(autouse=True)
def _secrets(server: ResultsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"{server.url}/services/{HIDDEN}?key=k"
    monkeypatch.setenv("SLACK", url)
    monkeypatch.setenv("GOOGLE_CHAT", url)
    monkeypatch.setenv("PAGERDUTY", f"routing-{HIDDEN} {url}")
    monkeypatch.setenv("JSON", f"{url} {KEY}")


def channel(kind: str) -> dict[str, AlertWebhook]:
    targets = [target for target, _ in open_webhooks(kind, kind.upper(), SOURCE)]
    return {"incidents": targets[0], "answers": targets[-1]}


@pytest.mark.parametrize("kind", ["slack", "google_chat", "json"])
def test_alerts_of_answers_are_posted_as_one_message(kind: str, server: ResultsServer) -> None:
    channel(kind)["answers"].send([an_alert(), an_alert(engine="help")])
    [request] = server.received
    assert (request.method, request.path) == ("POST", f"/services/{HIDDEN}?key=k")
    assert request.headers["content-type"] == "application/json"
    body = request.json
    found = {
        "slack": lambda: body["text"],
        "google_chat": lambda: body["cardsV2"][0]["card"]["header"]["title"],
        "json": lambda: f"groundwatch: {len(body['data']['alerts'])} alerts: LOW_GROUNDED 2",
    }[kind]()
    assert found == "groundwatch: 2 alerts: LOW_GROUNDED 2"


def test_pagerduty_gets_incidents_with_the_routing_key_and_no_answers(
    server: ResultsServer,
) -> None:
    [(target, accepts)] = open_webhooks("pagerduty", "PAGERDUTY", SOURCE)
    assert (accepts(a_rate()), accepts(an_alert())) == (True, False)
    for state in ("open", "closed"):
        target.send([a_rate(state)])
    opened, closed = server.bodies()
    assert opened["routing_key"] == closed["routing_key"] == f"routing-{HIDDEN}"
    assert (opened["event_action"], closed["event_action"]) == ("trigger", "resolve")
    assert opened["dedup_key"] == closed["dedup_key"]


@pytest.mark.parametrize(
    ("reply", "error", "message"),
    [
        (Reply(500), TargetUnavailable, "HTTP 500"),
        (Reply(404), TargetMisconfigured, "renew the address or key in SLACK"),
        (Reply(400, b"invalid_payload"), RowsRefused, "HTTP 400; renew"),
        (Reply(410, b"channel_is_archived"), TargetMisconfigured, "HTTP 410, .* is gone; renew"),
    ],
    ids=lambda value: str(getattr(value, "status", "")),
)
def test_a_reply_says_whether_to_try_again_and_quotes_no_secret(
    server: ResultsServer, reply: Reply, error: type[Exception], message: str
) -> None:
    server.answer = lambda _: reply
    with pytest.raises(error, match=message) as raised:
        channel("slack")["answers"].send([an_alert()])
    assert HIDDEN not in str(raised.value)


def in_quick_parts() -> AlertWebhook:
    """Open the channel for answers with parts that follow at once."""
    target = channel("slack")["answers"]
    target.part_pause_s = 1e-9
    return target


def test_a_message_that_is_refused_is_halved_until_the_refused_alert_stands_alone(
    server: ResultsServer, caplog: pytest.LogCaptureFixture
) -> None:
    alerts = [an_alert(record_id=f"r{n}", support_score=n / 100) for n in range(40)]
    server.answer = lambda request: (
        Reply(400) if b'record r2"' in request.body else Reply(body=b"ok")
    )
    assert deliver(in_quick_parts(), alerts) == Delivered(sent=39, refused=1)
    assert [each for each in caplog.messages if "refuses the record r2: HTTP 400" in each]
    assert HIDDEN not in caplog.text


def test_a_channel_that_refuses_everything_is_not_asked_for_each_alert(
    server: ResultsServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.answer = lambda _: Reply(400)
    alerts = [an_alert(record_id=f"r{n}") for n in range(5_000)]
    assert deliver(in_quick_parts(), alerts) == Delivered(refused=5_000)
    assert len(server.received) < 100
    assert len(caplog.messages) == 6
    assert HIDDEN not in caplog.text


def test_the_log_of_the_http_library_holds_no_secret() -> None:
    stream = io.StringIO()
    log, handler = logging.getLogger("httpx"), JsonLogHandler(stream)
    log.addHandler(handler)
    level, _ = log.level, log.setLevel(logging.DEBUG)
    try:
        channel("slack")["answers"].send([an_alert()])
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
    assert "HTTP Request" in stream.getvalue()
    assert HIDDEN not in stream.getvalue()


@pytest.mark.parametrize(
    ("kind", "secret", "reason"),
    [
        ("slack", None, "SLACK is missing"),
        ("slack", "hooks.slack.com/T00-SECRET", "must hold an address that begins with https"),
        ("slack", "http://hooks.slack.com/T00-SECRET", "must hold an address that begins with"),
        ("slack", "http://[T00-SECRET", "must hold an address that begins with"),
        ("slack", "https://h/T00-SECRET another", "must hold the address of the webhook"),
        ("google_chat", "ftp://h/T00-SECRET", "must hold an address that begins with"),
        ("pagerduty", "a https://h T00-SECRET", "must hold the integration key"),
        ("json", "https://h/T00-SECRET", "JSON: the signing key is missing: write it behind"),
        ("json", "https://h/ T00-SECRET!", "a signing key in base64, such as that of openssl"),
    ],
)
def test_a_wrong_secret_is_explained_before_the_worker_starts(
    kind: str,
    secret: str | None,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    name = kind.upper()
    monkeypatch.delenv(name) if secret is None else monkeypatch.setenv(name, secret)
    assert watch(f"{kind}:{name}") == 2
    printed = capsys.readouterr().err
    assert reason in printed
    assert HIDDEN not in printed


def watch(*webhooks: str, more: Sequence[str] = ()) -> int:
    given = ["--subscription", SOURCE, "--output", "out", "--alert_webhook", *webhooks, *more]
    return main(["watch", *given])


def test_a_secret_on_the_command_line_is_refused_and_not_repeated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for text in (f"https://hooks.slack.com/{HIDDEN}", f"slack:https://hooks.slack.com/{HIDDEN}"):
        assert watch(text) == 2
        printed = capsys.readouterr().err
        assert "--alert_webhook (a value that may be a secret): must be KIND:VARIABLE" in printed
        assert HIDDEN not in printed


def test_a_channel_that_is_named_twice_would_get_each_alert_twice(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert watch("slack:SLACK", more=["--alert_webhook", "slack:SLACK"]) == 2
    assert "--alert_webhook names slack:SLACK twice: pass it once" in capsys.readouterr().err


def test_a_test_incident_is_opened_and_closed_in_each_channel(
    server: ResultsServer, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    channels = [f"{kind}:{kind.upper()}" for kind in KINDS]
    more = ["--output", str(tmp_path / "out"), "--test_alert"]
    assert watch(*channels, more=more) == 0
    assert capsys.readouterr().err.count("opened and closed, both confirmed") == len(KINDS)
    assert len(server.received) == 2 * len(KINDS)
    server.answer = lambda _: Reply(404)
    assert watch(channels[0], more=more) == 1
    assert "renew the address or key in SLACK" in capsys.readouterr().err
    server.answer = lambda _: Reply(200, b"<html><body>Blocked.</body></html>")
    assert watch(*channels, more=more) == 1
    printed = capsys.readouterr().err
    assert printed.count("does not confirm: HTTP 200 with a page of HTML") == len(KINDS)
    assert "a test incident" not in printed


class SlackChannel:
    """A channel's two outbox kinds in a journal, delivered by a clock of the test's."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.journal = open_journal(folder)
        self.deliveries: list[Delivery[Alert]] = []
        for target, accepts in open_webhooks("slack", "SLACK", SOURCE):
            self.journal.outbox.add_destination(target.name, Alert, accepts)
            self.deliveries.append(
                Delivery(self.journal, Alert, target, OutboxLimits(), self.clock)
            )
        self.close = self.journal.close

    def raise_alerts(self, *alerts: Alert) -> None:
        commit_batch(self.journal, self.journal.next_number(), alerts=alerts)

    def step(self, passed_s: float = 0.0) -> None:
        self.clock.advance(passed_s)
        for delivery in self.deliveries:
            delivery.step(self.journal)

    def delivered(self) -> dict[str, int]:
        return {kind: each.sent for kind, each in self.journal.outbox.delivered().items()}


def test_one_message_a_minute_counts_the_others_and_incidents_go_at_once(
    server: ResultsServer, tmp_path: Path
) -> None:
    with closing(SlackChannel(tmp_path)) as channel:
        channel.raise_alerts(an_alert())
        channel.step()
        channel.raise_alerts(*[an_alert()] * 42)
        channel.step(59.0)
        assert [body["text"] for body in server.bodies()] == ["groundwatch: LOW_GROUNDED"]
        channel.raise_alerts(a_rate(), a_rate("closed"))
        channel.step()
        channel.step(1.0)
        texts = [body["text"] for body in server.bodies()[1:]]
        incidents = [f"groundwatch: rate incident {state}" for state in ("opened", "closed")]
        assert texts == [*incidents, "groundwatch: 42 alerts: LOW_GROUNDED 42"]
        last = json.dumps(server.bodies()[-1])
        assert "and 37 more: LOW_GROUNDED 37 (shop 37)" in last
        assert channel.delivered() == {"slack:SLACK": 43, "slack:SLACK incidents": 2}
