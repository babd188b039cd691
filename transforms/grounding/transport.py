"""Send httpx requests to a checker: the only module that opens sockets to one.

httpx's own connection pool slows down beyond about 32 connections (encode/httpcore#1035), so that
`HttpTransport` replaces it: keep-alive connections on asyncio, parsed by httptools.
"""

import asyncio
import os
import socket
import ssl
import time
from collections.abc import AsyncIterator
from typing import cast
from urllib.request import getproxies, proxy_bypass

import httpx
from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from transforms.grounding.errors import BadReply, Misconfigured
from transforms.grounding.local.service import LocalTransport
from transforms.grounding.settings import LOCAL, CheckSettings

_MAX_HEADER_BYTES = 65_536
_MAX_UNREAD_BYTES = 262_144
_IDLE_TIMEOUT_S = 15.0
_FIRST_FINAL_STATUS = 200
_PORTS = {"http": 80, "https": 443}
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def open_transport(settings: CheckSettings) -> httpx.AsyncBaseTransport:
    """Return the transport of a checker: embedded, direct, or through a proxy."""
    if settings.checker == LOCAL:
        return LocalTransport(settings.scorer)
    origin = httpx.URL(settings.endpoint)
    proxy = settings.proxy or _environment_proxy(origin)
    if proxy is None:
        return HttpTransport(origin)
    connections = settings.max_in_flight + settings.most_late_calls
    try:
        return httpx.AsyncHTTPTransport(
            proxy=proxy,
            verify=ssl.create_default_context(),
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
        )
    except (ImportError, ValueError, httpx.InvalidURL):
        raise Misconfigured(
            "cannot use the proxy: set --proxy or HTTPS_PROXY to an address such as"
            " http://proxy:3128"
        ) from None


def _environment_proxy(origin: httpx.URL) -> str | None:
    """Return the proxy that HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY choose."""
    if origin.host in _LOOPBACK or proxy_bypass(origin.host):
        return None
    proxies = getproxies()
    proxy = proxies.get(origin.scheme) or proxies.get("all")
    return f"http://{proxy}" if proxy and "://" not in proxy else proxy


async def read_body(response: httpx.Response, max_bytes: int) -> bytes:
    """Read the body as it was sent: httpx itself decompresses without a limit."""
    body = bytearray()
    try:
        async for chunk in cast(httpx.AsyncByteStream, response.stream):
            body += chunk
            if len(body) > max_bytes:
                raise BadReply(f"the reply is longer than {max_bytes} bytes")
    finally:
        await response.aclose()
    return bytes(body)


def read_header(response: httpx.Response, name: bytes) -> str | None:
    """Return a header, None without; `response.headers` takes several times as long."""
    values = [value for raw_name, value in response.headers.raw if raw_name.lower() == name]
    return values[-1].decode("ascii", "replace") if values else None


class HttpTransport(httpx.AsyncBaseTransport):
    """Send requests over HTTP/1.1 and keep the connections open.

    The caller limits the number of concurrent requests and their time, and closes each response.
    A request is never sent twice, since each is billed. Redirects are not followed, and cookies are
    not kept.

    Args:
      origin: scheme, host and port, to which all requests go.
    """

    def __init__(self, origin: httpx.URL) -> None:
        self._host = origin.host
        self._port = origin.port or _PORTS[origin.scheme]
        self._tls = ssl.create_default_context() if origin.scheme == "https" else None
        self._connections: set[_Connection] = set()
        self._idle: list[_Connection] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the response when its header is complete.

        Raises:
          httpx.ConnectError: nothing was sent.
          httpx.TransportError: the connection failed, or the response is not valid HTTP.
        """
        content = _encode(request)
        connection = self._take_idle() or await self._connect()
        await connection.send(content)
        return httpx.Response(connection.status, headers=connection.headers, stream=connection)

    async def aclose(self) -> None:
        """Close all connections."""
        for connection in tuple(self._connections):
            connection.transport.abort()
        # The event loop closes the sockets in its next iteration.
        await asyncio.sleep(0)

    def _take_idle(self) -> "_Connection | None":
        """Return the connection that was used last, unless the server may have closed it."""
        while self._idle:
            connection = self._idle.pop()
            idle_s = time.monotonic() - connection.idle_since_s
            if idle_s < _IDLE_TIMEOUT_S and not connection.transport.is_closing():
                return connection
            connection.transport.abort()
        return None

    async def _connect(self) -> "_Connection":
        try:
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: _Connection(self._connections, self._idle),
                self._host,
                self._port,
                ssl=self._tls,
            )
        except ssl.SSLError as error:
            reason = getattr(error, "verify_message", "") or error.reason or type(error).__name__
            raise httpx.ConnectError(f"TLS: {reason}") from None
        except OSError as error:
            raise httpx.ConnectError(_reason(error)) from None
        return connection


def _reason(error: OSError) -> str:
    """Return what the system says, in lower case: connection refused."""
    if isinstance(error.errno, int) and error.errno > 0 and not isinstance(error, socket.gaierror):
        return os.strerror(error.errno).lower()
    return (error.strerror or type(error).__name__).lower()


def _encode(request: httpx.Request) -> bytes:
    lines = [b"%b %b HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
    lines += [b"%b: %b" % header for header in request.headers.raw]
    head = b"\r\n".join(lines)
    if head.count(b"\n") >= len(lines):
        raise httpx.LocalProtocolError("a header of the request contains a line break")
    return b"%b\r\n\r\n%b" % (head, request.content)


class _Connection(asyncio.Protocol, httpx.AsyncByteStream):
    """A connection for one request at a time; iterate over it for the body of the response.

    Args:
      connections: all connections of the transport.
      idle: those of them that wait for a request.

    Attributes:
      transport: of asyncio.
      idle_since_s: when the last response was closed, on the monotonic clock.
      status: of the response; 0 until its header is complete.
      headers: names and values.
    """

    transport: asyncio.Transport

    def __init__(self, connections: "set[_Connection]", idle: "list[_Connection]") -> None:
        self.idle_since_s = 0.0
        self._connections = connections
        self._idle = idle
        self._parser: HttpResponseParser | None = None

    async def send(self, request: bytes) -> None:
        """Send a request and wait until the header of its response is complete."""
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        self._is_complete = False
        self._can_keep_alive = False
        self._header_bytes = 0
        self._chunks: list[bytes] = []
        self._error: httpx.TransportError | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._parser = HttpResponseParser(self)
        self.transport.write(request)
        while not self.status:
            await self._wait()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while self._chunks or not self._is_complete:
            chunks, self._chunks = self._chunks, []
            for chunk in chunks:
                yield chunk
            if not chunks:
                self.transport.resume_reading()
                await self._wait()

    async def aclose(self) -> None:
        """Keep the connection for another request if the response is complete; else close it."""
        if self._is_complete and self._can_keep_alive and not self.transport.is_closing():
            self._parser = None
            self.transport.resume_reading()
            self.idle_since_s = time.monotonic()
            self._idle.append(self)
        else:
            self.transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._connections.add(self)

    def data_received(self, data: bytes) -> None:
        if self._parser is None:
            self.transport.abort()  # The server sends without a request.
            return
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self._fail(httpx.RemoteProtocolError("the response is not valid HTTP"))
        if not self.status:
            self._header_bytes += len(data)
            if self._header_bytes > _MAX_HEADER_BYTES:
                self._fail(httpx.RemoteProtocolError("the header is too long"))
        if self._unread_bytes() > _MAX_UNREAD_BYTES:
            self.transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        if self in self._idle:
            self._idle.remove(self)
        if self._parser is None or self._is_complete:
            return
        names = {name.lower() for name, _ in self.headers}
        if exc:
            self._fail(httpx.ReadError(type(exc).__name__))
        elif self.status and names.isdisjoint({b"content-length", b"transfer-encoding"}):
            self._is_complete = True  # The end of the connection marks the end of the response.
        else:
            self._fail(httpx.RemoteProtocolError("the server closed the connection"))
        self._wake()

    def on_message_begin(self) -> None:
        if self._is_complete:
            raise httpx.RemoteProtocolError("a second response to one request")

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.status:  # Trailers are ignored.
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        status = cast(HttpResponseParser, self._parser).get_status_code()
        if status < _FIRST_FINAL_STATUS:
            self.headers.clear()  # 100 Continue: the response follows.
        elif sum(len(name) + len(value) + 4 for name, value in self.headers) > _MAX_HEADER_BYTES:
            raise httpx.RemoteProtocolError("the header is too long")
        else:
            self.status = status

    def on_body(self, chunk: bytes) -> None:
        self._chunks.append(chunk)

    def on_message_complete(self) -> None:
        if self.status:
            self._is_complete = True
            self._can_keep_alive = cast(HttpResponseParser, self._parser).should_keep_alive()

    def _unread_bytes(self) -> int:
        return sum(map(len, self._chunks))

    def _fail(self, error: httpx.TransportError) -> None:
        self._error = self._error or error
        self.transport.abort()

    def _wake(self) -> None:
        if self._waiter and not self._waiter.done():
            self._waiter.set_result(None)

    async def _wait(self) -> None:
        if self._error:
            raise self._error
        self._waiter = asyncio.get_running_loop().create_future()
        try:
            await self._waiter
        except asyncio.CancelledError:
            self.transport.abort()
            raise
