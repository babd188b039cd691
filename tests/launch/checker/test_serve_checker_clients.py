"""Hostile clients of the checker's server, which must not keep others out."""

import asyncio
import gzip
import resource
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import httpx
import msgspec
import pytest

from groundwatch.launch.checker import checker_server
from groundwatch.launch.checker.checker_server import listening
from groundwatch.transforms.grounding.embedded_service import LocalTransport
from groundwatch.transforms.grounding.protocol import HttpReply
from tests.support.checks import CHECK_PATH, check_request
from tests.support.commands import ChildProcess, start
from tests.support.hostile_texts import FAMILIES

BODY = msgspec.json.encode(check_request("Lamps glow.", "Lamps glow red."))
HEAD = f"POST {CHECK_PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: "
SOON_S = 0.3
FILES = 256


class Server:
    """A server in a process of its own that may open 256 files."""

    def __init__(self, process: ChildProcess, address: str) -> None:
        self.process = process
        self.address = address
        host, port = address.removeprefix("http://").rsplit(":", 1)
        self.place = host, int(port)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.place, timeout=60)

    def status(self) -> int:
        with httpx.Client(base_url=self.address, trust_env=False, timeout=60) as client:
            return client.post(CHECK_PATH, content=BODY).status_code

    def stop(self) -> str:
        """Stop the server; returns what it wrote to standard error."""
        self.process.terminate()
        _, errors = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        return errors


@pytest.fixture
def server() -> Iterator[Server]:
    program = (
        "import resource, sys; from groundwatch.launch.cli.main import main;"
        f" resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}));"
        " sys.exit(main(['serve-checker', '--port', '0']))"
    )
    with start("-c", program) as process:
        assert process.stdout is not None
        yield Server(process, process.stdout.readline().split()[-1])


def say_nothing(_: socket.socket) -> None:
    pass


def send_half_a_head(client: socket.socket) -> None:
    client.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ")


def send_half_a_body(client: socket.socket) -> None:
    client.sendall(f"{HEAD}1000\r\n\r\n{{".encode())


def send_half_a_large_body(client: socket.socket) -> None:
    client.sendall(f"{HEAD}30000000\r\n\r\n{{".encode())


def ask_and_stay(client: socket.socket) -> None:
    client.sendall(f"{HEAD}{len(BODY)}\r\n\r\n".encode() + BODY)
    assert client.recv(12) == b"HTTP/1.1 200"


ACTS = (say_nothing, send_half_a_head, send_half_a_body, send_half_a_large_body, ask_and_stay)
MANY = 400
"""Clients, more than the server may open files and the system lets wait for it."""


@pytest.mark.parametrize("act", ACTS)
def test_clients_that_hold_connections_keep_nobody_out(
    server: Server, act: Callable[[socket.socket], None]
) -> None:
    with ExitStack() as clients:
        for _ in range(MANY):
            act(clients.enter_context(server.connect()))
        for _ in range(3):
            assert server.status() == 200
    assert server.stop() == ""


def reset(client: socket.socket) -> None:
    """Close with a reset instead of an end."""
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


@pytest.mark.parametrize("leave", [lambda _: None, reset], ids=["end", "reset"])
def test_clients_that_go_away_leave_no_trace(
    server: Server, leave: Callable[[socket.socket], None]
) -> None:
    for act in ACTS:
        for _ in range(20):
            with server.connect() as client:
                act(client)
                leave(client)
        assert server.status() == 200, act
    assert server.stop() == ""


NONSENSE = {
    "TLS": b"\x16\x03\x01\x02\x00\r\n\r\n",
    "no path": b"GET\r\n\r\n",
    "a long path": b"GET /" + b"a" * 100_000,
    "no text": b"\xff" * 1_000,
}


def test_nonsense_leaves_no_trace(server: Server) -> None:
    for name, nonsense in NONSENSE.items():
        with server.connect() as client:
            client.sendall(nonsense + b"\r\n\r\n")
            client.shutdown(socket.SHUT_WR)
            while client.recv(10_000):
                pass
        assert server.status() == 200, name
    assert server.stop() == ""


def test_a_client_that_leaves_during_a_long_check_leaves_no_trace(server: Server) -> None:
    body = hostile_body(20)
    with server.connect() as client:
        client.sendall(f"{HEAD}{len(body)}\r\n\r\n".encode() + body)
        reset(client)
    assert server.status() == 200
    assert server.stop() == ""


def hostile_body(facts: int) -> bytes:
    case = FAMILIES["tables of numbers"](facts, 20 * facts)
    return msgspec.json.encode(check_request(case.answer, *case.facts))


def test_others_are_answered_while_a_long_check_runs(server: Server) -> None:
    body = hostile_body(200)
    with closing(server.connect()) as client:
        client.settimeout(60)
        client.sendall(f"{HEAD}{len(body)}\r\n\r\n".encode() + body)
        client.setblocking(False)
        seconds = []
        while True:
            started_s = time.monotonic()
            assert server.status() == 200
            seconds.append(time.monotonic() - started_s)
            try:
                assert client.recv(12) == b"HTTP/1.1 200"
                break
            except BlockingIOError:
                continue
    # Several were answered before the long one was.
    assert len(seconds) > 3


Conversation = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[bytes]]


def talk(conversation: Conversation) -> bytes:
    """Have a conversation with a server whose deadline is short."""

    async def run() -> bytes:
        async with listening(port=0) as address:
            place = address.removeprefix("http://").split(":")
            reader, writer = await asyncio.open_connection(*place)
            try:
                async with asyncio.timeout(100):
                    return await conversation(reader, writer)
            finally:
                writer.close()

    return asyncio.run(run())


@contextmanager
def shortly(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    started_s = time.monotonic()
    monkeypatch.setattr(checker_server, "_DEADLINE_S", SOON_S)
    yield
    assert SOON_S <= time.monotonic() - started_s < 15


async def drip(writer: asyncio.StreamWriter) -> None:
    while not writer.is_closing():
        writer.write(b"x")
        await asyncio.sleep(SOON_S / 10)


async def read_while_dripping(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, start: bytes
) -> bytes:
    writer.write(start)
    dripping = asyncio.create_task(drip(writer))
    received = b""
    try:
        # The reply comes before the connection is reset.
        while chunk := await reader.read(1_000):
            received += chunk
    except ConnectionError:
        pass
    finally:
        dripping.cancel()
    return received


def test_a_connection_on_which_nothing_comes_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    with shortly(monkeypatch):
        assert talk(lambda reader, _: reader.read()) == b""


def test_a_head_that_does_not_come_in_time_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    head = b"POST / HTTP/1.1\r\nX-Slow: "
    with shortly(monkeypatch):
        assert talk(lambda reader, writer: read_while_dripping(reader, writer, head)) == b""


@pytest.mark.parametrize("length", [1_000, 1_000_000])
def test_a_body_that_does_not_come_in_time_is_refused(
    monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    start = f"{HEAD}{length}\r\n\r\n{{".encode()
    with shortly(monkeypatch):
        response = talk(lambda reader, writer: read_while_dripping(reader, writer, start))
    assert response.startswith(b"HTTP/1.1 408")
    assert b"DEADLINE_EXCEEDED" in response


def test_a_client_that_does_not_read_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    fact = "Lamps glow red. " * 600
    body = msgspec.json.encode(check_request("Lamps glow red. " * 500, *[fact] * 8))
    request = f"{HEAD}{len(body)}\r\n\r\n".encode() + body

    async def ask_and_do_not_read(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
        # The reader's buffer fills, and then those of both sockets.
        with suppress(ConnectionError):
            while True:
                writer.write(request)
                await writer.drain()
        return b"cut off"

    with shortly(monkeypatch):
        assert talk(ask_and_do_not_read) == b"cut off"


@pytest.mark.parametrize(
    ("small_bytes", "headers", "content"),
    [(10, {}, BODY), (10_000, {"Content-Encoding": "gzip"}, gzip.compress(BODY))],
    ids=["large", "compressed"],
)
def test_four_large_bodies_are_held_at_a_time_and_all_are_answered(
    monkeypatch: pytest.MonkeyPatch, small_bytes: int, headers: dict[str, str], content: bytes
) -> None:
    monkeypatch.setattr(checker_server, "_MAX_SMALL_BYTES", small_bytes)
    held = most = 0

    async def answer(*_: object) -> HttpReply:
        nonlocal held, most
        held += 1
        most = max(most, held)
        for _ in range(20):
            await asyncio.sleep(0)
        held -= 1
        return HttpReply(status=200, body=b"{}")

    monkeypatch.setattr(LocalTransport, "answer", answer)

    async def run() -> list[httpx.Response]:
        async with (
            listening(port=0) as address,
            httpx.AsyncClient(base_url=address, trust_env=False) as client,
        ):
            return await asyncio.gather(
                *(client.post(CHECK_PATH, content=content, headers=headers) for _ in range(40))
            )

    assert {response.status_code for response in asyncio.run(run())} == {200}
    assert most == 4


async def _begin(address: str, head: bytes, received: int) -> asyncio.StreamWriter:
    """Send the head and some of a body that will never be whole."""
    _, writer = await asyncio.open_connection(*address.removeprefix("http://").split(":"))
    writer.write(head + b" " * received)
    await writer.drain()
    return writer


@pytest.mark.parametrize(
    ("head", "clients", "received"),
    [
        (f"{HEAD}30000000\r\n\r\n".encode(), 6, 100_000),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 6, 0),
        (f"{HEAD}30000000\r\n\r\n".encode(), 6, 29_000_000),
    ],
    ids=["large", "chunked", "over the memory for bodies"],
)
def test_slow_bodies_delay_nobody(head: bytes, clients: int, received: int) -> None:
    content = BODY + b" " * 2_000_000

    async def run() -> tuple[int, float]:
        async with (
            listening(port=0) as address,
            httpx.AsyncClient(base_url=address, trust_env=False, timeout=60) as client,
        ):
            slow = [await _begin(address, head, received) for _ in range(clients)]
            started_s = time.monotonic()
            response = await client.post(CHECK_PATH, content=content)
            waited_s = time.monotonic() - started_s
            for each in slow:
                each.transport.abort()
            return response.status_code, waited_s

    status, waited_s = asyncio.run(run())
    assert status == 200
    assert waited_s < 10


def test_a_defect_of_the_checker_is_answered_and_named_without_the_texts(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("the answer's text")

    monkeypatch.setattr("groundwatch.transforms.grounding.embedded_service.answer", fail)

    async def ask() -> httpx.Response:
        async with (
            listening(port=0) as address,
            httpx.AsyncClient(base_url=address, trust_env=False) as client,
        ):
            return await client.post(CHECK_PATH, content=BODY)

    response = asyncio.run(ask())
    assert (response.status_code, response.json()["error"]["status"]) == (500, "INTERNAL")
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == [
        "a check failed: ValueError"
    ]


@pytest.mark.parametrize(
    ("files", "most"), [(256, 192), (64, 1), (100_000, 1_024), (resource.RLIM_INFINITY, 1_024)]
)
def test_connections_leave_some_files_to_the_rest_of_the_process(
    monkeypatch: pytest.MonkeyPatch, files: int, most: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
    assert checker_server._max_connections() == most
