"""A service on this machine that answers with one recorded reply, and keeps what it was sent."""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from tests.support.serving import serving


class SentRequest(NamedTuple):
    """A request that came: its path, headers and body."""

    path: str
    headers: Message
    body: bytes


class RecordedService(ThreadingHTTPServer):
    """Replies with `status`, `headers` and `content`, after so many slow `blanks`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.content = 200, b"{}"
        self.headers: Mapping[str, str] = {}
        self.blanks = 0
        self.requests: list[SentRequest] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def reply_with(self, status: int, body: object, headers: Mapping[str, str] = {}) -> None:
        """Set the reply; a text is sent as it is, anything else as JSON."""
        text = body if isinstance(body, str) else json.dumps(body)
        self.status, self.content, self.headers = status, text.encode(), headers


class _Handler(BaseHTTPRequestHandler):
    server: RecordedService

    def do_POST(self) -> None:
        service = self.server
        body = self.rfile.read(int(self.headers["Content-Length"]))
        service.requests.append(SentRequest(self.path, self.headers, body))
        self.send_response(service.status)
        for name, value in service.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(service.content) + service.blanks))
        self.end_headers()
        with suppress(OSError):
            for _ in range(service.blanks):
                self.wfile.write(b"\n")
                time.sleep(0.05)
        self.wfile.write(service.content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def recorded_service() -> Iterator[RecordedService]:
    """Serve on the loopback while the block lasts."""
    with serving(RecordedService()) as server:
        yield server
