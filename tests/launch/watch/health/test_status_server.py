"""The pages over HTTP, and clients that mean no good."""

import logging
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection, HTTPResponse

import pytest

from groundwatch.launch.http_server import Page
from groundwatch.launch.watch.health.worker_health import StatusServer
from tests.support.commands import ChildProcess
from tests.support.hostile_texts import FAMILIES, check
from tests.support.waiting import wait_until

PAGE = Page(200, "text/plain", b"hello\n")
LARGE = Page(200, "text/plain", bytes(20_000_000))
SOON_S = 0.3
MOST = 8


def broken(_: str) -> Page:
    raise ValueError("the answer's text")


PAGES = {"/hello": lambda _: PAGE, "/large": lambda _: LARGE, "/broken": broken}


@pytest.fixture
def server() -> Iterator[StatusServer]:
    with closing(StatusServer("127.0.0.1", 0, PAGES, deadline_s=SOON_S)) as server:
        yield server


def place_of(server: StatusServer) -> tuple[str, int]:
    host, _, port = server.address.removeprefix("http://").rpartition(":")
    return host.strip("[]"), int(port)


def asked(
    server: StatusServer, path: str, method: str = "GET", **headers: str
) -> tuple[HTTPResponse, bytes]:
    with closing(HTTPConnection(*place_of(server), timeout=60)) as connection:
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response, response.read()


def connected(server: StatusServer) -> socket.socket:
    return socket.create_connection(place_of(server), timeout=60)


def serving(server: StatusServer) -> int:
    return len(server._server._server.connections)


def test_a_page_is_made_for_each_request(server: StatusServer) -> None:
    for _ in range(3):
        response, body = asked(server, "/hello?x=1")
        assert (response.status, body) == (200, b"hello\n")
        assert response.headers["Content-Type"] == "text/plain"
        assert response.headers["Cache-Control"] == "no-store"


def test_a_head_has_everything_but_the_body(server: StatusServer) -> None:
    response, body = asked(server, "/hello", method="HEAD")
    assert (response.status, response.headers["Content-Length"], body) == (200, "6", b"")


def test_no_word_is_said_of_what_serves(server: StatusServer) -> None:
    response, _ = asked(server, "/hello")
    assert response.headers["Server"].strip() == "groundwatch"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/", 404), ("HEAD", "/no", 404), ("POST", "/hello", 501), ("DELETE", "/hello", 501)],
)
def test_nothing_else_is_there(server: StatusServer, method: str, path: str, status: int) -> None:
    assert asked(server, path, method=method)[0].status == status


def test_a_page_gets_the_accept_header() -> None:
    with closing(StatusServer("127.0.0.1", 0, {"/": lambda form: Page(200, form, b"")})) as server:
        assert asked(server, "/", Accept="text/html")[0].headers["Content-Type"] == "text/html"


def test_a_page_that_fails_is_logged_without_the_errors_text(
    server: StatusServer, caplog: pytest.LogCaptureFixture
) -> None:
    response, body = asked(server, "/broken")
    assert response.status == 500
    assert b"answer" not in body
    assert [record.getMessage() for record in caplog.records] == [
        "cannot make the page /broken: ValueError"
    ]
    assert asked(server, "/hello")[0].status == 200


def test_it_listens_on_the_sixth_version_of_the_protocol_too() -> None:
    with closing(StatusServer("::1", 0, PAGES)) as server:
        assert server.address.startswith("http://[::1]:")
        assert asked(server, "/hello")[0].status == 200


def test_an_address_that_is_taken_is_refused(server: StatusServer) -> None:
    with pytest.raises(OSError, match=r"cannot listen on 127.0.0.1:\d+: .*in use"):
        StatusServer(*place_of(server), pages=PAGES)


def say_nothing(_: socket.socket) -> None:
    pass


def drip(client: socket.socket) -> None:
    client.sendall(b"GET /hello HTTP/1.1\r\nX: ")


def read_nothing(client: socket.socket) -> None:
    client.sendall(b"GET /large HTTP/1.0\r\n\r\n")


def is_ended(client: socket.socket) -> bool:
    """Read to the end: the server has closed the connection, or reset it."""
    with suppress(ConnectionResetError):
        while client.recv(1_000_000):
            pass
    return True


@pytest.mark.parametrize("do", [say_nothing, drip, read_nothing])
def test_a_slow_client_is_cut_off(
    server: StatusServer, do: Callable[[socket.socket], None]
) -> None:
    with connected(server) as client:
        do(client)
        wait_until(lambda: serving(server) == 1)
        wait_until(lambda: serving(server) == 0)
        assert is_ended(client)


@pytest.mark.parametrize("do", [say_nothing, drip])
def test_many_slow_clients_keep_nobody_out_and_take_few_threads(
    do: Callable[[socket.socket], None],
) -> None:
    with (
        closing(StatusServer("127.0.0.1", 0, PAGES, deadline_s=SOON_S)) as server,
        ExitStack() as clients,
    ):
        for _ in range(5 * MOST):
            do(clients.enter_context(connected(server)))
            assert serving(server) <= MOST
        assert asked(server, "/hello")[0].status == 200


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\x16\x03\x01\x02\x00",
        b"GET /hello HTTP/9.9\r\n\r\n",
        b"GET /hello HTTP/1.1\r\n" + b"A: b\r\n" * 1_000 + b"\r\n",
        b"GET /hello HTTP/1.1\r\nA: " + b"a" * 100_000 + b"\r\n\r\n",
    ],
    ids=["TLS", "another version", "many headers", "long header"],
)
def test_nonsense_does_no_harm(
    server: StatusServer, nonsense: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(server) as client:
        # The server may have had enough of it, and have closed, before all is said.
        with suppress(OSError):
            client.sendall(nonsense)
            client.shutdown(socket.SHUT_WR)
        wait_until(lambda: serving(server) == 0)
    assert asked(server, "/hello")[0].status == 200
    assert caplog.get_records("call") == []


def test_closing_ends_the_connections_and_frees_the_address() -> None:
    server = StatusServer("127.0.0.1", 0, PAGES)
    place = place_of(server)
    with connected(server) as client:
        wait_until(lambda: serving(server) == 1)
        server.close()
        assert is_ended(client)
    with closing(StatusServer(*place, pages=PAGES)):
        pass


def test_a_page_that_hangs_takes_few_threads() -> None:
    go_on = threading.Event()

    def hang(_: str) -> Page:
        go_on.wait(10)
        return PAGE

    pages = {"/": hang}
    with (
        closing(StatusServer("127.0.0.1", 0, pages, deadline_s=SOON_S)) as server,
        ExitStack() as clients,
    ):
        for _ in range(MOST):
            clients.enter_context(connected(server)).sendall(b"GET / HTTP/1.0\r\n\r\n")
        wait_until(lambda: serving(server) == MOST)
        with connected(server) as further:
            further.sendall(b"GET / HTTP/1.0\r\n\r\n")
            assert is_ended(further)
        page_threads = [one for one in threading.enumerate() if "status-page" in one.name]
        assert len(page_threads) == MOST
        go_on.set()
        wait_until(lambda: serving(server) == 0)


def test_pages_are_served_while_a_worst_case_is_checked(server: StatusServer) -> None:
    case = FAMILIES["numbers"](200, 1_000)
    checking = threading.Thread(target=check, args=(case,), daemon=True)
    checking.start()
    served = 0
    while checking.is_alive():
        assert asked(server, "/hello")[0].status == 200
        served += 1
    assert served > 3


OUT_OF_FILES = """
import logging, os, resource, sys, time
from contextlib import closing
from groundwatch.launch.http_server import Page
from groundwatch.launch.watch.health.worker_health import StatusServer

# Its warning would be on standard error; nothing else may be.
logging.getLogger("groundwatch").setLevel(logging.ERROR)

PAGES = {"/hello": lambda _: Page(200, "text/plain", b"hello")}
with closing(StatusServer("127.0.0.1", 0, PAGES)) as server:
    # Room for nothing more than what is open already.
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) - 1,) * 2)
    print(server.address, flush=True)
    sys.stdin.readline()
    before_s = time.process_time()
    sys.stdin.readline()
    print(time.process_time() - before_s, flush=True)
    os.close(0)
    time.sleep(60)
"""


def test_a_process_out_of_files_waits_until_it_has_some() -> None:
    with ChildProcess(
        [sys.executable, "-c", OUT_OF_FILES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        host, _, port = process.stdout.readline().removeprefix("http://").rpartition(":")
        with closing(HTTPConnection(host, int(port), timeout=60)) as connection:
            connection.request("GET", "/hello")
            process.stdin.write("begin\n")
            process.stdin.flush()
            time.sleep(1)
            process.stdin.write("end\n")
            process.stdin.flush()
            assert float(process.stdout.readline()) < 0.2
            assert connection.getresponse().read() == b"hello"
        process.kill()
        assert process.communicate()[1] == ""


@pytest.fixture(autouse=True)
def _log_all(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
