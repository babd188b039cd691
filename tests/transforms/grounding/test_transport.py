"""The transport below the client: framing, connections, TLS, cancellation and proxies."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from groundwatch.transforms.grounding import transport as transport_module
from groundwatch.transforms.grounding.client import GroundingClient
from groundwatch.transforms.grounding.embedded_service import LocalTransport
from groundwatch.transforms.grounding.errors import BadReply, Misconfigured, Unavailable
from groundwatch.transforms.grounding.settings import CheckSettings, RetrySettings
from groundwatch.transforms.grounding.transport import HttpTransport, open_transport
from tests.support.certificates import Identity, make_identity, server_context, write_certificate
from tests.support.checks import check_request
from tests.support.network import unset_network
from tests.support.scripted_server import Script, ScriptedServer, scripted_server


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    unset_network(monkeypatch)


OK = Script(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
HOST = "127.0.0.1"
WITHIN_S = 60.0
MOST_BYTES = 100_000

Conversation = Callable[[HttpTransport, ScriptedServer], Awaitable[None]]


async def post(transport: HttpTransport, url: httpx.URL) -> tuple[int, bytes]:
    request = httpx.Request("POST", url, content=b"{}")
    response = await transport.handle_async_request(request)
    return response.status_code, await response.aread()


def converse(conversation: Conversation, *scripts: Script) -> ScriptedServer:
    """Hold a conversation with a server, and return what the server noted."""

    async def run() -> ScriptedServer:
        async with asyncio.timeout(WITHIN_S), scripted_server(*scripts) as server:
            async with HttpTransport(server.url, MOST_BYTES) as transport:
                await conversation(transport, server)
            await until(lambda: server.open_connections == 0)
            return server

    return asyncio.run(run())


def replies_to(count: int, *scripts: Script) -> tuple[list[tuple[int, bytes]], ScriptedServer]:
    """Post one request after the other."""
    replies: list[tuple[int, bytes]] = []

    async def posts(transport: HttpTransport, server: ScriptedServer) -> None:
        replies.extend([await post(transport, server.url) for _ in range(count)])

    return replies, converse(posts, *scripts)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for what the event loop does."""
    while not holds():  # noqa: ASYNC110 - the state is the server's or the transport's
        await asyncio.sleep(0.001)


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"
TRAILER = CHUNKED[:-2] + b"Retry-After: 5\r\n\r\n"
FRAMINGS = {
    "length": OK,
    "chunks": Script(CHUNKED),
    "a trailer": Script(TRAILER),
    "byte by byte": Script(CHUNKED, piece=1),
    "an empty header": Script(b"HTTP/1.1 200 OK\r\nX:\r\nContent-Length: 5\r\n\r\nhello"),
    "100 Continue": Script(b"HTTP/1.1 100 Continue\r\n\r\n" + OK.content),
    "103 Early Hints": Script(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + OK.content, piece=9),
    "HTTP/1.0, kept alive": Script(
        b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello"
    ),
}
CLOSING = {
    "Connection: close": Script(
        b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello", closes=True
    ),
    "the end of the connection": Script(b"HTTP/1.1 200 OK\r\n\r\nhello", closes=True),
    "HTTP/1.0": Script(b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
    "HTTP/1.0 without a length": Script(b"HTTP/1.0 200 OK\r\n\r\nhello", closes=True),
}


@pytest.mark.parametrize("script", FRAMINGS.values(), ids=FRAMINGS)
def test_a_connection_is_reused_after_a_whole_response(script: Script) -> None:
    replies, server = replies_to(3, script)
    assert replies == [(200, b"hello")] * 3
    assert server.connections == 1


@pytest.mark.parametrize("script", CLOSING.values(), ids=CLOSING)
def test_a_server_that_closes_after_each_response_gets_a_new_connection(script: Script) -> None:
    replies, server = replies_to(3, script)
    assert replies == [(200, b"hello")] * 3
    assert server.connections == 3


def test_concurrent_requests_have_a_connection_each() -> None:
    async def post_all(transport: HttpTransport, server: ScriptedServer) -> None:
        for _ in range(3):
            replies = await asyncio.gather(*(post(transport, server.url) for _ in range(10)))
            assert replies == [(200, b"hello")] * 10

    assert converse(post_all, Script(OK.content, piece=3)).connections == 10


def test_the_request_is_sent_as_it_is() -> None:
    _, server = replies_to(1, OK)
    assert server.heads[0].startswith("POST /v1/c:check HTTP/1.1\r\nHost: 127.0.0.1:")
    assert "Content-Length: 2\r\n" in server.heads[0]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(OK.content + OK.content, id="a second response"),
        pytest.param(OK.content + b"garbage", id="garbage"),
    ],
)
def test_bytes_after_a_response_are_not_taken_for_the_next_one(content: bytes) -> None:
    replies, server = replies_to(2, Script(content), OK)
    assert replies == [(200, b"hello")] * 2
    assert server.connections == 2


BROKEN = {
    "a switch of protocols": b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    "a length and chunks": CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Length: 5\r\n\r\n", 1),
    "a negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
    "a control character": b"HTTP/1.1 200 OK\r\nX: a\x7fb\r\nContent-Length: 5\r\n\r\nhello",
    "a header after a space": b"HTTP/1.1 200 OK\r\nX : a\r\nContent-Length: 5\r\n\r\nhello",
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n",
    "many headers": b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    "an endless header": b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1_000_000,
    "endless interim responses": b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000,
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_an_invalid_response_fails_and_its_connection_is_not_reused(content: bytes) -> None:
    async def fail_then_succeed(transport: HttpTransport, server: ScriptedServer) -> None:
        with pytest.raises(httpx.RemoteProtocolError):
            await post(transport, server.url)
        assert await post(transport, server.url) == (200, b"hello")

    assert converse(fail_then_succeed, Script(content), OK).connections == 2


@pytest.mark.parametrize("piece", [0, 1_000], ids=["at once", "in pieces"])
def test_a_body_that_is_too_long_is_not_read_to_its_end(piece: int) -> None:
    body = bytes(8 * 2**20)
    whole = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)

    async def fail_then_succeed(transport: HttpTransport, server: ScriptedServer) -> None:
        with pytest.raises(BadReply, match=f"longer than {MOST_BYTES} bytes"):
            await post(transport, server.url)
        assert await post(transport, server.url) == (200, b"hello")

    assert converse(fail_then_succeed, Script(whole, piece=piece), OK).connections == 2


def test_a_connection_that_the_server_closed_meanwhile_is_not_used() -> None:
    async def post_twice(transport: HttpTransport, server: ScriptedServer) -> None:
        assert await post(transport, server.url) == (200, b"hello")
        await until(lambda: not transport.connections)
        assert await post(transport, server.url) == (200, b"hello")

    server = converse(post_twice, Script(OK.content, closes=True), OK)
    assert (server.connections, len(server.heads)) == (2, 2)


def test_a_connection_that_the_server_closes_at_once_is_a_failed_connection() -> None:
    async def run() -> None:
        async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.transport.abort()

        async with (
            asyncio.timeout(WITHIN_S),
            await asyncio.start_server(hang_up, HOST, 0) as server,
        ):
            url = httpx.URL(scheme="http", host=HOST, port=server.sockets[0].getsockname()[1])
            async with HttpTransport(url, MOST_BYTES) as transport:
                for _ in range(20):
                    with pytest.raises(
                        (httpx.ConnectError, httpx.ReadError, httpx.RemoteProtocolError)
                    ):
                        await post(transport, url)

    asyncio.run(run())


def test_a_connection_that_was_idle_for_long_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport_module, "_IDLE_TIMEOUT_S", 0.0)
    replies, server = replies_to(2, OK)
    assert replies == [(200, b"hello")] * 2
    assert server.connections == 2


def test_a_request_is_not_sent_again_by_the_transport() -> None:
    async def fail_on_a_stale_connection(transport: HttpTransport, server: ScriptedServer) -> None:
        await post(transport, server.url)
        with pytest.raises(httpx.RemoteProtocolError):
            await post(transport, server.url)
        assert await post(transport, server.url) == (200, b"hello")

    server = converse(fail_on_a_stale_connection, OK, Script(b"", closes=True), OK)
    assert len(server.heads) == 3


def test_a_header_with_a_line_break_is_not_sent() -> None:
    async def inject(transport: HttpTransport, server: ScriptedServer) -> None:
        request = httpx.Request("POST", server.url, headers={"X": "a\r\nInjected: b"})
        with pytest.raises(httpx.LocalProtocolError):
            await transport.handle_async_request(request)

    assert converse(inject, OK).heads == []


HANGING = {
    "before the header": Script(b""),
    "in the header": Script(b"HTTP/1.1 200 OK\r\nContent-"),
    "in the body": Script(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"),
    "in a chunk": Script(CHUNKED[:-9]),
}


@pytest.mark.parametrize("script", HANGING.values(), ids=HANGING)
def test_cancellation_closes_the_connection(script: Script) -> None:
    async def cancel(transport: HttpTransport, server: ScriptedServer) -> None:
        posting = asyncio.create_task(post(transport, server.url))
        await until(lambda: bool(server.heads))
        for _ in range(20):
            await asyncio.sleep(0)
        posting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await posting
        await until(lambda: server.open_connections == 0)
        assert await post(transport, server.url) == (200, b"hello")

    assert converse(cancel, script, OK).connections == 2


def test_cancellation_while_sending_closes_the_connection() -> None:
    closed = asyncio.Event()

    async def read_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0)
        started.set()
        await cancelled.wait()
        with contextlib.suppress(ConnectionError):
            while await reader.read(2**20):
                pass
        writer.close()
        closed.set()

    async def run() -> None:
        server = await asyncio.start_server(read_nothing, HOST, 0, limit=1_000)
        url = httpx.URL(scheme="http", host=HOST, port=server.sockets[0].getsockname()[1])
        request = httpx.Request("POST", url, content=bytes(50_000_000))
        async with asyncio.timeout(WITHIN_S), server, HttpTransport(url, MOST_BYTES) as transport:
            posting = asyncio.create_task(transport.handle_async_request(request))
            await started.wait()
            posting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await posting
            cancelled.set()
            await closed.wait()

    started, cancelled = asyncio.Event(), asyncio.Event()
    asyncio.run(run())


def test_cancellation_while_connecting_closes_the_connection() -> None:
    async def run() -> None:
        # The server never answers the TLS handshake.
        async with asyncio.timeout(WITHIN_S), scripted_server(OK) as server:
            origin = server.url.copy_with(scheme="https")
            async with HttpTransport(origin, MOST_BYTES) as transport:
                posting = asyncio.create_task(post(transport, origin))
                await until(lambda: server.open_connections == 1)
                posting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await posting
                await until(lambda: server.open_connections == 0)

    asyncio.run(run())


AUTHORITY = make_identity("groundwatch tests", is_authority=True)
REFUSED = {
    "a wrong host name": (make_identity("checker.example", AUTHORITY), "IP address mismatch"),
    "an expired certificate": (make_identity(HOST, AUTHORITY, expired=True), "has expired"),
    "a self-signed certificate": (make_identity(HOST), "self-signed certificate"),
    "an unknown authority": (
        make_identity(HOST, make_identity("others", is_authority=True)),
        "unable to get local issuer certificate",
    ),
}


def settings_for(address: str, **settings: object) -> CheckSettings:
    retries = RetrySettings(max_attempts=1, timeout_s=5.0)
    given = {"checker": address, "endpoint": address, "retries": retries, "cache_bytes": 0}
    return CheckSettings(**given | settings)  # type: ignore[arg-type]


async def check_over_tls(identity: Identity, folder: Path) -> ScriptedServer:
    async with scripted_server(
        Script(b'HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{"supportScore":1}'),
        tls=server_context(identity, folder),
    ) as server:
        try:
            async with contextlib.aclosing(
                GroundingClient(settings_for(f"https://{HOST}:{server.url.port}"))
            ) as client:
                await client.check(check_request("Lamps glow.", "Lamps glow."))
                await client.check(check_request("Doors close.", "Lamps glow."))
        finally:
            assert client.take_sent().calls == len(server.heads)
    return server


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, and the test's authority as one that the system trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(write_certificate(AUTHORITY, tmp_path)))
    return tmp_path


def test_a_trusted_certificate_is_accepted_and_the_connection_reused(trusted: Path) -> None:
    server = asyncio.run(check_over_tls(make_identity(HOST, AUTHORITY), trusted))
    assert (server.connections, len(server.heads)) == (1, 2)


@pytest.mark.parametrize(("identity", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_certificate_that_does_not_verify_is_refused_and_nothing_is_sent(
    trusted: Path, identity: Identity, reason: str
) -> None:
    with pytest.raises(Unavailable, match=reason) as failed:
        asyncio.run(check_over_tls(identity, trusted))
    assert not failed.value.was_sent


def test_a_body_bomb_is_cut_off() -> None:
    async def run() -> None:
        bomb = Script(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 99)
        async with scripted_server(bomb) as server:
            address = f"http://{HOST}:{server.url.port}"
            async with contextlib.aclosing(
                GroundingClient(settings_for(address, max_reply_bytes=50))
            ) as client:
                with pytest.raises(BadReply, match="longer than 50 bytes"):
                    await client.check(check_request("Lamps glow.", "Lamps glow."))
                await until(lambda: server.open_connections == 0)

    asyncio.run(run())


def test_the_client_retries_on_a_stale_connection_and_counts_both_requests() -> None:
    empty = Script(b'HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{"supportScore":1}')

    async def run() -> tuple[int, int]:
        async with scripted_server(empty, Script(b"", closes=True), empty) as server:
            address = f"http://{HOST}:{server.url.port}"
            settings = settings_for(address, retries=RetrySettings(max_attempts=2))
            async with contextlib.aclosing(GroundingClient(settings)) as client:
                await client.check(check_request("Lamps glow.", "Lamps glow."))
                await client.check(check_request("Doors close.", "Lamps glow."))
                return client.take_sent().calls, len(server.heads)

    assert asyncio.run(run()) == (3, 3)


def test_the_checkers_proxy_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "proxy:3128")
    settings = settings_for("http://checker.example")
    assert isinstance(open_transport(settings), httpx.AsyncHTTPTransport)
    assert isinstance(open_transport(settings_for("http://127.0.0.1:8080")), HttpTransport)
    assert isinstance(open_transport(CheckSettings()), LocalTransport)


@pytest.mark.parametrize("proxy", ["socks5://proxy:1080", "ftp://proxy"])
def test_a_proxy_that_cannot_be_used_is_a_matter_of_configuration(proxy: str) -> None:
    with pytest.raises(Misconfigured, match=r"^--proxy .* http://proxy:3128"):
        open_transport(settings_for("http://checker.example", proxy=proxy))


def test_a_checker_behind_a_proxy_that_is_away_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:hush@{HOST}:9")

    async def check() -> None:
        async with contextlib.aclosing(
            GroundingClient(settings_for("https://checker.example"))
        ) as client:
            await client.check(check_request("Lamps glow.", "Lamps glow."))

    expected = (
        f"cannot connect to https://checker.example through the proxy {HOST}:9 of HTTPS_PROXY"
        " (connection refused): check HTTPS_PROXY, or list the checker in NO_PROXY"
    )
    with pytest.raises(Unavailable) as failed:
        asyncio.run(check())
    assert str(failed.value) == expected
    assert not failed.value.was_sent
