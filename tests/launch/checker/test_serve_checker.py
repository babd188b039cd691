"""The embedded checker over HTTP: what it answers and refuses, and how it ends."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from math import inf
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from groundwatch.launch.checker import checker_server
from groundwatch.launch.checker.checker_server import listening
from groundwatch.transforms.grounding.embedded_service import load_checker
from tests.support.checks import CHECK_PATH, check_request
from tests.support.commands import GROUNDWATCH, start
from tests.support.entailment_models import write_model

BODY = msgspec.json.encode(check_request("Lamps glow.", "Lamps glow red."))

Conversation = Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]


def converse(conversation: Conversation, **given: Any) -> httpx.Response:
    """Run a conversation with a server on a free port and return its last response."""

    async def run() -> httpx.Response:
        async with (
            listening(port=0, **given) as address,
            httpx.AsyncClient(base_url=address, trust_env=False, timeout=60) as client,
        ):
            return await conversation(client)

    return asyncio.run(run())


def test_a_check_is_answered_over_http() -> None:
    response = converse(lambda client: client.post(f"{CHECK_PATH}?alt=json", content=BODY))
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("application/json")
    assert response.json()["claims"][0]["claimText"] == "Lamps glow."


def test_a_check_is_answered_by_a_model_where_one_is_given(tmp_path: Path) -> None:
    model = load_checker(write_model(tmp_path), inf)
    response = converse(lambda client: client.post(CHECK_PATH, content=BODY), checker=model)
    [claim] = response.json()["claims"]
    assert claim["score"] == pytest.approx(0.119, abs=1e-3)


def test_a_chunked_request_is_answered() -> None:
    async def chunks() -> AsyncIterator[bytes]:
        yield BODY[:20]
        yield BODY[20:]

    response = converse(lambda client: client.post(CHECK_PATH, content=chunks()))
    assert "transfer-encoding" in response.request.headers
    assert response.status_code == 200


def test_one_connection_carries_many_requests_and_many_connections_are_served() -> None:
    async def many(client: httpx.AsyncClient) -> httpx.Response:
        responses = await asyncio.gather(
            *(client.post(CHECK_PATH, content=BODY) for _ in range(200))
        )
        assert {response.status_code for response in responses} == {200}
        assert {response.http_version for response in responses} == {"HTTP/1.1"}
        return responses[-1]

    assert "connection" not in converse(many).headers


@pytest.mark.parametrize(
    ("method", "path", "status"), [("POST", "/", 404), ("GET", CHECK_PATH, 405)]
)
def test_errors_are_google_rpc_json(method: str, path: str, status: int) -> None:
    response = converse(lambda client: client.request(method, path))
    assert response.status_code == status
    assert response.json()["error"]["code"] == status


@pytest.mark.parametrize("chunked", [False, True], ids=["with its length", "chunked"])
def test_a_body_over_the_bound_is_refused(monkeypatch: pytest.MonkeyPatch, chunked: bool) -> None:
    monkeypatch.setattr(checker_server, "_MAX_BODY_BYTES", 10)

    async def chunks() -> AsyncIterator[bytes]:
        yield b"12345678"
        yield b"90123"

    content = chunks() if chunked else b"1234567890123"
    response = converse(lambda client: client.post(CHECK_PATH, content=content))
    assert response.status_code == 413
    assert response.json()["error"]["code"] == 413


def test_a_client_that_expects_to_be_reported_to_go_on_is_reported() -> None:
    async def first_line() -> bytes:
        async with listening(port=0) as address:
            reader, writer = await asyncio.open_connection(*address.split("//")[1].split(":"))
            head = f"POST {CHECK_PATH} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
            writer.write(f"{head}Content-Length: {len(BODY)}\r\n\r\n".encode())
            line = await reader.readline()
            writer.close()
            return line

    assert asyncio.run(first_line()) == b"HTTP/1.1 100 Continue\r\n"


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_the_server_cleanly(stop: signal.Signals) -> None:
    with start(*GROUNDWATCH, "serve-checker", "--port", "0") as server:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
            assert client.post(CHECK_PATH, content=BODY).status_code == 200
            server.send_signal(stop)
            output, errors = server.communicate(timeout=60)
    assert (server.returncode, output, errors) == (0, "", "")
