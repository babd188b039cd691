"""A local HTTP server for results: it keeps the requests, and answers as a test decides."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.http_messages import Received, Reply
from tests.support.serving import serving
from tests.support.vendor_replies import documented_reply


class ResultsServer:
    """The handle of a running server; `answer` chooses the reply, by default the documented one."""

    def __init__(self) -> None:
        self.url = ""
        self.received: list[Received] = []
        self.answer: Callable[[Received], Reply] = documented_reply

    def bodies(self) -> list[Any]:
        """What was posted, as JSON."""
        return [each.json for each in self.received if each.method != "GET"]


@contextmanager
def results_server() -> Iterator[ResultsServer]:
    """Run a server on threads while a `with` block lasts."""
    handle = ResultsServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # else each reply waits for an acknowledgement

        def _handle(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(size)
            if len(body) < size:
                return  # its client was killed
            headers = {name.lower(): value for name, value in self.headers.items()}
            received = Received(self.command, self.path, headers, body)
            handle.received.append(received)
            reply = handle.answer(received)
            if reply.wait_for:
                reply.wait_for.wait(30)
            self.send_response(reply.status)
            for name, value in {**reply.headers, "Content-Length": len(reply.body)}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = do_POST = do_PATCH = do_CONNECT = _handle  # noqa: N815 - the names of http.server

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    handle.url = f"http://127.0.0.1:{server.server_address[1]}"
    with serving(server):
        yield handle
