"""Serve /healthz and /metrics over HTTP, with limits against slow or hostile clients."""

import errno
import http.server
import logging
import socket
import socketserver
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

_MAX_CONNECTIONS = 8
_DEADLINE_S = 5.0
_POLL_S = 0.25
_WAIT_FOR_ROOM_S = 0.5
_OUT_OF_RESOURCES = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
_FAILED = b"this page is not available; the log says why\n"
_log = logging.getLogger(__name__)


class Page(NamedTuple):
    """An HTTP response."""

    status: int
    content_type: str
    body: bytes


class StatusServer(socketserver.TCPServer):
    """Serve pages until `close`.

    A connection serves one request on its own thread, and is closed after five seconds, however
    slowly its client sends or reads. There are at most eight; a further one closes the oldest.

    Args:
      host: the address to listen on.
      port: the TCP port; 0 takes a free one.
      pages: make the response to a GET or HEAD, by path, from the Accept header; called on the
        server's threads.
      deadline_s: for one connection.

    Raises:
      OSError: the address is taken or not one of this machine's.
    """

    allow_reuse_address = True
    request_queue_size = 64

    def __init__(
        self,
        host: str,
        port: int,
        pages: Mapping[str, Callable[[str], Page]],
        deadline_s: float = _DEADLINE_S,
    ) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.pages = pages
        self._deadline_s = deadline_s
        self._room = threading.BoundedSemaphore(_MAX_CONNECTIONS)
        self._lock = threading.Lock()
        # The oldest first.
        self._ends_at_s: dict[socket.socket, float] = {}
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise OSError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        self._thread = _start_thread(self.serve_forever, _POLL_S)

    @property
    def address(self) -> str:
        """The base address, such as http://127.0.0.1:8080."""
        host, port = self.server_address[:2]
        return f"http://[{host!s}]:{port}" if ":" in str(host) else f"http://{host!s}:{port}"

    def close(self) -> None:
        """Stop listening, and close the connections."""
        self.shutdown()
        self.server_close()
        self._end_oldest(_MAX_CONNECTIONS)
        self._thread.join()

    def __exit__(self, *_: object) -> None:
        self.close()

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection; wait a little if there are too many open files."""
        try:
            return super().get_request()
        except OSError as error:
            # The connection stays in the queue, and would be tried again at once.
            if error.errno in _OUT_OF_RESOURCES:
                self._end_oldest(1)
                time.sleep(_POLL_S)
            raise

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection on a thread, if there is room."""
        if not self._room.acquire(blocking=False):
            self._end_oldest(1)
            if not self._room.acquire(timeout=_WAIT_FOR_ROOM_S):
                self.shutdown_request(request)
                return
        with self._lock:
            self._ends_at_s[request] = time.monotonic() + self._deadline_s
        try:
            _start_thread(self._serve, request, client_address)
        except RuntimeError:
            self._remove(request)
            raise

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - of the base
        """Log that a connection could not be served."""
        _log.error("a connection could not be served", exc_info=True)

    def service_actions(self) -> None:
        """Close the connections that exceed the deadline."""
        now_s = time.monotonic()
        with self._lock:
            late = sum(ends_at_s <= now_s for ends_at_s in self._ends_at_s.values())
        self._end_oldest(late)

    def _serve(self, request: socket.socket, client_address: Any) -> None:
        try:
            # A client that hangs up is not an error.
            with suppress(OSError):
                self.finish_request(request, client_address)
        finally:
            self._remove(request)

    def _remove(self, request: socket.socket) -> None:
        with self._lock:
            del self._ends_at_s[request]
        self.shutdown_request(request)
        self._room.release()

    def _end_oldest(self, count: int) -> None:
        """Shut down the oldest connections; their threads notice at the next read or write."""
        with self._lock:
            for request in list(self._ends_at_s)[:count]:
                with suppress(OSError):
                    request.shutdown(socket.SHUT_RDWR)


def _start_thread(serve: Callable[..., None], *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=serve, args=arguments, name="status", daemon=True)
    thread.start()
    return thread


class _Handler(http.server.BaseHTTPRequestHandler):
    server: StatusServer
    server_version = "groundwatch"
    sys_version = ""

    def do_GET(self) -> None:
        self.wfile.write(self._respond())

    def do_HEAD(self) -> None:
        self._respond()

    def log_message(self, *_: Any) -> None:
        """Log nothing: clients decide how often they request."""

    def _respond(self) -> bytes:
        """Send the head of a response; return the body."""
        path = self.path.partition("?")[0]
        make = self.server.pages.get(path)
        if make is None:
            self.send_error(404)
            return b""
        try:
            page = make(self.headers.get("Accept", ""))
        except Exception as error:  # noqa: BLE001 - it is logged, and the next request is served
            _log.error("cannot make the page %s: %s", path, type(error).__name__)
            page = Page(500, "text/plain; charset=utf-8", _FAILED)
        self.send_response(page.status)
        self.send_header("Content-Type", page.content_type)
        self.send_header("Content-Length", str(len(page.body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        return page.body
