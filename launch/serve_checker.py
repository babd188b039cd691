"""The embedded checker over HTTP, in the place of Google's service."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from schemas.units import MEGABYTE
from transforms.grounding.local.service import Reply, refuse
from transforms.grounding.local.transport import LocalTransport

_MAX_BODY_BYTES = 32 * MEGABYTE
"""More than 200 facts of 10,000 characters need, however their JSON is escaped."""

_SHUTDOWN_TIMEOUT_S = 5
_CHECKER = web.AppKey("checker", LocalTransport)
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def serve(port: int, host: str = "127.0.0.1", scorer: str | None = None) -> None:
    """Serve checks until SIGINT or SIGTERM, then finish what is in hand and return.

    Args:
      port: the TCP port; 0 takes a free one. The first line printed says which.
      host: the address to listen on.
      scorer: the folder of a model that scores the claims; None has them scored by words.

    Raises:
      OSError: the address is taken or not one of this machine's.
      Misconfigured: the folder holds no model that can be used.
    """
    asyncio.run(_serve_until_stopped(port, host, scorer))


async def _serve_until_stopped(port: int, host: str, scorer: str | None) -> None:
    stopped = asyncio.Event()
    for number in _STOP_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with listening(port, host, scorer) as address:
        sys.stdout.write(f"The embedded checker listens on {address}\n")
        sys.stdout.flush()
        await stopped.wait()


@asynccontextmanager
async def listening(
    port: int, host: str = "127.0.0.1", scorer: str | None = None
) -> AsyncIterator[str]:
    """Serve checks inside the running event loop while a `with` block lasts.

    One process answers on one core: checks by words run one after another in the event loop.

    Args:
      port: the TCP port; 0 takes a free one.
      host: the address to listen on.
      scorer: the folder of a model that scores the claims; None has them scored by words.

    Yields:
      The base address, such as http://127.0.0.1:8080.

    Raises:
      OSError: the address is taken or not one of this machine's.
      Misconfigured: the folder holds no model that can be used.
    """
    application = web.Application()
    application[_CHECKER] = LocalTransport(scorer)
    application.router.add_route("*", "/{path:.*}", _handle)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=_SHUTDOWN_TIMEOUT_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=1024).start()
        yield _address(runner)
    finally:
        await runner.cleanup()


def _address(runner: web.AppRunner) -> str:
    host, port = runner.addresses[0][:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


async def _handle(request: web.Request) -> web.Response:
    body = await _read_body(request)
    if body is None:
        reply = refuse(413, f"The request is over {_MAX_BODY_BYTES:,} bytes.")
    else:
        checker = request.app[_CHECKER]
        reply = await checker.answer(request.method, request.path, body)
    return _respond(reply)


async def _read_body(request: web.Request) -> bytes | None:
    """Return the whole body, or None as soon as it is known to be too long."""
    if (request.content_length or 0) > _MAX_BODY_BYTES:
        return None
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > _MAX_BODY_BYTES:
            return None
    return bytes(body)


def _respond(reply: Reply) -> web.Response:
    return web.Response(status=reply.status, body=reply.body, content_type="application/json")
