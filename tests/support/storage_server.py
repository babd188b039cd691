"""Cloud Storage on 127.0.0.1, for Google's own client of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from apache_beam.io.gcp.gcsio_retry import DEFAULT_RETRY, DEFAULT_RETRY_WITH_THROTTLING_COUNTER

from groundwatch.pipeline.storage.buckets import _client as client
from tests.support.buckets import Buckets
from tests.support.serving import serving


class _StorageServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, buckets: Buckets) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.buckets = buckets
        buckets.address = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: object) -> None:
        """Say nothing of a client that has gone, as clients do after a fault."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _StorageServer

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = dict(self.headers.items())
        reply = self.server.buckets.answer(self.command, self.path, headers, body)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body[: len(reply.body) // 2] if reply.is_cut else reply.body)
        self.close_connection = reply.is_cut

    do_POST = do_PUT = do_DELETE = do_GET  # noqa: N815 - the base's names

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base's name
        """Say nothing."""


@contextmanager
def storage_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Buckets]:
    """Let gs:// mean buckets in this process while the block lasts, with short timeouts."""
    buckets = Buckets()
    with serving(_StorageServer(buckets)):
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", buckets.address)
        for retry in (DEFAULT_RETRY, DEFAULT_RETRY_WITH_THROTTLING_COUNTER):
            for name, seconds in {"_initial": 0.01, "_maximum": 0.1, "_timeout": 0.5}.items():
                monkeypatch.setattr(retry, name, seconds)
        client.cache_clear()
        try:
            yield buckets
        finally:
            client.cache_clear()
