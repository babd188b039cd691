"""Encode alerts as messages of Slack, Google Chat, PagerDuty and Standard Webhooks.

All texts of producers are untrusted: they are escaped, so that they cannot mention anybody.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from groundwatch.schemas.alert import Alert, alert_to_json
from groundwatch.schemas.quantities import to_rfc3339
from .alert_notices import Notice, NoticeGroup, clean, describe_alert, is_closed

Json = dict[str, Any]
_MAX_OTHERS = 500  # below the limit of a section after escaping
_SHORT_QUOTE = 100
_TITLE_CHARACTERS = 150
# Of PagerDuty: https://developer.pagerduty.com/docs/events-api-v2/trigger-events
_SUMMARY_CHARACTERS = 1_024
_SOURCE_CHARACTERS = 255
_KEY_PREFIX = "whsec_"


class _Markup(NamedTuple):
    """How a channel formats the lines of a notice, escapes their texts, and limits the whole.

    `size` measures a text, of which `most` is the largest that is sent, after escaping.
    """

    title: str
    quote: str
    link: str
    command: Callable[[str], str]
    line_break: str
    escape: Callable[[str], str]
    size: Callable[[str], int]
    most: int


_SLACK = _Markup(
    title="*{}*",
    quote=">{}",
    link="<{}|Open the record>",
    # As code, in which quotes stay straight; one sign of code would end at another.
    command=lambda text: f"```{text}```" if "`" in text else f"`{text}`",
    line_break="\n",
    escape=partial(escape, quote=False),
    size=lambda text: len(text.encode("utf-16-le")) // 2,
    most=3_000,
)
_GOOGLE_CHAT = _Markup(
    title="<b>{}</b>",
    quote="<i>{}</i>",
    link='<a href="{}">Open the record</a>',
    command=str,
    line_break="<br>",
    escape=escape,
    size=lambda text: len(text.encode()),
    most=5_000,
)


def slack_message(group: NoticeGroup) -> Json:
    """Return the body for a Slack incoming webhook.

    Sources: https://docs.slack.dev/messaging/formatting-message-text (escaping; `verbatim` turns
    off the detection of names), https://docs.slack.dev/reference/block-kit/blocks (50 blocks, 3,000
    characters a section, 150 a header).
    """
    texts = [_text(notice, _SLACK) for notice in group.notices]
    sections: list[Json] = [{"type": "section", "text": _slack_text(text)} for text in texts]
    if others := _others(group, _SLACK):
        sections.append({"type": "context", "elements": [_slack_text(others)]})
    title = {"type": "plain_text", "text": clean(group.title, _TITLE_CHARACTERS)}
    return {"text": group.title, "blocks": [{"type": "header", "text": title}, *sections]}


def _slack_text(text: str) -> Json:
    return {"type": "mrkdwn", "text": text, "verbatim": True}


def google_chat_message(group: NoticeGroup) -> Json:
    """Return the body for an incoming webhook of Google Chat: a card, whose text is HTML.

    Sources: https://developers.google.com/workspace/chat/format-messages,
    https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create
    (32,000 bytes a message). Mentions work in plain text only, not in cards.
    """
    texts = [_text(notice, _GOOGLE_CHAT) for notice in group.notices]
    if others := _others(group, _GOOGLE_CHAT):
        texts.append(others)
    widgets = [{"textParagraph": {"text": text}} for text in texts]
    card = {
        "header": {"title": clean(group.title, _TITLE_CHARACTERS)},
        "sections": [{"widgets": widgets}],
    }
    return {"cardsV2": [{"cardId": "groundwatch", "card": card}]}


def _others(group: NoticeGroup, markup: _Markup) -> str:
    """Return the text about alerts that are not shown, with the command if it is not too long."""
    if group.others is None:
        return ""
    counts = markup.escape(clean(group.others, _MAX_OTHERS))
    if group.command is None:
        return counts
    text = markup.line_break.join((counts, markup.command(markup.escape(group.command))))
    return text if markup.size(text) <= markup.most else counts


def _text(notice: Notice, markup: _Markup) -> str:
    """Return the text of a notice: what does not fit after escaping loses its quote, then more."""
    short = clean(notice.quote, _SHORT_QUOTE) if notice.quote else None
    variants = (
        notice,
        replace(notice, quote=short),
        replace(notice, quote=None),
        replace(notice, url=None, quote=short),
        replace(notice, url=None, command=None, quote=short),
    )
    texts = (markup.line_break.join(_lines(each, markup)) for each in variants)
    return next(text for text in texts if markup.size(text) <= markup.most)


def _lines(notice: Notice, markup: _Markup) -> Iterator[str]:
    yield markup.title.format(markup.escape(notice.title))
    if notice.details:
        yield markup.escape(notice.details)
    if notice.quote:
        yield markup.quote.format(markup.escape(notice.quote))
    if notice.url:
        yield markup.link.format(markup.escape(notice.url))
    elif notice.command:
        yield markup.command(markup.escape(notice.command))
    elif notice.record_id:
        yield markup.escape(f"record {notice.record_id}")


def pagerduty_event(alert: Alert, source: str) -> Json:
    """Return an event for an alert, without the routing key; that of an incident's end resolves it.

    Source: https://developer.pagerduty.com/docs/events-api-v2/trigger-events (255 characters of
    `dedup_key`, 1,024 of `summary`).
    """
    key = {"dedup_key": incident_key(alert, source)}
    if is_closed(alert):
        return {"event_action": "resolve", **key}
    notice = describe_alert(alert)
    payload = {
        "summary": clean(f"{notice.title}: {notice.details}", _SUMMARY_CHARACTERS),
        "source": clean(source, _SOURCE_CHARACTERS),
        "severity": alert.severity.value,
        "timestamp": to_rfc3339(alert.event_time_us),
        "component": alert.engine and clean(alert.engine),
        "group": "groundwatch",
        "class": alert.kind.value,
    }
    filled = {name: value for name, value in payload.items() if value is not None}
    return {"event_action": "trigger", **key, "client": "groundwatch", "payload": filled}


def incident_key(alert: Alert, source: str) -> str:
    """Identify an incident: its alerts have the same key, those of another one have another."""
    opened_at_us = alert.incident.opened_at_us if alert.incident else None
    subject = alert.rate.signal if alert.rate else alert.checker.checker if alert.checker else None
    identity = msgspec.json.encode([source, alert.kind, alert.engine, subject, opened_at_us])
    return f"groundwatch-{alert.kind}-{hashlib.sha256(identity).hexdigest()[:32]}"


def signed_request(
    alerts: Sequence[Alert], source: str, key: str, now_us: int
) -> tuple[bytes, dict[str, str]]:
    """Return the body and the headers of a Standard Webhook; equal alerts have an equal id.

    Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec
    """
    encoded = [alert_to_json(alert) for alert in alerts]
    data = {"source": source, "alerts": [msgspec.Raw(each) for each in encoded]}
    event = {"type": "groundwatch.alerts", "timestamp": to_rfc3339(now_us), "data": data}
    body = msgspec.json.encode(event)
    identity = hashlib.sha256(b"\n".join(encoded)).hexdigest()[:32]
    time = str(now_us // 1_000_000)
    return body, {
        "Content-Type": "application/json",
        "webhook-id": identity,
        "webhook-timestamp": time,
        "webhook-signature": sign(key, identity, time, body),
    }


def sign(key: str, identity: str, time: str, body: bytes) -> str:
    """Sign a Standard Webhook; ValueError if the key is not base64."""
    secret = base64.b64decode(key.removeprefix(_KEY_PREFIX), validate=True)
    signature = hmac.digest(secret, f"{identity}.{time}.".encode() + body, "sha256")
    return f"v1,{base64.b64encode(signature).decode()}"
