"""Serve HTTP by aiohttp, with limits against slow or hostile clients."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import NamedTuple, cast

from aiohttp import web

from groundwatch.schemas import Record

_BACKLOG = 1_024
_RETRY_S = 1.0
_LINGERING_S = 1.0  # for a client to read why its request is refused before it has sent the whole
_TEXT = "text/plain; charset=utf-8"
_NAME = {"Server": "groundwatch"}
_log = logging.getLogger(__name__)

_http_log = logging.getLogger(f"{__name__}.aiohttp")
_http_log.disabled = True  # aiohttp logs a traceback for what a client did wrong.


class HttpRequest(NamedTuple):
    """A request that has arrived as a whole; the path is without its query, which is encoded."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    query: str = ""


class Page(NamedTuple):
    """A response."""

    status: int
    content_type: str
    body: bytes
    headers: Mapping[str, str] = {}


class ServerLimits(Record, frozen=True, kw_only=True):
    """What clients may take.

    Attributes:
      deadline_s: for a client to send the head of a request, its body, and to read the response.
      max_connections: a further one closes the one that waits for its client for longest.
      max_body_bytes: a larger request is refused.
      max_small_bytes: a request with a larger body, or with an encoded one, is a large one.
      max_large_bodies: large requests answered at a time; further ones wait for their turn. The
        bodies in memory are no more than so many of the largest; beyond that, the connection
        whose body has been arriving for longest is closed.
      shutdown_s: for the requests that have arrived, when the server stops.
    """

    deadline_s: float
    max_connections: int
    max_body_bytes: int = 0
    max_small_bytes: int = 64_000
    max_large_bodies: int = 4
    shutdown_s: float = 5.0


class RequestRefused(Exception):
    """A request is refused, with a status and a sentence for its sender."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


Handler = Callable[[HttpRequest], Awaitable[Page]]
"""Answers a request; a TimeoutError closes the connection."""

Refuse = Callable[[int, str], Page]
"""Says with a status and a sentence why a request is refused."""


def refuse_in_text(status: int, message: str) -> Page:
    """Refuse a request by a line of text."""
    return Page(status, _TEXT, f"{message}\n".encode())


def open_listener(host: str, port: int) -> socket.socket:
    """Listen on an address, of either version of the protocol; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise OSError(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    listener.setblocking(False)
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the base address of a listener, such as http://127.0.0.1:8080."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class _ClientConnection(web.RequestHandler):
    """A connection of a client."""

    waiting_since_s: float | None = 0.0
    """Since when it waits for its client, by the monotonic clock; None while it is answered."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport, which the base class forgets when it closes it."""
        self._tcp = cast("asyncio.Transport", transport)
        super().connection_made(transport)

    def force_close(self) -> None:
        """Close at once: a mere close waits until the client has read all that was sent to it."""
        super().force_close()
        self._tcp.abort()


class HttpServer(web.Server):
    """Answer requests within limits.

    Args:
      answer: answers a request.
      limits: what clients may take.
      refuse: makes the response to a request that is over a limit.
      loop: in which the server will run; None for the running one.
    """

    def __init__(
        self,
        answer: Handler,
        limits: ServerLimits,
        refuse: Refuse = refuse_in_text,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(self._serve, loop=loop)
        self._answer, self._limits, self._refuse = answer, limits, refuse
        self._large_bodies = asyncio.Semaphore(limits.max_large_bodies)
        self._most_body_bytes = limits.max_large_bodies * limits.max_body_bytes
        self._body_bytes: dict[_ClientConnection, int] = {}
        self._has_room = asyncio.Condition()

    def __call__(self) -> _ClientConnection:
        """Prepare for a new connection."""
        # The timeout is that of a request's head, too: no byte that arrives extends it.
        return _ClientConnection(
            self,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=self._limits.deadline_s,
            lingering_time=_LINGERING_S,
            logger=_http_log,
            access_log=_http_log,
        )

    @asynccontextmanager
    async def serving(self, listener: socket.socket) -> AsyncIterator[None]:
        """Accept connections while a `with` block lasts, then finish what has arrived."""
        accepting = asyncio.create_task(self._accept(listener))
        try:
            yield
        finally:
            accepting.cancel()
            with suppress(asyncio.CancelledError):
                await accepting
        self.pre_shutdown()
        await self.shutdown(self._limits.shutdown_s)

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await _wait_for_client(listener)
            try:
                client, _ = listener.accept()
                client.setblocking(False)
            except BlockingIOError:
                continue  # It has gone.
            except OSError as error:
                _log.warning("cannot accept a connection: %s", error.strerror)
                self._close_idlest()
                await asyncio.sleep(_RETRY_S)
                continue
            # A connection that was closed is gone in the loop's next turn.
            while len(self.connections) >= self._limits.max_connections:  # noqa: ASYNC110
                await asyncio.sleep(0 if self._close_idlest() else _RETRY_S)
            try:
                await loop.connect_accepted_socket(self, client)
            except OSError:
                client.close()

    def _close_idlest(self) -> bool:
        """Close the connection that waits for longest; return whether any waits."""
        connections = cast("list[_ClientConnection]", self.connections)
        waiting = [each for each in connections if each.waiting_since_s is not None]
        if waiting:
            min(waiting, key=lambda each: each.waiting_since_s or 0.0).force_close()
        return bool(waiting)

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request; close the connection if the client does not read the response."""
        connection = cast("_ClientConnection", request.protocol)
        try:
            response = await self._respond(request, connection)
            async with asyncio.timeout(self._limits.deadline_s):
                await response.prepare(request)
                await response.write_eof()
                await request.writer.drain()
        except TimeoutError:
            connection.force_close()
            raise ConnectionResetError from None
        finally:
            connection.waiting_since_s = time.monotonic()
            self._body_bytes.pop(connection, None)
            async with self._has_room:
                self._has_room.notify_all()
        return response

    def _is_large(self, request: web.BaseRequest) -> bool:
        if not request.body_exists:
            return False
        length = request.content_length
        is_plain = "Content-Encoding" not in request.headers
        return not is_plain or length is None or length > self._limits.max_small_bytes

    async def _respond(
        self, request: web.BaseRequest, connection: _ClientConnection
    ) -> web.Response:
        try:
            async with asyncio.timeout(self._limits.deadline_s):
                body = await self._read_body(request, connection)
        except TimeoutError:
            message = f"The request did not arrive within {self._limits.deadline_s:g} seconds."
            response = _response(self._refuse(408, message))
            response.force_close()  # The rest of the request may still come.
            return response
        except web.RequestPayloadError:
            message = "The body is not whole, or not encoded as its Content-Encoding says."
            response = _response(self._refuse(400, message))
            response.force_close()
            return response
        if body is None:
            message = f"The request is over {self._limits.max_body_bytes:,} bytes."
            return _response(self._refuse(413, message))
        connection.waiting_since_s = None
        async with self._large_bodies if self._is_large(request) else nullcontext():
            arrived = HttpRequest(
                *(request.method, request.path, request.headers, body, request.query_string)
            )
            return _response(await self._answer(arrived))

    async def _read_body(
        self, request: web.BaseRequest, connection: _ClientConnection
    ) -> bytes | None:
        """Return the whole body, or None as soon as it is known to be too long."""
        max_bytes = self._limits.max_body_bytes
        if (request.content_length or 0) > max_bytes:
            return None
        if request.headers.get("Expect", "").lower() == "100-continue":
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            request.writer.output_size = 0
        body = bytearray()
        connection.waiting_since_s = time.monotonic()
        async for chunk in request.content.iter_any():
            if len(body) + len(chunk) > max_bytes:
                return None
            await self._make_room(len(chunk))
            body += chunk
            self._body_bytes[connection] = len(body)
        return bytes(body)

    async def _make_room(self, more_bytes: int) -> None:
        """Wait for requests that are being answered, or else close the slowest connection."""
        while sum(self._body_bytes.values()) + more_bytes > self._most_body_bytes:
            arriving = [each for each in self._body_bytes if each.waiting_since_s is not None]
            if len(arriving) < len(self._body_bytes):
                async with self._has_room:
                    await self._has_room.wait()
                continue
            slowest = min(arriving, key=lambda each: each.waiting_since_s or 0.0)
            del self._body_bytes[slowest]
            slowest.force_close()


class ServerThread:
    """Answer requests on a thread of its own until `close`, also while the process is busy."""

    def __init__(
        self,
        name: str,
        address: tuple[str, int],
        answer: Handler,
        limits: ServerLimits,
        refuse: Refuse = refuse_in_text,
    ) -> None:
        self._listener = open_listener(*address)
        self.address = address_of(self._listener)
        self._loop = asyncio.new_event_loop()
        self._is_closing = asyncio.Event()
        self._server = HttpServer(answer, limits, refuse, loop=self._loop)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._is_closing.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner, self._listener:
            runner.run(self._serve())

    async def _serve(self) -> None:
        async with self._server.serving(self._listener):
            await self._is_closing.wait()


async def _wait_for_client(listener: socket.socket) -> None:
    """Wait until a connection can be accepted: without a free file, accepting fails before."""
    loop, has_come = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(listener, has_come.set)
    try:
        await has_come.wait()
    finally:
        loop.remove_reader(listener)


def _response(page: Page) -> web.Response:
    headers = {**_NAME, **page.headers, "Content-Type": page.content_type}
    return web.Response(status=page.status, body=page.body, headers=headers)
