"""Replies of a service: which may succeed later, which never, and what the message says."""

from pathlib import Path

import pytest

from groundwatch.launch.targets.http_sender import (
    HttpSender,
    any_but_a_page,
    read_secret,
    require_secret,
)
from groundwatch.launch.targets.target import RowsRefused, TargetMisconfigured, TargetUnavailable
from tests.support.http_messages import Reply
from tests.support.results_server import ResultsServer


def sender_to(url: str) -> HttpSender:
    return HttpSender("tool", url, "correct TOOL_KEY", auth=("user", "hush"))


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (400, RowsRefused, "HTTP 400"),
        (401, TargetMisconfigured, "the key is not accepted; correct TOOL_KEY"),
        (403, TargetMisconfigured, "no permission; correct TOOL_KEY"),
        (404, TargetMisconfigured, "no such address"),
        (302, TargetMisconfigured, "a redirect; name the final address"),
        (503, TargetUnavailable, "HTTP 503"),
    ],
)
def test_a_reply_says_whether_to_try_again(
    server: ResultsServer, status: int, error: type[Exception], message: str
) -> None:
    headers = {"Location": "http://elsewhere.example/"}
    server.answer = lambda _: Reply(status, b'{"detail": "the answer said"}', headers)
    with pytest.raises(error, match=message) as raised:
        sender_to(server.url).post("/scores", {"id": 1}, any_but_a_page)
    assert "the answer said" not in str(raised.value)
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("header", "wait_s"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "3600"}, 300.0),
        ({"Retry-After": "Tue, 03 Mar 2099 12:00:00 GMT"}, 300.0),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_a_service_says_how_long_to_wait(
    server: ResultsServer, header: dict[str, str], wait_s: float | None
) -> None:
    server.answer = lambda _: Reply(429, b"", header)
    with pytest.raises(TargetUnavailable) as raised:
        sender_to(server.url).post("/", {}, any_but_a_page)
    assert raised.value.retry_after_s == wait_s


def test_a_service_that_does_not_listen_may_succeed_later_and_no_secret_is_shown() -> None:
    sender = sender_to("http://key:hush@127.0.0.1:9/hooks/hush?token=hush")
    with pytest.raises(TargetUnavailable) as raised:
        sender.post("/", {}, any_but_a_page)
    assert str(raised.value) == "tool at http://127.0.0.1:9 does not answer (connection refused)"


def test_a_secret_is_read_from_the_environment_or_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TOOL_KEY", raising=False)
    with pytest.raises(TargetMisconfigured, match="TOOL_KEY is missing: set"):
        require_secret("TOOL_KEY")
    monkeypatch.setenv("TOOL_KEY", "one")
    assert read_secret("TOOL_KEY") == "one"
    path = tmp_path / "key"
    path.write_text("two\n")
    monkeypatch.setenv("TOOL_KEY_FILE", str(path))
    assert read_secret("TOOL_KEY") == "two"
    path.unlink()
    with pytest.raises(TargetMisconfigured, match="TOOL_KEY_FILE: cannot read"):
        read_secret("TOOL_KEY")


@pytest.mark.parametrize("written", ["key\n", " key\r\n", "\ufeffkey", "\tkey "])
def test_white_space_and_a_byte_order_mark_are_no_part_of_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("TOOL_KEY", written)
    assert read_secret("TOOL_KEY", in_header=True) == "key"
    (tmp_path / "key").write_text(written, encoding="utf-8")
    monkeypatch.setenv("TOOL_KEY_FILE", str(tmp_path / "key"))
    assert read_secret("TOOL_KEY", in_header=True) == "key"


@pytest.mark.parametrize("written", ["ke\u00fd", "sk\u2013key", "ke\ny", "ke\u200b"])
def test_a_secret_that_no_header_can_hold_is_named_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    monkeypatch.setenv("TOOL_KEY", written)
    assert read_secret("TOOL_KEY") == written
    with pytest.raises(TargetMisconfigured, match="TOOL_KEY: character 3 ") as raised:
        read_secret("TOOL_KEY", in_header=True)
    assert written not in str(raised.value)


@pytest.mark.parametrize(
    "address",
    [
        *("databricks", "./mlruns", "localhost:5000", "http://"),
        *("http://h:hush", "http://[::hush", "http://hush:99999/"),
    ],
)
def test_an_address_that_is_none_is_a_mistake_of_the_settings(address: str) -> None:
    with pytest.raises(TargetMisconfigured) as raised:
        sender_to(address)
    message = "tool needs an address such as http://127.0.0.1:8000; correct TOOL_KEY"
    assert str(raised.value) == message
