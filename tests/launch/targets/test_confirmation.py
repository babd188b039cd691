"""Delivered means confirmed: every target takes the documented reply, and no other success."""

import pytest

from groundwatch.launch.targets.target import TargetMisconfigured
from tests.support.http_messages import Reply
from tests.support.result_targets import CHANNELS, TOOLS, OpenNamed, send_to
from tests.support.results_server import ResultsServer

BLOCKED = b"<html>\n<head><title>Blocked</title></head><body>Ask your administrator.</body></html>"
LOGIN = b"\n<!DOCTYPE html><html lang=en><form action=/login>"
PAGES = {"a proxy's page": Reply(200, BLOCKED), "a login page": Reply(200, LOGIN)}
OTHERS = {
    "nothing": Reply(200, b""),
    "another text": Reply(200, b"It works!"),
    "another object": Reply(200, b'{"success": false}'),
    "a list": Reply(200, b"[]"),
    "cut off": Reply(200, b'{"id": "'),
    "no text": Reply(200, b"\xff\xfe{}"),
}
# A webhook of one's own has no documented body; OTLP's is empty, or an object.
LOOSE = {"json": {*OTHERS}, "opentelemetry": {"nothing", "another object"}}
CASES = [
    (name, kind)
    for name in (*TOOLS, *CHANNELS)
    for kind in (*PAGES, *OTHERS)
    if kind not in LOOSE.get(name, set())
]


@pytest.mark.parametrize("name", [*TOOLS, *CHANNELS])
def test_the_documented_reply_confirms(
    name: str, server: ResultsServer, open_named: OpenNamed
) -> None:
    send_to(open_named(name), name)
    assert server.received


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_any_other_success_is_a_refusal_that_says_so(
    name: str, kind: str, server: ResultsServer, open_named: OpenNamed
) -> None:
    server.answer = lambda _: {**PAGES, **OTHERS}[kind]
    with pytest.raises(TargetMisconfigured) as raised:
        send_to(open_named(name), name)
    message = str(raised.value)
    assert "does not confirm: HTTP 200 with" in message
    assert "a proxy or a login page may answer in its place" in message
    assert ("a page of HTML" in message) == (kind in PAGES)
    assert not any(secret in message for secret in ("Blocked", "It works", "routing", "/hook"))


@pytest.mark.parametrize("content", [b"{}", b'{"partialSuccess": {}, "more": 1}', b""])
def test_a_receiver_may_answer_with_json_or_nothing(
    content: bytes, server: ResultsServer, open_named: OpenNamed
) -> None:
    server.answer = lambda _: Reply(body=content)
    send_to(open_named("opentelemetry"), "opentelemetry")
