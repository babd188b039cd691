"""Serve /healthz, /livez and /metrics over HTTP, with limits against slow or hostile clients."""

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from http import HTTPStatus
from typing import NamedTuple

_MAX_CONNECTIONS = 8
_DEADLINE_S = 5.0
_TEXT = "text/plain; charset=utf-8"
_log = logging.getLogger(__name__)


class Page(NamedTuple):
    """An HTTP response."""

    status: int
    content_type: str
    body: bytes


class StatusServer(AbstractContextManager["StatusServer"]):
    """Serve pages on a thread until `close`.

    A connection serves one request, and is closed after `deadline_s`, however slowly its client
    sends or reads. There are at most eight; a further one closes the oldest. A page is made for a
    GET or HEAD of its path, from the Accept header, on another thread.
    """

    def __init__(
        self,
        host: str,
        port: int,
        pages: Mapping[str, Callable[[str], Page]],
        deadline_s: float = _DEADLINE_S,
    ) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            self._listener = socket.create_server((host, port), family=family)
        except OSError as error:
            raise OSError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
        self._pages = pages
        self._deadline_s = deadline_s
        # The oldest first.
        self._connections: dict[asyncio.StreamWriter, None] = {}
        self._page_threads = ThreadPoolExecutor(_MAX_CONNECTIONS, "status-page")
        self._loop = asyncio.new_event_loop()
        # It would log a traceback when the process has too many open files, and tries again.
        self._loop.set_exception_handler(lambda *_: None)
        self._is_closing = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="status", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """The base address, such as http://127.0.0.1:8080."""
        host, port = self._listener.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    def close(self) -> None:
        """Stop listening, close the connections, and wait for pages that still read a database."""
        self._loop.call_soon_threadsafe(self._is_closing.set)
        self._thread.join()
        self._page_threads.shutdown(cancel_futures=True)

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        async with await asyncio.start_server(
            self._serve_connection, sock=self._listener
        ) as server:
            await self._is_closing.wait()
            server.close()
            while self._connections:
                self._end_oldest()

    async def _serve_connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if len(self._connections) >= _MAX_CONNECTIONS:
            self._end_oldest()
        self._connections[writer] = None
        try:
            # A client that hangs up is not an error.
            with suppress(OSError):
                async with asyncio.timeout(self._deadline_s):
                    writer.write(await self._respond(reader))
                    writer.close()
                    await writer.wait_closed()
        finally:
            self._connections.pop(writer, None)
            writer.transport.abort()

    def _end_oldest(self) -> None:
        oldest = next(iter(self._connections))
        del self._connections[oldest]
        oldest.transport.abort()

    async def _respond(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            request, *lines = head.splitlines()
            method, target, _ = request.split(" ")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            return _encode(Page(400, _TEXT, b""))
        headers = (line.partition(":") for line in lines)
        accept = ",".join(value.strip() for name, _, value in headers if name.lower() == "accept")
        if method not in {"GET", "HEAD"}:
            return _encode(Page(501, _TEXT, b""))
        path = target.partition("?")[0]
        if path not in self._pages:
            return _encode(Page(404, _TEXT, b""))
        call = self._loop.run_in_executor(self._page_threads, self._pages[path], accept)
        try:
            page = await call
        except Exception as error:  # noqa: BLE001 - it is logged, and the next request is served
            _log.error("cannot make the page %s: %s", path, type(error).__name__)
            page = Page(500, _TEXT, b"this page is not available; the log says why\n")
        return _encode(page, has_body=method == "GET")


def _encode(page: Page, *, has_body: bool = True) -> bytes:
    head = (
        f"HTTP/1.1 {page.status} {HTTPStatus(page.status).phrase}\r\n"
        "Server: groundwatch\r\n"
        f"Content-Type: {page.content_type}\r\n"
        f"Content-Length: {len(page.body)}\r\n"
        "Cache-Control: no-store\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("latin-1") + (page.body if has_body else b"")
