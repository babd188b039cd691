"""Serve the embedded checker over HTTP, with the protocol of Google's service."""

import asyncio
import logging
import resource
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import cast

from aiohttp import web

from launch.checker_server.llm_judge import LlmJudge
from launch.export.http_sender import read_secret
from launch.export.target import TargetMisconfigured
from launch.terminal.exit_status import DONE, fail
from pipeline.settings.commands import ServeCheckerSettings
from pipeline.settings.load import Loaded
from schemas.quantities import MEGABYTE
from transforms.grounding.errors import Misconfigured
from transforms.grounding.local.service import CheckAnswer, LocalTransport, Reply, refuse

# Enough for 200 facts of 10,000 characters with every character escaped in JSON.
_MAX_BODY_BYTES = 32 * MEGABYTE
_MAX_SMALL_BYTES = 64_000
_MAX_LARGE_BODIES = 4  # larger bodies in memory at a time; further ones wait for their turn
_THREADS = 2
_JUDGE_THREADS = 32  # calls of the judge at a time
_KEY = "OPENAI_API_KEY"
_BACKLOG = 1_024
_MAX_CONNECTIONS = 1_024
_RESERVED_FILES = 64  # open files for everything except connections
_DEADLINE_S = 30.0  # for a client to send the head of a request, its body, and to read the response
_RETRY_S = 1.0
_LINGERING_S = 1.0  # for a client to read why its request is refused before it has sent the whole
_SHUTDOWN_TIMEOUT_S = 5
_log = logging.getLogger(__name__)

_http_log = logging.getLogger(f"{__name__}.http")
_http_log.disabled = True  # aiohttp logs a traceback for what a client did wrong.


def serve_checker(loaded: Loaded[ServeCheckerSettings]) -> int:
    """Serve checks until SIGINT or SIGTERM, then finish the requests that have arrived."""
    loaded.raise_problems()
    try:
        asyncio.run(_serve(loaded.settings))
    except (OSError, Misconfigured, TargetMisconfigured) as error:
        reason = getattr(error, "strerror", None) or error
        return fail(f"the checker cannot be served: {reason}")
    return DONE


async def _serve(settings: ServeCheckerSettings) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    judge = _judge(settings)
    checker = judge.check if judge else settings.scorer
    async with listening(settings.serve_port, settings.serve_host, checker) as address:
        kind = "checker in front of the judge" if judge else "embedded checker"
        sys.stdout.write(f"The {kind} listens on {address}\n")
        sys.stdout.flush()
        await stopped.wait()
    if judge:
        counts = (f"{count:,} {name.replace('_', ' ')}" for name, count in judge.usage.items())
        sys.stdout.write(f"The judge: {', '.join(counts) or 'no calls'}\n")


def _judge(settings: ServeCheckerSettings) -> LlmJudge | None:
    """Return the language model that scores claims, None for the embedded checker."""
    if settings.judge and settings.judge_model:
        return LlmJudge(settings.judge, settings.judge_model, read_secret(_KEY))
    return None


@asynccontextmanager
async def listening(
    port: int, host: str = "127.0.0.1", checker: str | CheckAnswer | None = None
) -> AsyncIterator[str]:
    """Serve checks inside the running event loop while a `with` block lasts; yield the address.

    One process answers on one core: short requests in the event loop, long ones in a thread. The
    checker is that of `LocalTransport`. Port 0 takes a free port.
    """
    threads = ThreadPoolExecutor(_JUDGE_THREADS if callable(checker) else _THREADS, "check")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        server = _Server(LocalTransport(checker, threads))
        with socket.create_server((host, port), family=family, backlog=_BACKLOG) as listener:
            listener.setblocking(False)
            accepting = asyncio.create_task(server.accept(listener))
            try:
                name, port = listener.getsockname()[:2]
                yield f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
            finally:
                accepting.cancel()
                with suppress(asyncio.CancelledError):
                    await accepting
        server.pre_shutdown()
        await server.shutdown(_SHUTDOWN_TIMEOUT_S)
    finally:
        threads.shutdown(wait=False, cancel_futures=True)


class _ClientConnection(web.RequestHandler):
    """A connection of a client."""

    idle_since_s: float | None = 0.0
    """When it last got a response, by the monotonic clock; None while its request is checked."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport, which the base class forgets when it closes it."""
        self._tcp = cast("asyncio.Transport", transport)
        super().connection_made(transport)

    def force_close(self) -> None:
        """Close at once: a mere close waits until the client has read all that was sent to it."""
        super().force_close()
        self._tcp.abort()


class _Server(web.Server):
    """Serve connections, no more at a time than this process may open files."""

    def __init__(self, checker: LocalTransport) -> None:
        super().__init__(self._handle)
        self._checker = checker
        self._large_bodies = asyncio.Semaphore(_MAX_LARGE_BODIES)
        self._max_connections = _max_connections()

    def __call__(self) -> _ClientConnection:
        """Prepare for a new connection."""
        # The timeout is that of a request's head, too: no byte that arrives extends it.
        return _ClientConnection(
            self,
            loop=asyncio.get_running_loop(),
            keepalive_timeout=_DEADLINE_S,
            lingering_time=_LINGERING_S,
            logger=_http_log,
            access_log=_http_log,
        )

    async def accept(self, listener: socket.socket) -> None:
        """Accept connections until cancelled."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                client, _ = await loop.sock_accept(listener)
            except OSError as error:
                _log.warning("cannot accept a connection: %s", error.strerror)
                self._close_idlest()
                await asyncio.sleep(_RETRY_S)
                continue
            # A connection that was closed is gone in the loop's next turn.
            while len(self.connections) >= self._max_connections:  # noqa: ASYNC110
                await asyncio.sleep(0 if self._close_idlest() else _RETRY_S)
            try:
                await loop.connect_accepted_socket(self, client)
            except OSError:
                client.close()

    def _close_idlest(self) -> bool:
        """Close the connection that was idle for longest; return whether any was idle."""
        connections = cast("list[_ClientConnection]", self.connections)
        idle = {each: each.idle_since_s for each in connections if each.idle_since_s is not None}
        if idle:
            min(idle, key=idle.__getitem__).force_close()
        return bool(idle)

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request; close the connection if the client does not read the response."""
        connection = cast("_ClientConnection", request.protocol)
        length, is_plain = request.content_length, "Content-Encoding" not in request.headers
        is_small = is_plain and length is not None and length <= _MAX_SMALL_BYTES
        try:
            async with nullcontext() if is_small else self._large_bodies:
                reply = await self._answer(request, connection)
                headers = {"Retry-After": reply.retry_after} if reply.retry_after else None
                response = web.Response(
                    status=reply.status,
                    body=reply.body,
                    headers=headers,
                    content_type="application/json",
                )
                if reply.status == 408:  # noqa: PLR2004 - the rest of the request may still come
                    response.force_close()
                async with asyncio.timeout(_DEADLINE_S):
                    await response.prepare(request)
                    await response.write_eof()
                    await request.writer.drain()
        except TimeoutError:
            connection.force_close()
        finally:
            connection.idle_since_s = time.monotonic()
        return response

    async def _answer(self, request: web.BaseRequest, connection: _ClientConnection) -> Reply:
        try:
            async with asyncio.timeout(_DEADLINE_S):
                body = await _read_body(request)
        except TimeoutError:
            return refuse(408, f"The request did not arrive within {_DEADLINE_S:g} seconds.")
        except web.RequestPayloadError as error:
            raise ConnectionResetError from error
        if body is None:
            return refuse(413, f"The request is over {_MAX_BODY_BYTES:,} bytes.")
        connection.idle_since_s = None
        try:
            return await self._checker.answer(request.method, request.path, body)
        except Exception as error:  # noqa: BLE001 - a defect; its text could quote the answer
            _log.error("a check failed: %s", type(error).__name__)
            return refuse(500, "The check failed.")


def _max_connections() -> int:
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return _MAX_CONNECTIONS
    return min(_MAX_CONNECTIONS, max(1, limit - _RESERVED_FILES))


async def _read_body(request: web.BaseRequest) -> bytes | None:
    """Return the whole body, or None as soon as it is known to be too long."""
    if (request.content_length or 0) > _MAX_BODY_BYTES:
        return None
    if request.headers.get("Expect", "").lower() == "100-continue":
        await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.writer.output_size = 0
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > _MAX_BODY_BYTES:
            return None
    return bytes(body)
