"""Send alerts to people: Slack, Google Chat, PagerDuty, and signed webhooks of your own."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

from groundwatch.launch.cli.terminal.exit_status import DONE, FAILED
from groundwatch.launch.targets import http_sender
from groundwatch.launch.targets.target import RowsRefused, Target, TargetFailed, TargetMisconfigured
from groundwatch.schemas import Record
from groundwatch.schemas.alert import Alert, AlertKind, RateIncident, Severity
from groundwatch.transforms.runtime import clock
from . import webhook_payloads
from .alert_notices import TEST_SIGNAL, AlertPlace, describe_group

_SHOWN_IN_PART = 5_000  # alerts about answers, of which a message shows five
_PAGERDUTY = "https://events.pagerduty.com/v2/enqueue"
_Request = tuple[bytes, dict[str, str]]
_Encode = Callable[[Sequence[Alert]], _Request]


class _ChatMessage(Record, frozen=True):
    """The message that Google Chat has created: https://developers.google.com/workspace/chat/api."""

    name: str


class _Enqueued(Record, frozen=True):
    """What PagerDuty answers for an event that it has taken."""

    status: Literal["success"]


class _Channel(NamedTuple):
    """How many alerts about answers a message of a channel takes, none if it takes incidents only.

    Further its address, what makes its requests, and what confirms its replies.
    """

    most_answers: int
    url: str
    encode: _Encode
    confirm: http_sender.Confirm[Any]


class AlertWebhook(Target[Alert]):
    """Post alerts to one address: each by itself, or grouped, as many as the channel takes."""

    part_pause_s = 1.0

    def __init__(self, name: str, channel: _Channel, *, is_grouped: bool = False) -> None:
        self.name = name
        self.max_rows = channel.most_answers if is_grouped else 1
        self.pause_s = 60.0 if is_grouped else 0.0
        self._channel = channel
        self._advice = f"renew the address or key in {name.partition(':')[2].partition(' ')[0]}"
        self._sender = http_sender.HttpSender(name, channel.url, self._advice)

    def send(self, rows: Sequence[Alert]) -> None:
        _, url, encode, confirm = self._channel
        content, headers = encode(rows)
        try:
            self._sender.send("POST", url, confirm, content=content, headers=headers)
        except RowsRefused as error:
            raise RowsRefused(f"{error}; {self._advice}") from None

    def close(self) -> None:
        self._sender.close()


def is_incident(alert: Alert) -> bool:
    """Return whether an alert is not about one answer."""
    return alert.kind is not AlertKind.ANSWER


def open_webhooks(
    kind: str, variable: str, source: str, place: AlertPlace | None = None
) -> Iterator[tuple[AlertWebhook, Callable[[Alert], bool]]]:
    """Open the targets of a channel, each with the alerts it takes: incidents, and answers.

    Incidents are sent at once. A message about answers holds all that have come since the last
    one, a minute before. PagerDuty takes incidents only. `source` is the subscription, `place`
    that of the records.

    Raises:
      TargetMisconfigured: the secret is missing, or is not what the kind of webhook needs.
    """
    name = f"{kind}:{variable}"
    channel = _channel(kind, name, http_sender.require_secret(variable).split(), source, place)
    _check_url(name, channel.url)
    yield AlertWebhook(f"{name} incidents", channel), is_incident
    if channel.most_answers:
        yield AlertWebhook(name, channel, is_grouped=True), lambda alert: not is_incident(alert)


def _channel(
    kind: str, name: str, secret: list[str], source: str, place: AlertPlace | None
) -> _Channel:
    match kind, secret:
        case "slack", [url]:
            return _Channel(
                _SHOWN_IN_PART,
                url,
                lambda alerts: _json(webhook_payloads.slack_message(describe_group(alerts, place))),
                lambda content: content if content.strip() == b"ok" else None,
            )
        case "google_chat", [url]:
            return _Channel(
                _SHOWN_IN_PART,
                url,
                lambda alerts: _json(
                    webhook_payloads.google_chat_message(describe_group(alerts, place))
                ),
                http_sender.json_of(_ChatMessage),
            )
        case "pagerduty", [key, *urls] if len(urls) <= 1:
            routing = {"routing_key": key}
            return _Channel(
                0,
                urls[0] if urls else _PAGERDUTY,
                lambda alerts: _json(routing | webhook_payloads.pagerduty_event(alerts[0], source)),
                http_sender.json_of(_Enqueued),
            )
        case "json", [url, key] if _is_key(key):
            return _Channel(
                100,
                url,
                lambda alerts: webhook_payloads.signed_request(alerts, source, key, clock.now_us()),
                http_sender.any_but_a_page,
            )
    if kind == "json" and len(secret) == 1:
        raise TargetMisconfigured(
            f"{name}: the signing key is missing: write it behind the address and a space, such as"
            " that of openssl rand -base64 32"
        )
    forms = {
        "pagerduty": "the integration key, and for Europe the address of the Events API behind it",
        "json": "the address and, behind a space, a signing key in base64, such as that of"
        " openssl rand -base64 32",
    }
    raise TargetMisconfigured(f"{name}: must hold {forms.get(kind, 'the address of the webhook')}")


def _is_key(key: str) -> bool:
    try:
        return bool(webhook_payloads.sign(key, "", "", b""))
    except ValueError:
        return False


def _check_url(name: str, url: str) -> None:
    """Refuse an address that would send the alerts and the secret without encryption."""
    with suppress(ValueError):
        scheme, host = urlsplit(url).scheme, urlsplit(url).hostname or ""
        is_encrypted = scheme == "https" and host
        if is_encrypted or (
            scheme == "http" and (host == "localhost" or ip_address(host).is_loopback)
        ):
            return
    raise TargetMisconfigured(
        f"{name}: must hold an address that begins with https://, or http:// of this machine"
    )


def _json(body: object) -> _Request:
    return msgspec.json.encode(body), {"Content-Type": "application/json"}


def send_test_alerts(
    webhooks: Sequence[tuple[str, str]], source: str, report: Callable[[str], object]
) -> int:
    """Open and close a test incident in each channel; return the exit status."""
    status, now_us = DONE, clock.now_us()
    for kind, variable in webhooks:
        target, _ = next(open_webhooks(kind, variable, source))
        try:
            for state in ("open", "closed"):
                rate = RateIncident(
                    signal=TEST_SIGNAL,
                    state=state,
                    share=0.0,
                    burn_rate=0.0,
                    answers=0,
                    opened_at_us=now_us,
                )
                alert = Alert(
                    kind=AlertKind.RATE, severity=Severity.INFO, event_time_us=now_us, rate=rate
                )
                target.send([alert])
            report(f"{kind}:{variable}: a test incident was opened and closed, both confirmed\n")
        except (RowsRefused, TargetFailed) as error:
            status = FAILED
            report(f"{error}\n")
        finally:
            target.close()
    return status
