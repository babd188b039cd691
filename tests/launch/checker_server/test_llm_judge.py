"""A language model that scores claims behind an OpenAI-compatible address."""

import asyncio
import json
import time
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx
import msgspec
import pytest

from launch.__main__ import main
from launch.checker_server import llm_judge
from launch.checker_server.llm_judge import LlmJudge
from launch.checker_server.server import listening
from tests.support.checks import CHECK_PATH, check_request

REQUEST = check_request("Hello! Lamps glow. Tea is hot.", "Lamps glow.", "Kettles whistle.")
LAMPS = {"claim": 0, "support": 0.9, "facts": [0, 0]}
TEA = {"claim": 1, "support": 0, "facts": []}


def completion(content: str) -> dict[str, Any]:
    """A reply as the API's reference shows it, as far as it matters."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": content, "refusal": None},
            }
        ],
        "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
    }


def judgements(*claims: dict[str, Any]) -> bytes:
    return json.dumps(completion(json.dumps({"claims": claims}))).encode()


class FakeApi(ThreadingHTTPServer):
    """The API on this machine; replies with `status` and `content`, and keeps the requests."""

    status, content, blanks = 200, judgements(LAMPS, TEA), 0

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, str | None, dict[str, Any]]] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        api = self.server
        assert isinstance(api, FakeApi)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        api.requests.append((self.path, self.headers["Authorization"], body))
        self.send_response(api.status)
        self.send_header("Content-Length", str(len(api.content) + api.blanks))
        self.end_headers()
        with suppress(OSError):
            for _ in range(api.blanks):
                self.wfile.write(b"\n")
                time.sleep(0.05)
        self.wfile.write(api.content)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApi]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with FakeApi() as server:
        Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


def check(judge: LlmJudge) -> httpx.Response:
    """Check the request by a server with this judge."""

    async def ask() -> httpx.Response:
        async with (
            listening(port=0, scorer=judge.score) as address,
            httpx.AsyncClient(base_url=address, trust_env=False) as client,
        ):
            return await client.post(CHECK_PATH, content=msgspec.json.encode(REQUEST))

    return asyncio.run(ask())


def test_the_required_claims_are_scored_in_one_call(api: FakeApi) -> None:
    judge = LlmJudge(api.address, "small", "secret")
    reply = check(judge).json()
    assert [claim.get("score") for claim in reply["claims"]] == [
        None,
        pytest.approx(0.9),
        pytest.approx(0, abs=1e-5),
    ]
    assert [chunk["source"] for chunk in reply["citedChunks"]] == ["0"]
    [(path, key, request)] = api.requests
    assert (path, key, request["model"]) == ("/v1/chat/completions", "Bearer secret", "small")
    assert request["response_format"]["json_schema"]["strict"] is True
    assert json.loads(request["messages"][1]["content"]) == {
        "facts": {"0": "Lamps glow.", "1": "Kettles whistle."},
        "claims": {"0": "Lamps glow.", "1": "Tea is hot."},
    }
    assert (judge.usage.prompt_tokens, judge.usage.completion_tokens) == (120, 30)


def test_an_api_that_sends_blank_lines_instead_of_a_reply_is_not_waited_for(
    api: FakeApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm_judge, "_TIMEOUT_S", 0.3)
    api.blanks = 400
    started_s = time.monotonic()
    reply = check(LlmJudge(api.address, "small", None))
    assert time.monotonic() - started_s < 10
    assert (reply.status_code, reply.json()["error"]["message"]) == (
        503,
        "The judge gave no reply: ReadTimeout.",
    )


@pytest.mark.parametrize(
    ("status", "passed_on"), [(401, 401), (403, 403), (404, 400), (429, 429), (500, 503)]
)
def test_a_refusal_has_the_status_that_the_client_resolves_or_retries(
    api: FakeApi, status: int, passed_on: int
) -> None:
    api.status, api.content = status, b'{"error": {"message": "Lamps glow."}}'
    reply = check(LlmJudge(api.address, "small", None))
    assert reply.status_code == passed_on
    assert reply.json()["error"]["message"] == f"The judge replied with status {status}."
    assert api.requests[0][1] is None


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"<html>", id="not JSON"),
        pytest.param(b'{"choices": []}', id="no choice"),
        pytest.param(json.dumps(completion("I cannot.")).encode(), id="no JSON in the message"),
        pytest.param(judgements(LAMPS), id="a claim without a score"),
        pytest.param(judgements(LAMPS, TEA | {"support": 7}), id="a score over 1"),
        pytest.param(judgements(LAMPS, TEA | {"facts": [2]}), id="a fact that was not given"),
        pytest.param(judgements(LAMPS, TEA, TEA | {"claim": 2}), id="a claim that was not given"),
    ],
)
def test_an_invalid_reply_can_be_retried_and_is_not_quoted(api: FakeApi, content: bytes) -> None:
    api.content = content
    reply = check(LlmJudge(api.address, "small", None))
    assert reply.status_code == 503
    assert "Lamps" not in reply.text


def test_an_address_without_a_server_is_unavailable(api: FakeApi) -> None:
    address = api.address
    api.shutdown()
    api.server_close()
    assert check(LlmJudge(address, "small", None)).status_code == 503


@pytest.mark.parametrize(
    "arguments", [("--judge", "http://127.0.0.1:9/v1"), ("--judge_model", "small")]
)
def test_a_judge_needs_an_address_and_a_model(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve-checker", *arguments]) == 2
    assert "--judge and --judge_model belong together" in capsys.readouterr().err
