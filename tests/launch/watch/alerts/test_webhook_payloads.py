"""The bodies that each service gets: its documented fields and limits, and nobody mentioned."""

import base64
import html
import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwatch.launch.watch.alerts.alert_notices import AlertPlace, describe_group
from groundwatch.launch.watch.alerts.webhook_payloads import (
    google_chat_message,
    incident_key,
    pagerduty_event,
    sign,
    signed_request,
    slack_message,
)
from groundwatch.schemas.alert import Alert, Severity, WorstClaim
from tests.launch.watch.alerts.test_alert_notices import (
    a_ledger,
    a_rate,
    a_silence,
    an_alert,
    an_outage_alert,
)
from tests.support.builders import NOON_US

URL = "https://viewer.example/r/a"
MENTIONS = ["<!channel>", "<!here>", "<@U012AB3CD>", "<!subteam^S1>", "<users/all>", "&lt;!here>"]
KEY = "whsec_" + base64.b64encode(b"0123456789abcdef01234567").decode()


def hostile(text: str, url: str | None = None) -> Alert:
    """An alert that has a text wherever a producer can put one."""
    claim = WorstClaim(start=0, end=1, score=0.1, text=text)
    return an_alert(
        engine=text, verdict_reason=text, worst_claim=claim, record_id=text, record_url=url
    )


def slack_texts(body: dict[str, Any]) -> list[str]:
    [header, *blocks] = body["blocks"]
    assert header["type"] == "header"
    texts = [block.get("text") or block["elements"][0] for block in blocks]
    assert all(text["type"] == "mrkdwn" and text["verbatim"] for text in texts)
    return [text["text"] for text in texts]


def chat_texts(body: dict[str, Any]) -> list[str]:
    [card] = body["cardsV2"]
    [section] = card["card"]["sections"]
    return [widget["textParagraph"]["text"] for widget in section["widgets"]]


CHATS = pytest.mark.parametrize(
    ("encode", "texts"), [(slack_message, slack_texts), (google_chat_message, chat_texts)]
)


def test_slack_gets_verdict_engine_scores_and_link() -> None:
    body = slack_message(describe_group([an_alert(support_score=0.1, record_url=URL)]))
    assert body["text"] == "groundwatch: LOW_GROUNDED"
    assert slack_texts(body) == [
        f"*LOW_GROUNDED, shop*\nwarning, support score 0.10\n<{URL}|Open the record>"
    ]


def test_google_chat_gets_verdict_engine_scores_and_link() -> None:
    body = google_chat_message(describe_group([an_alert(support_score=0.1, record_url=URL)]))
    assert chat_texts(body) == [
        (
            "<b>LOW_GROUNDED, shop</b><br>warning, support score 0.10<br>"
            f'<a href="{URL}">Open the record</a>'
        )
    ]


@CHATS
def test_without_an_address_the_command_is_named(encode: Any, texts: Any) -> None:
    alert = an_alert(record_id="abc")
    [text] = texts(encode(describe_group([alert], AlertPlace("/out"))))
    assert "groundwatch show abc /out" in text
    [text] = texts(encode(describe_group([alert])))
    assert text.endswith("record abc")


@CHATS
def test_the_command_that_shows_more_alerts_ends_the_message(encode: Any, texts: Any) -> None:
    message = encode(describe_group([an_alert()] * 6, AlertPlace("/out & more")))
    last = html.unescape(texts(message)[-1])
    assert last.startswith("and 1 more: LOW_GROUNDED 1 (shop 1)")
    assert last.rstrip("`").endswith("groundwatch report '/out & more'")


@pytest.mark.parametrize("text", MENTIONS)
def test_a_producers_text_mentions_nobody(text: str) -> None:
    group = describe_group([hostile(text)] * 9)
    slack, chat = slack_message(group), google_chat_message(group)
    for message in slack_texts(slack):
        assert "<" not in message
        assert html.unescape(message).count(text) >= 1
    for message in chat_texts(chat):
        assert set(re.findall("<(.*?)>", message)) <= {"b", "/b", "i", "/i", "br"}
    assert text not in slack["text"]
    assert text not in str(slack["blocks"][0]) + str(chat["cardsV2"][0]["card"]["header"])


@settings(max_examples=30)
@given(
    text=st.sampled_from(["&", "<", '"', "🙂", "\u202e", "a"]) | st.text(max_size=20),
    times=st.sampled_from([1, 20, 400, 1_400, 5_000]),
    number=st.integers(1, 60),
    folder=st.sampled_from(["", "out", "gs://b/" + "&" * 3_000]),
)
def test_messages_stay_within_the_services_limits(
    text: str, times: int, number: int, folder: str
) -> None:
    url = f"https://viewer.example/{quote(text * times, safe='&')}"
    alerts = [hostile(f"{n}{text * times}", url) for n in range(number)]
    incident = a_rate(engine=text * 5_000)
    place = AlertPlace(folder, folder)
    for each in (describe_group(alerts, place), describe_group([incident, a_ledger()], place)):
        slack = slack_message(each)
        assert len(slack["blocks"]) <= 50
        assert len(slack["blocks"][0]["text"]["text"]) <= 150
        sizes = [len(message.encode("utf-16-le")) // 2 for message in slack_texts(slack)]
        assert max(sizes) <= 3_000
        assert len(json.dumps(google_chat_message(each), ensure_ascii=False).encode()) <= 32_000
    event = pagerduty_event(a_rate(engine=text * 5_000), text * 300 or "s")
    assert len(event["dedup_key"]) <= 255
    assert len(event["payload"]["summary"]) <= 1_024
    assert len(json.dumps(event)) <= 512_000


@CHATS
def test_what_exceeds_a_limit_loses_its_quote_and_then_its_link(encode: Any, texts: Any) -> None:
    def message(claim: str, url: str) -> str:
        worst = WorstClaim(start=0, end=1, score=0.1, text=claim)
        alert = an_alert(worst_claim=worst, record_url=url, record_id="abc")
        [text] = texts(encode(describe_group([alert], AlertPlace("out"))))
        return html.unescape(text)

    short, long = "Lamps glow.", "Lamps & doors. " * 20
    assert short in message(short, URL)
    assert long[:250] in message(long, URL)
    middle = f"{URL}?{'&' * 500}"
    assert middle in message(long, middle)
    endless = f"{URL}?{'&' * 1_400}"
    assert "groundwatch show abc out" in message(short, endless)
    assert endless not in message(short, endless)


def test_an_incident_triggers_and_resolves_with_one_key() -> None:
    opened, closed = (pagerduty_event(a_rate(state), "projects/p") for state in ("open", "closed"))
    assert opened == {
        "event_action": "trigger",
        "dedup_key": opened["dedup_key"],
        "client": "groundwatch",
        "payload": {
            "summary": "Open: low_grounded rate of shop: 45.0% of 1,200 answers, 4.5 times the"
            " accepted rate, since 2026-03-03T12:00:00.000000Z",
            "source": "projects/p",
            "severity": "critical",
            "timestamp": "2026-03-03T12:00:00.000000Z",
            "component": "shop",
            "group": "groundwatch",
            "class": "rate",
        },
    }
    assert closed == {"event_action": "resolve", "dedup_key": opened["dedup_key"]}


def test_other_incidents_have_other_keys() -> None:
    alerts = [a_rate(), a_rate(engine="help"), a_rate(engine=None), a_silence(), a_ledger()]
    alerts += [an_outage_alert(), an_outage_alert(checker="http://h:2")]
    keys = {incident_key(alert, source) for alert in alerts for source in ("one", "two")}
    assert len(keys) == 2 * len(alerts)


@pytest.mark.parametrize("severity", Severity)
def test_severities_are_pagerdutys(severity: Severity) -> None:
    payload = pagerduty_event(a_rate(severity=severity), "s")["payload"]
    assert payload["severity"] == severity.value
    assert payload["severity"] in {"critical", "error", "warning", "info"}


def test_a_signature_is_that_of_the_specifications_libraries() -> None:
    # The values in the tests of Standard Webhooks' own libraries.
    key, identity = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek"
    signature = sign(key, identity, "1614265330", b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_signed_request_is_a_standard_webhook() -> None:
    body, headers = signed_request([an_alert()], "projects/p", KEY, NOON_US)
    event = json.loads(body)
    assert (event["type"], event["data"]["source"]) == ("groundwatch.alerts", "projects/p")
    assert event["data"]["alerts"][0]["verdict"] == "LOW_GROUNDED"
    identity, time = headers["webhook-id"], headers["webhook-timestamp"]
    assert headers["webhook-signature"] == sign(KEY, identity, time, body)
    assert int(time) == NOON_US // 1_000_000


def test_a_request_that_is_sent_again_has_the_same_id() -> None:
    first, again, other = (
        signed_request([an_alert(engine=engine)], "s", KEY, time)[1]
        for engine, time in (("shop", NOON_US), ("shop", NOON_US + 5_000_000), ("help", NOON_US))
    )
    assert first["webhook-id"] == again["webhook-id"] != other["webhook-id"]
    assert first["webhook-signature"] != again["webhook-signature"]
