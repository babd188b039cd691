"""Send httpx requests to a checker: the only module that opens sockets to one.

httpx's own connection pool slows down beyond about 32 connections (encode/httpcore#1035), so that
`HttpTransport` replaces it: keep-alive connections on asyncio, parsed by httptools.
"""

import asyncio
import errno
import time
from functools import partial
from typing import cast

import httpx
from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

from groundwatch.transforms.lexical.check_claims import check_grounding
from groundwatch.transforms.runtime.daemon_threads import DaemonThreads
from groundwatch.transforms.runtime.errors import InvalidEnvironment
from groundwatch.transforms.runtime.http_client import with_tls
from groundwatch.transforms.runtime.network_environment import (
    choose_proxy,
    describe_failure,
    tls_context,
)
from groundwatch.transforms.runtime.processors import usable_processors
from .embedded_service import EmbeddedChecker, LocalTransport, load_checker
from .errors import BadReply, Misconfigured
from .scorers.python_object import PythonObject, load_object
from .settings import LOCAL, CheckSettings

_MAX_HEADER_BYTES = 65_536
_IDLE_TIMEOUT_S = 15.0
_FIRST_FINAL_STATUS = 200
_PORTS = {"http": 80, "https": 443}


def open_transport(settings: CheckSettings) -> httpx.AsyncBaseTransport:
    """Return the transport of a checker: in this process, direct, or through a proxy."""
    if settings.is_lexical:
        return LocalTransport()
    most_calls = concurrent_calls(settings) + settings.most_late_calls
    if settings.checker == LOCAL:
        checker = load_checker(settings.scorer, settings.scorer_weight)
        return LocalTransport(checker, DaemonThreads(most_calls))
    if settings.is_object:
        return LocalTransport(_object_of(settings), DaemonThreads(most_calls))
    try:
        proxy = choose_proxy(settings.endpoint, settings.proxy)
        if proxy is None:
            return HttpTransport(httpx.URL(settings.endpoint), settings.max_reply_bytes)
        tls = tls_context(settings.endpoint, proxy.url)
    except InvalidEnvironment as error:
        raise Misconfigured(str(error)) from None
    return httpx.AsyncHTTPTransport(
        proxy=with_tls(proxy, tls),
        verify=tls,
        limits=httpx.Limits(max_connections=most_calls, max_keepalive_connections=most_calls),
    )


def concurrent_calls(settings: CheckSettings) -> int:
    """Return the most calls at a time that are not late; those of a model have a processor each."""
    most = settings.max_in_flight
    return min(most, usable_processors()) if settings.scorer else most


def _object_of(settings: CheckSettings) -> EmbeddedChecker:
    checker = settings.given.checker if settings.given else load_object(settings.checker)
    scorer = PythonObject(settings.checker, checker)
    return EmbeddedChecker(partial(check_grounding, scorer=scorer.score), scorer.revision)


class HttpTransport(httpx.AsyncBaseTransport):
    """Send requests over HTTP/1.1 and keep the connections open.

    The caller limits the number of concurrent requests and their time. A request is never sent
    twice, since each is billed. Redirects are not followed, and cookies are not kept.

    Args:
      origin: scheme, host and port, to which all requests go.
      max_body_bytes: the longest body of a response, as it is sent.

    Attributes:
      connections: all that are open.
      idle: those of them that wait for a request.

    Raises:
      InvalidEnvironment: the certificates to trust cannot be read.
    """

    def __init__(self, origin: httpx.URL, max_body_bytes: int) -> None:
        self.max_body_bytes = max_body_bytes
        self._host = origin.host
        self._port = origin.port or _PORTS[origin.scheme]
        self._tls = tls_context(str(origin)) if origin.scheme == "https" else None
        self.connections: set[_Connection] = set()
        self.idle: list[_Connection] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the response when it is complete.

        Raises:
          httpx.ConnectError: nothing was sent.
          httpx.TransportError: the connection failed, or the response is not valid HTTP.
          BadReply: the body is too long.
        """
        content = _encode(request)
        connection = self._take_idle() or await self._connect()
        return await connection.exchange(content)

    async def aclose(self) -> None:
        for connection in tuple(self.connections):
            connection.transport.abort()
        # The event loop closes the sockets in its next iteration.
        await asyncio.sleep(0)

    def _take_idle(self) -> "_Connection | None":
        """Return the connection that was used last, unless the server may have closed it."""
        while self.idle:
            connection = self.idle.pop()
            idle_s = time.monotonic() - connection.idle_since_s
            if idle_s < _IDLE_TIMEOUT_S and not connection.transport.is_closing():
                return connection
            connection.transport.abort()
        return None

    async def _connect(self) -> "_Connection":
        try:
            _, connection = await asyncio.get_running_loop().create_connection(
                lambda: _Connection(self), self._host, self._port, ssl=self._tls
            )
        except OSError as error:  # also of TLS
            raise httpx.ConnectError(describe_failure(error)) from error
        return connection


def _encode(request: httpx.Request) -> bytes:
    lines = [b"%b %b HTTP/1.1" % (request.method.encode(), request.url.raw_path)]
    lines += [b"%b: %b" % header for header in request.headers.raw]
    head = b"\r\n".join(lines)
    if head.count(b"\n") >= len(lines):
        raise httpx.LocalProtocolError("a header of the request contains a line break")
    return b"%b\r\n\r\n%b" % (head, request.content)


class _Connection(asyncio.Protocol):
    """A connection of a transport, its pool, for one request at a time.

    Attributes:
      transport: of asyncio.
      idle_since_s: when the last response was complete, on the monotonic clock.
    """

    transport: asyncio.Transport

    def __init__(self, pool: HttpTransport) -> None:
        self.idle_since_s = 0.0
        self._pool = pool
        self._parser: HttpResponseParser | None = None

    async def exchange(self, request: bytes) -> httpx.Response:
        """Send a request and return the response when it is complete."""
        if self.transport.is_closing():
            closed = ConnectionResetError(errno.ECONNRESET, "")
            raise httpx.ConnectError(describe_failure(closed)) from closed
        self._status = 0
        self._headers: list[tuple[bytes, bytes]] = []
        self._header_bytes = 0
        self._body: list[bytes] = []
        self._body_bytes = 0
        self._can_keep_alive = False
        self._response: asyncio.Future[httpx.Response]
        self._response = asyncio.get_running_loop().create_future()
        self._parser = HttpResponseParser(self)
        self.transport.write(request)
        try:
            return await self._response
        finally:
            self._release()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._pool.connections.add(self)

    def data_received(self, data: bytes) -> None:
        if self._parser is None:
            self.transport.abort()  # The server sends without a request.
            return
        if not self._status:
            self._header_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            self._fail(httpx.RemoteProtocolError("the response is not valid HTTP"))
        if not self._status and self._header_bytes > _MAX_HEADER_BYTES:
            self._fail(httpx.RemoteProtocolError("the header is too long"))

    def connection_lost(self, exc: Exception | None) -> None:
        self._pool.connections.discard(self)
        if self in self._pool.idle:
            self._pool.idle.remove(self)
        if self._parser is None:
            return
        names = {name.lower() for name, _ in self._headers}
        if exc:
            self._fail(httpx.ReadError(type(exc).__name__))
        elif self._status and names.isdisjoint({b"content-length", b"transfer-encoding"}):
            self._complete()  # The end of the connection marks the end of the response.
        else:
            self._fail(httpx.RemoteProtocolError("the server closed the connection"))

    def on_message_begin(self) -> None:
        if self._response.done():
            raise httpx.RemoteProtocolError("a second response to one request")

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._status:  # Trailers are ignored.
            self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        status = cast(HttpResponseParser, self._parser).get_status_code()
        if status < _FIRST_FINAL_STATUS:
            self._headers.clear()  # 100 Continue: the response follows.
        elif self._header_bytes > _MAX_HEADER_BYTES and self._is_header_too_long():
            raise httpx.RemoteProtocolError("the header is too long")
        else:
            self._status = status

    def on_body(self, chunk: bytes) -> None:
        self._body.append(chunk)
        self._body_bytes += len(chunk)
        if self._body_bytes > self._pool.max_body_bytes:
            self._fail(BadReply(f"the reply is longer than {self._pool.max_body_bytes} bytes"))

    def on_message_complete(self) -> None:
        if self._status:
            self._can_keep_alive = cast(HttpResponseParser, self._parser).should_keep_alive()
            self._complete()

    def _is_header_too_long(self) -> bool:
        # The body may follow in the same bytes.
        return sum(len(name) + len(value) + 4 for name, value in self._headers) > _MAX_HEADER_BYTES

    def _complete(self) -> None:
        if not self._response.done():
            stream = httpx.ByteStream(b"".join(self._body))
            response = httpx.Response(self._status, headers=self._headers, stream=stream)
            self._response.set_result(response)

    def _fail(self, error: Exception) -> None:
        if not self._response.done():
            self._response.set_exception(error)
        self.transport.abort()

    def _release(self) -> None:
        """Keep the connection for another request if the response is complete; else close it."""
        if self._can_keep_alive and not self.transport.is_closing():
            self._parser = None
            self.idle_since_s = time.monotonic()
            self._pool.idle.append(self)
        else:
            self.transport.abort()
